/**
 * Protects: a receipt that could not be written is reported, whichever process posted
 * the page that it was in.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { postAll } from "../../src/ledger/journals.store.ts";
import { ended, leased } from "../ledger/journal-world.ts";
import { fundedAccount } from "../ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { receiptRow } from "../support/receipt-row.ts";
import { until } from "../support/until.ts";

const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: KEY } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "100", output: "200" }, routes: [ { upstream: up, model: m } ] } }
`;

let database: TestDatabase;
let gateway: Gateway;
before(async () => {
  database = await testDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: CATALOGUE,
    env: { KEY: "x" },
  });
});
after(async () => {
  await gateway.stop();
  await database.drop();
});

const REPORTED = 'tollgate_suspicions_total{kind="receipt_parked"} 1';

test("one that a reader's post parked is counted and logged", async () => {
  const { db } = database;
  const accountId = await fundedAccount(db, 100_000n);
  const { request, writer } = await leased(db, accountId, 1_000n);
  const bad = request(10n);
  const receipt = receiptRow({ startedAt: new Date(Number.NaN) });
  await writer.write(ended(bad, 4n, { receipt }));
  await postAll(db);
  await until("it is counted", async () =>
    (await (await fetch(`${gateway.url}/metrics`)).text()).includes(REPORTED),
  );
  const lines = gateway.log().filter(({ msg }) => String(msg).includes("usage.parked"));
  assert.equal(lines.length, 1);
});
