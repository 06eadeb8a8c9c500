/**
 * A gateway over the shipped catalogue and the sandbox, with customers who have the official SDK:
 * the stage of the tests of images and of sound.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";

export interface SdkCustomer {
  readonly accountId: string;
  readonly secret: string;
  readonly client: OpenAI;
  /** When nothing is held any more. */
  charged(): Promise<bigint>;
}

export interface ShippedScene {
  readonly sandbox: Sandbox;
  readonly database: TestDatabase;
  readonly gateway: Gateway;
  /** For files of the test; goes with the scene. */
  readonly folder: string;
  customer(roubles?: string): Promise<SdkCustomer>;
  close(): Promise<void>;
}

/** `model`: one more, as the catalogue writes it, before the shipped one of this id. */
export async function openShippedScene(more: {
  readonly before: string;
  readonly model: string;
}): Promise<ShippedScene> {
  const folder = await mkdtemp(join(tmpdir(), "calls-"));
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    wordDelayMs: 0,
    media: { pieceDelayMs: 0 },
  });
  const database = await testDatabase();
  const { db } = database;
  const shipped = readFileSync(new URL("../../catalogue.yaml", import.meta.url), "utf8");
  const place = `  ${more.before}:\n`;
  const gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: shipped.replace(place, `  ${more.model}\n${place}`),
    env: {
      SANDBOX_URL: sandbox.url,
      SANDBOX_API_KEY: "sandbox",
      STORAGE_URL: `file:${join(folder, "files")}`,
    },
  });
  return {
    sandbox,
    database,
    gateway,
    folder,
    async customer(roubles = "1000") {
      const accountId = await newAccount(db, roubles);
      const { secret } = await newKey(db, accountId);
      return {
        accountId,
        secret,
        client: new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
        async charged() {
          await until("nothing is held", async () => {
            await postAll(db);
            return (await balance(db, accountId))?.heldNano === 0n || null;
          });
          return (await balance(db, accountId))?.chargedNano ?? -1n;
        },
      };
    },
    async close() {
      await gateway.stop();
      await database.drop();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
