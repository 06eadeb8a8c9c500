/**
 * Guarantee: what is left with a provider is asked for by one process of all, seldom while it fails; what
 * it told is kept through its failures, operators are alerted of too little, and no key is ever told.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { createBalanceWork, secondsAfter } from "../../src/business/operate/ask-balances.ts";
import { balanceView } from "../../src/business/operate/balance-view.ts";
import { storedBalances } from "../../src/business/operate/upstream-balances.store.ts";
import { remarksOnBalances } from "../../src/business/doctor/remarks-on-balances.ts";
import { findTroubles } from "../../src/business/watch/find-troubles.ts";
import { troubleText } from "../../src/business/watch/trouble-text.ts";
import type { Catalogue } from "../../src/catalogue/catalogue.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { readCatalogue } from "../support/read-catalogue.ts";

const KEY = "sk-of-the-provider-0123456789";
const outgoing = createOutgoing();
let database: TestDatabase;
let sandbox: Sandbox;
let provider: Server;
let asked: string[] = [];
let answer = { status: 200, body: "" };

before(async () => {
  database = await testDatabase();
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1" });
  provider = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    request.resume();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  await outgoing.close();
  provider.close();
  await sandbox.close();
  await database.drop();
});
beforeEach(async () => {
  asked = [];
  await database.db.query("DELETE FROM operate.upstream_balances");
});

function catalogueOf(balance: string, url: string): Catalogue {
  const reading = readCatalogue(
    `
upstreams:
  vendor: { protocol: openai, baseUrl: "${url}/v1", apiKeyEnv: KEY, balance: ${balance} }
  other: { protocol: openai, baseUrl: "${url}/v1", apiKeyEnv: KEY }
models:
  m: { type: chat, endpoints: [chat.completions], contextTokens: 9, maxOutputTokens: 9, price: { input: "1", output: "1" }, routes: [{ upstream: vendor, model: a }] }
`,
    { KEY },
  );
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.catalogue;
}

const here = (): string => `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

function work(catalogue: Catalogue, env: Record<string, string> = { KEY }) {
  const outcomes: string[] = [];
  const one = createBalanceWork({
    db: database.db,
    clock: systemClock,
    env,
    outgoing,
    catalogue: { current: () => ({ catalogue }) },
    onAsked: (outcome) => outcomes.push(outcome),
  });
  return { ...one, outcomes };
}

/** As if so much time had passed. */
const pass = () =>
  database.db.query("UPDATE operate.upstream_balances SET due_at = clock_timestamp()");

const troubles = async () =>
  (await findTroubles(database.db, { now: new Date(), percent: 0 })).balance_below;

test("of several processes one asks, with the provider's own key, and all show what it told", async () => {
  answer = { status: 200, body: '{"data":{"limit_remaining":74.5}}' };
  const catalogue = catalogueOf("{ kind: openrouter-key, alertBelow: 80 }", here());
  const [one, two] = [work(catalogue), work(catalogue)];
  await Promise.all([one.tick(), two.tick(), one.tick(), two.tick()]);
  assert.deepEqual(asked, [`/api/v1/key Bearer ${KEY}`]);
  await two.tick();
  assert.equal(asked.length, 1, "it is not due");
  await pass();
  await Promise.all([one.tick(), two.tick()]);
  assert.equal(asked.length, 2);
  const stored = await two.tick();
  const vendor = catalogue.upstreams.get("vendor") ?? assert.fail();
  const view = balanceView(vendor, stored);
  assert.deepEqual(
    [view?.amount, view?.currency, view?.below, view?.low, view?.lastsDays, view?.failure],
    ["74.5", "USD", "80", true, null, null],
  );
  const other = catalogue.upstreams.get("other") ?? assert.fail();
  assert.equal(balanceView(other, stored), null);
  const found = await troubles();
  assert.deepEqual(found, [
    { subject: "vendor", figure: null, balance: { left: "74.5 USD", below: "80" } },
  ]);
  const { text } = troubleText("en", "balance_below", {
    troubles: found,
    percent: null,
    baseUrl: "https://gateway.example",
  });
  assert.match(text, /vendor: 74\.5 USD left, which is below 80[\s\S]*operator\/upstreams/);
  const remarks = await remarksOnBalances(database.db, catalogue);
  assert.match(remarks[0]?.found.ru ?? "", /осталось 74\.5 USD, это меньше 80/);
});

