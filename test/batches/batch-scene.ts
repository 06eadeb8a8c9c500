/**
 * One worker of batches on a database, a folder and a scripted upstream of its own, with customers,
 * their batches and their money at hand: the stage of tests that need no second process.
 */
import assert from "node:assert/strict";
import type { BatchRecord } from "../../src/batches/batch-record.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import type { BatchEndpoint } from "../../src/contract/enums/batch-endpoint.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import type { BatchOrder } from "../../src/serving/batches/create-batch.ts";
import { testDatabase } from "../support/database.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import {
  openBatchProcess,
  sendFile,
  sentOnce,
  temporaryStorage,
  type BatchProcess,
  type Sender,
} from "./batch-world.ts";
import { startCountingUpstream, type CountingUpstream } from "./scripted-answers.ts";

export interface BatchCustomer extends Sender {
  readonly key: KeyRecord;
}

export interface BatchScene {
  /** Of the test itself, not the worker's. */
  readonly db: Db;
  readonly upstream: CountingUpstream;
  readonly worker: BatchProcess;
  /** While it says so, no line begins. */
  pressing: boolean;
  customer(wishes?: {
    readonly roubles?: string;
    readonly key?: Parameters<typeof newKey>[2];
  }): Promise<BatchCustomer>;
  /** Sends a file of this content, and a batch of it. */
  create(
    who: BatchCustomer,
    content: string | Buffer,
    wishes?: Partial<Pick<BatchOrder, "endpoint" | "outputSeconds">>,
  ): Promise<BatchRecord>;
  find(batch: BatchRecord): Promise<BatchRecord>;
  reached(batch: BatchRecord, ready: (now: BatchRecord) => boolean): Promise<BatchRecord>;
  ended(batch: BatchRecord): Promise<BatchRecord>;
  money(who: {
    readonly accountId: string;
  }): Promise<{ readonly charged: bigint | undefined; readonly held: bigint | undefined }>;
  /** Insists that nothing went wrong behind the batches, and that the books agree. */
  close(): Promise<void>;
}

/** Fifty thousand lines take their time on a busy machine. */
const PATIENCE_MS = 240_000;

export async function openBatchScene(): Promise<BatchScene> {
  const database = await testDatabase();
  const db = openDatabase({
    url: database.url,
    poolSize: 8,
    applicationName: "a worker of batches",
    onError: () => undefined,
  });
  const storage = await temporaryStorage();
  const upstream = await startCountingUpstream();
  const worker = await openBatchProcess({ db, storageUrl: storage.url, upstream: upstream.url });
  const { routes } = worker.batches;

  const find: BatchScene["find"] = ({ accountId, batchId, shape }) =>
    routes.batches.find(
      accountId,
      shape,
      `${shape === "openai" ? "batch" : "msgbatch"}_${batchId.replaceAll("-", "")}`,
    );
  const reached: BatchScene["reached"] = (batch, ready) =>
    until(
      "the batch to get there",
      async () => {
        const now = await find(batch);
        return ready(now) && now;
      },
      PATIENCE_MS,
    );

  const scene: BatchScene = {
    db: database.db,
    upstream,
    worker,
    pressing: false,
    async customer({ roubles = "100", key: wishes = {} } = {}) {
      const accountId = await newAccount(database.db, roubles);
      const { key } = await newKey(database.db, accountId, wishes);
      return { accountId, keyId: key.keyId, key };
    },
    create: async (who, content, wishes = {}) =>
      routes.createBatch({
        key: who.key,
        ...sentOnce(),
        inputFileId: await sendFile(worker, who, content),
        endpoint: "chat.completions" satisfies BatchEndpoint,
        metadata: null,
        outputSeconds: null,
        ...wishes,
      }),
    find,
    reached,
    ended: (batch) => reached(batch, ({ endedAt }) => endedAt !== null),
    async money({ accountId }) {
      const found = await balance(database.db, accountId);
      return { charged: found?.chargedNano, held: found?.heldNano };
    },
    async close() {
      await worker.close();
      const { mismatches } = await verifyLedger(database.db);
      await db.close();
      await upstream.close();
      await database.drop();
      await storage.remove();
      assert.deepEqual(worker.errors, []);
      assert.deepEqual(mismatches, []);
    },
  };
  worker.batches.start(() => scene.pressing);
  return scene;
}
