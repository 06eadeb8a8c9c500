/**
 * Guarantee: a file that is sent again with its idempotency key is the same file, over all
 * processes: one copy, counted once; another body with that key is refused, and its time is that of
 * every key.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { toFile } from "openai";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { batchCatalogue, chatBody, requestLine, temporaryStorage } from "./batch-world.ts";

let database: TestDatabase;
let storage: Awaited<ReturnType<typeof temporaryStorage>>;
let gateways: readonly Gateway[];
before(async () => {
  database = await testDatabase();
  storage = await temporaryStorage();
  const start = (): Promise<Gateway> =>
    startGateway({
      databaseUrl: database.url,
      catalogue: batchCatalogue("http://127.0.0.1:9"),
      env: { UPSTREAM_KEY: "sk-operators-own-0123456789abcdef", STORAGE_URL: storage.url },
    });
  gateways = [await start(), await start()];
});
after(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await database.drop();
  await storage.remove();
});

interface Customer {
  readonly accountId: string;
  /** Of one of the processes. */
  client(turn?: number): OpenAI;
  send(text: string, key: string | null, turn?: number): Promise<OpenAI.FileObject>;
  /** Of the account's files: rows in any state but a removed one, and the bytes that are counted. */
  kept(): Promise<{ readonly files: number; readonly bytes: number }>;
}

async function customer(): Promise<Customer> {
  const accountId = await newAccount(database.db, "1");
  const { secret } = await newKey(database.db, accountId);
  const client = (turn = 0): OpenAI =>
    new OpenAI({
      apiKey: secret,
      baseURL: `${gateways[turn % gateways.length]?.url}/v1`,
      maxRetries: 0,
    });
  return {
    accountId,
    client,
    async send(text, key, turn = 0) {
      const file = await toFile(Buffer.from(text), "requests.jsonl");
      const headers = key === null ? {} : { "idempotency-key": key };
      return client(turn).files.create({ file, purpose: "batch" }, { headers });
    },
    async kept() {
      const [row] = await database.db.query<{ files: bigint; bytes: bigint }>(
        `SELECT (SELECT count(*) FROM files.files WHERE account_id = $1 AND state <> 'deleted') AS files,
           coalesce((SELECT bytes FROM files.usage WHERE account_id = $1), 0)::bigint AS bytes`,
        [accountId],
      );
      return { files: Number(row?.files), bytes: Number(row?.bytes) };
    },
  };
}

const LINE = requestLine("a", chatBody("a"));

test("the same key gets the same file of either process; without a key each is one more", async () => {
  const { client, send, kept } = await customer();
  const first = await send(LINE, "nightly");
  const again = await client(1)
    .files.create(
      { file: await toFile(Buffer.from(LINE), "requests.jsonl"), purpose: "batch" },
      { headers: { "idempotency-key": "nightly" } },
    )
    .withResponse();
  assert.deepEqual(again.data, first);
  assert.equal(again.response.headers.get("idempotent-replayed"), "true");
  assert.match(again.response.headers.get("x-tollgate-original-request-id") ?? "", /./);
  assert.deepEqual(await kept(), { files: 1, bytes: Buffer.byteLength(LINE) });
  const other = await send(LINE, null);
  assert.notEqual(other.id, first.id);
  assert.equal((await kept()).files, 2);
});

test("many at once with one key: one file; those who came too early are told to come again", async () => {
  const { send, kept } = await customer();
  const got = await Promise.allSettled(
    Array.from({ length: 12 }, (_, turn) => send(LINE, "at-once", turn)),
  );
  const ids = got.flatMap((each) => (each.status === "fulfilled" ? [each.value.id] : []));
  for (const each of got)
    if (each.status === "rejected") {
      assert.ok(each.reason instanceof OpenAI.ConflictError, String(each.reason));
      assert.equal(each.reason.code, "idempotency_in_progress");
    }
  assert.ok(ids.length > 0);
  assert.equal(new Set([...ids, (await send(LINE, "at-once")).id]).size, 1);
  assert.deepEqual(await kept(), { files: 1, bytes: Buffer.byteLength(LINE) });
});

test("another body with that key is refused, and nothing of it is kept; what was refused frees its key", async () => {
  const { client, send, kept } = await customer();
  await send(LINE, "one");
  await assert.rejects(send(`${LINE}\n${requestLine("b", chatBody("b"))}`, "one"), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.equal(error.code, "idempotency_mismatch");
    return true;
  });
  assert.deepEqual(await kept(), { files: 1, bytes: Buffer.byteLength(LINE) });
  const file = await toFile(Buffer.from(LINE), "requests.jsonl");
  const headers = { "idempotency-key": "two" };
  await assert.rejects(
    Promise.resolve(client().files.create({ file, purpose: "vision" }, { headers })),
    OpenAI.BadRequestError,
  );
  assert.equal((await send(LINE, "two")).status, "processed");
});

test("a deleted file is gone for its key, too; after a day the key is as new", async () => {
  const { accountId, client, send, kept } = await customer();
  const first = await send(LINE, "daily");
  await client().files.delete(first.id);
  await assert.rejects(send(LINE, "daily"), (error) => {
    assert.ok(error instanceof OpenAI.APIError, String(error));
    assert.deepEqual([error.status, error.code], [410, "idempotency_answer_gone"]);
    return true;
  });
  await database.db.query(
    "UPDATE idempotency.records SET expires_at = clock_timestamp() - interval '1 second' WHERE account_id = $1",
    [accountId],
  );
  const second = await until("the key is free", async () =>
    send(LINE, "daily").catch((error: unknown) => {
      assert.ok(error instanceof OpenAI.APIError);
      return null;
    }),
  );
  assert.notEqual(second.id, first.id);
  assert.equal((await kept()).files, 1);
});