test("a provider that fails keeps what it told, is asked more and more seldom, and its key is in nothing", async () => {
  const catalogue = catalogueOf("openrouter-key", here());
  const one = work(catalogue);
  answer = { status: 200, body: '{"data":{"limit_remaining":74.5}}' };
  await one.tick();
  for (const body of [`{"error":"bad ${KEY}"}`, `no JSON ${KEY}`]) {
    answer = { status: body.startsWith("{") ? 401 : 200, body };
    await pass();
    await one.tick();
  }
  assert.deepEqual(one.outcomes, ["reported", "refused", "not_understood"]);
  const [row] = await storedBalances(database.db);
  assert.deepEqual(
    [row?.failures, row?.failure, row?.failureStatus, row?.amount, row?.due],
    [2, "not_understood", 200, 74_500_000_000n, false],
  );
  const left = await database.db.query<{ later: boolean }>(
    "SELECT due_at > clock_timestamp() + interval '9 minutes' AS later FROM operate.upstream_balances",
  );
  assert.deepEqual(left, [{ later: true }]);
  assert.deepEqual([1, 2, 3, 4, 5, 50].map(secondsAfter), [300, 600, 1_200, 2_400, 3_600, 3_600]);
  const all = await database.db.query("SELECT b::text FROM operate.upstream_balances b");
  const reported = JSON.stringify([all, await remarksOnBalances(database.db, catalogue)]);
  assert.ok(!reported.includes(KEY), reported);
  assert.match(reported, /does not tell its balance/);
});

test("an answer without end is given up, and a stop does not wait for one", async () => {
  const url = `${sandbox.url}/figures/drops`;
  const catalogue = catalogueOf(`{ kind: openrouter-key, baseUrl: "${url}" }`, here());
  const one = work(catalogue);
  const ticking = one.tick();
  one.stop();
  await ticking;
  const [row] = await storedBalances(database.db);
  assert.deepEqual([row?.failure, row?.reportedAt, row?.due], [null, null, false]);
});

test("the sandbox's providers tell it each in its way, strictly", async () => {
  const reported: string[] = [];
  for (const kind of [
    "openrouter-credits",
    "openrouter-key",
    "deepseek",
    "moonshot",
    "novita",
    "kie",
  ]) {
    await database.db.query("DELETE FROM operate.upstream_balances");
    const [row] = await work(catalogueOf(kind, sandbox.url)).tick();
    reported.push(`${kind} ${row?.amount} ${row?.currency} ${row?.failure}`);
  }
  assert.deepEqual(reported, [
    "openrouter-credits 74500000000 USD null",
    "openrouter-key 74500000000 USD null",
    "deepseek 74500000000 CNY null",
    "moonshot 74500000000 USD null",
    "novita 74500000000 USD null",
    "kie 74500000000 credits null",
  ]);
  const fal = `{ kind: fal, baseUrl: "${sandbox.url}" }`;
  await database.db.query("DELETE FROM operate.upstream_balances");
  assert.equal((await work(catalogueOf(fal, here())).tick())[0]?.amount, 74_500_000_000n);
});

test("misbehaviour is told by its kind; what is not asked any more alerts no one", async () => {
  const outcomes: string[] = [];
  for (const word of ["refused", "wrong-json", "absurd", "negative"]) {
    const balance = `{ kind: deepseek, alertBelow: 5, baseUrl: "${sandbox.url}/figures/${word}" }`;
    const one = work(catalogueOf(balance, here()));
    await pass();
    await one.tick();
    outcomes.push(...one.outcomes);
  }
  assert.deepEqual(outcomes, ["refused", "not_understood", "not_understood", "reported"]);
  assert.equal((await troubles())[0]?.balance?.left, "-3.1 CNY");
  const unset = work(catalogueOf("{ kind: kie, apiKeyEnv: OTHER }", here()));
  await pass();
  await unset.tick();
  assert.deepEqual(unset.outcomes, ["no_credential"]);
  await work({ ...catalogueOf("kie", here()), upstreams: new Map() }).tick();
  assert.deepEqual([await troubles(), await storedBalances(database.db)], [[], []]);
});
