/**
 * Guarantee: what operators are shown of requests that were really served by two processes is what
 * the ledger, the receipts and the breakers have.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createLiveCatalogue, type LiveCatalogue } from "../../src/catalogue/live-catalogue.ts";
import { newestVersion } from "../../src/catalogue/store.ts";
import { dryRun } from "../../src/business/operate/dry-run.ts";
import { listAnyAccounts } from "../../src/business/operate/list-any-accounts.ts";
import { listAnyRequests } from "../../src/business/operate/list-any-requests.ts";
import { keepDay, keptSums } from "../../src/business/operate/margin.store.ts";
import { readAnyRequest } from "../../src/business/operate/read-any-request.ts";
import { readMargin } from "../../src/business/operate/read-margin.ts";
import { readOperatorOverview } from "../../src/business/operate/read-operator-overview.ts";
import { readUpstreamErrors } from "../../src/business/operate/read-upstream-errors.ts";
import { readUpstreams } from "../../src/business/operate/read-upstreams.ts";
import { readLedgerStatus } from "../../src/business/operate/ledger-status.ts";
import { createPriceHistory } from "../../src/business/requests/price-history.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { parseRequestId } from "../../src/kernel/ids.ts";
import { formatRoubles, type Nano } from "../../src/kernel/money.ts";
import {
  openChatScene,
  UPSTREAM_CREDENTIAL,
  type ChatCustomer,
  type ChatScene,
  type Play,
} from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";
import { booksOf } from "../support/books-of.ts";

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
/** 10 × 100 and 5 × 1000 roubles per million; the cost is a half of it. */
const PRICE = 6_000_000n;
const COST = 3_000_000n;

function catalogueOf(url: string): string {
  const model = (routes: string): string =>
    `{ type: chat, endpoints: [chat.completions], contextTokens: 20000, maxOutputTokens: 1000, price: { input: "100", output: "1000" }, routes: [${routes}] }`;
  const half = `cost: { input: "50", output: "500" }`;
  return `
upstreams:
  good: { protocol: openai, baseUrl: "${url}/v1?token=\${UPSTREAM_KEY}", apiKeyEnv: UPSTREAM_KEY }
  dead: { protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: UPSTREAM_KEY }
models:
  priced: ${model(`{ upstream: good, model: priced, ${half} }`)}
  unpriced: ${model(`{ upstream: good, model: unpriced }`)}
  second: ${model(`{ upstream: dead, model: nobody, order: 1, ${half} }, { upstream: good, model: priced, order: 2, ${half} }`)}
`;
}

let scene: ChatScene;
let processes: readonly Gateway[];
let catalogue: LiveCatalogue;
let customer: ChatCustomer;
let play: Play;
let day: string;
before(async () => {
  scene = await openChatScene({ catalogue: catalogueOf });
  processes = [scene.gateway, await scene.anotherGateway()];
  const { db } = scene;
  catalogue = await createLiveCatalogue({
    load: (above) => newestVersion(db, above),
    env: { UPSTREAM_KEY: UPSTREAM_CREDENTIAL },
    onRejected: () => undefined,
    onChanged: () => undefined,
    onError: () => undefined,
  });
  customer = await scene.customer();
  play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: ["ё"], usage: USAGE }));
    exchange.end();
  });
  // 4 with a known cost, 2 without, 4 that another upstream failed first.
  for (const gateway of processes) {
    for (const model of ["priced", "priced", "unpriced", "second", "second"]) {
      assert.equal((await chat(gateway, model)).status, 200, model);
    }
  }
  ({ day } = await readOperatorOverview({ db, catalogue }));
});
after(async () => {
  catalogue.close();
  await scene.close();
});

function chat(gateway: Gateway, model: string) {
  return postChat(gateway.url, customer.secret, {
    model,
    messages: [{ role: "user", content: "?" }],
    user: play.user,
    stream: true,
  }).answer;
}

function roubles(amount: bigint): string {
  return formatRoubles(amount as Nano);
}

test("revenue is the ledger's, and what no upstream told the cost of is shown apart instead of being free", async () => {
  const { charged } = await scene.money(customer.accountId);
  const report = await readMargin(scene.db, { from: day, to: day, by: "model" });
  assert.equal(charged, 10n * PRICE);
  const known = { unknownCostRequests: 0, unknownCostRevenue: "0", loss: "0" };
  const four = {
    requests: 4,
    revenue: roubles(4n * PRICE),
    cost: roubles(4n * COST),
    margin: roubles(4n * (PRICE - COST)),
    ...known,
  };
  assert.deepEqual(
    report.rows.toSorted((a, b) => String(a.name).localeCompare(String(b.name))),
    [
      { name: "priced", ...four },
      { name: "second", ...four },
      {
        name: "unpriced",
        requests: 2,
        revenue: roubles(2n * PRICE),
        cost: null,
        unknownCostRequests: 2,
        unknownCostRevenue: roubles(2n * PRICE),
        margin: null,
        loss: "0",
      },
    ],
  );
  assert.deepEqual(
    [report.total.revenue, report.total.cost, report.total.margin, report.total.unknownCostRevenue],
    [roubles(charged), roubles(8n * COST), roubles(8n * (PRICE - COST)), roubles(2n * PRICE)],
  );
  const byUpstream = await readMargin(scene.db, { from: day, to: day, by: "upstream" });
  assert.deepEqual(
    byUpstream.rows.map(({ name, requests }) => [name, requests]),
    [["good", 10]],
  );
});

test("the sums of a day that is over are kept, and are what its entries say; a day is kept once", async () => {
  const { db } = scene;
  const live = await readMargin(db, { from: day, to: day, by: "model" });
  const kept = await db
    .transaction(async (tx) => {
      await keepDay(tx, day);
      await keepDay(tx, day);
      const sums = await keptSums(tx, day, day);
      const report = await readMargin({ ...db, ...tx }, { from: day, to: day, by: "model" });
      throw Object.assign(new Error("undo"), { found: { sums: sums.length, report } });
    })
    .catch((error: unknown) => (error as { found: { sums: number; report: unknown } }).found);
  assert.deepEqual(kept, { sums: 3, report: live });
  await assert.rejects(readMargin(db, { from: "2026-02-30", to: "2026-03-01", by: "day" }), /from/);
  await assert.rejects(readMargin(db, { from: "2026-03-02", to: "2026-03-01", by: "day" }), /days/);
});

test("upstreams show calls, errors and latencies of both processes, and the breaker of each", async () => {
  const deps = {
    db: scene.db,
    clock: systemClock,
    env: { UPSTREAM_KEY: UPSTREAM_CREDENTIAL },
    catalogue,
  };
  // One more failure of each, and the dead one rests in both.
  for (const gateway of processes) await chat(gateway, "second");
  const report = await until("both processes told that the dead route rests", async () => {
    const found = await readUpstreams(deps, 15 * 60_000);
    const dead = found.routes.find(({ upstream }) => upstream === "dead");
    return dead?.breakers.length === 2 && dead.breakers.every(({ state }) => state === "resting")
      ? found
      : null;
  });
  assert.equal(report.processes.length, 2);
  const [good, dead] = ["good", "dead"].map((wanted) =>
    report.upstreams.find(({ name }) => name === wanted),
  );
  assert.ok(good !== undefined && dead !== undefined);
  assert.deepEqual(
    [
      good.figures.calls,
      good.figures.served,
      good.figures.failed,
      good.figures.errorRate,
      good.worst,
    ],
    [12, 12, 0, 0, "closed"],
  );
  assert.ok(
    good.figures.latency.p50Ms !== null &&
      (good.figures.latency.p95Ms ?? 0) >= good.figures.latency.p50Ms,
  );
  assert.ok(good.figures.firstContent.p50Ms !== null);
  assert.deepEqual(
    [dead.figures.served, dead.figures.failed, dead.figures.errorRate, dead.worst],
    [0, 6, 1, "resting"],
  );
  assert.deepEqual(
    dead.figures.errors.map(({ count }) => count),
    [6],
  );
  assert.deepEqual(good.credentials, [{ name: "UPSTREAM_KEY", set: true }]);
  assert.ok(
    !JSON.stringify(report).includes(UPSTREAM_CREDENTIAL),
    "an address shows nothing of a variable",
  );
  const reported = report.routes.find(({ upstreamModel }) => upstreamModel === "priced");
  assert.deepEqual([reported?.models, reported?.figures.served], [["priced", "second"], 10]);
  const overview = await readOperatorOverview({ db: scene.db, catalogue });
  assert.deepEqual(overview.upstreams, {
    open: [],
    resting: ["dead/nobody"],
    // Six calls are too few to judge by.
    failing: [],
    out: [],
  });
  const counted = (parts: (typeof good)["parts"]): readonly [number, number] => [
    parts.reduce((sum, { calls }) => sum + calls, 0),
    parts.reduce((sum, { failed }) => sum + failed, 0),
  ];
  assert.deepEqual(
    [counted(good.parts), counted(dead.parts)],
    [
      [12, 0],
      [6, 6],
    ],
  );
  const from = Date.parse(report.from);
  for (const { at } of good.parts)
    assert.equal((Date.parse(at) - from) % report.partMs, 0, "every part begins where one ended");
  const { data } = await readUpstreamErrors(deps, {
    upstream: "dead",
    upstreamModel: "nobody",
    windowMs: 15 * 60_000,
  });
  assert.equal(data.length, 6);
  assert.ok(
    data.every(
      ({ accountName, servedBy, reason }) =>
        accountName === "test" && servedBy === "good" && reason !== "",
    ),
  );
  const none = { upstream: "good", upstreamModel: null, windowMs: 15 * 60_000 };
  assert.deepEqual((await readUpstreamErrors(deps, none)).data, []);
});

test("the overview has today's money and what of it is margin, the requests with those that failed, what is owed, and who brought most", async () => {
  const { db } = scene;
  const { charged, held, available } = await scene.money(customer.accountId);
  const overview = await readOperatorOverview({ db, catalogue });
  const { today, liabilities, hours, compared, latency } = overview;
  assert.deepEqual(
    [today.revenue, today.cost, today.unknownCostRevenue, today.margin, today.loss],
    [
      roubles(charged),
      roubles(10n * COST),
      roubles(2n * PRICE),
      roubles(10n * (PRICE - COST)),
      "0",
    ],
  );
  assert.deepEqual(
    [today.requests, today.failed, today.errorRate, today.activeAccounts],
    [12, 0, 0, 1],
  );
  assert.ok((today.meanFirstMs ?? -1) >= 0 && (today.meanMs ?? -1) >= (today.meanFirstMs ?? 0));
  assert.equal(latency.requests, 12);
  assert.ok((latency.whole.p95Ms ?? -1) >= (latency.whole.p50Ms ?? Infinity));
  assert.ok(latency.firstContent.p50Ms !== null);
  assert.deepEqual(
    [liabilities.held, overview.tasks, overview.accounts.blocked],
    [roubles(held), { living: 0, doubtful: 0 }, 0],
  );
  const owed = await db.query<{ readonly nano: bigint }>(
    "SELECT sum(credited_nano - charged_nano)::bigint AS nano FROM ledger.accounts",
  );
  assert.equal(liabilities.balance, roubles(owed[0]?.nano ?? 0n));
  assert.ok(Number(liabilities.balance) >= Number(roubles(available + held)));
  // Of an hour that is not over it is told as far as it has come; of one that is to come, nothing.
  assert.deepEqual(
    [hours.length, hours.filter((hour) => hour.today === null).length],
    [24, 23 - (compared?.hours ?? 0)],
  );
  assert.ok(hours.every(({ yesterday, weekAgo }) => yesterday === "0" && weekAgo === "0"));
  assert.deepEqual(
    [overview.payments, overview.belowCost, overview.parkedReceipts],
    [{ unmatched: 0, late: 0 }, [], 0],
  );
  assert.deepEqual(
    overview.topAccounts.map(({ accountId, revenue, requests }) => [accountId, revenue, requests]),
    [[customer.accountId, roubles(charged), 12]],
  );
  assert.deepEqual(
    overview.topModels.map(({ name, requests }) => [name, requests]),
    [
      ["second", 6],
      ["priced", 4],
      ["unpriced", 2],
    ],
  );
});

test("an account's spend of thirty days is what it was charged, money and state beside it", async () => {
  const { charged, available } = await scene.money(customer.accountId);
  const { data } = await listAnyAccounts(scene.db, { search: customer.accountId, blocked: null });
  assert.deepEqual(
    data.map(({ spent30Days, available: free, blocked }) => [spent30Days, free, blocked]),
    [[roubles(charged), roubles(available), null]],
  );
});

test("requests are found by account, key, model, state and upstream, page by page, with attempts and the end of the hold", async () => {
  const deps = { books: booksOf(scene.db), clock: systemClock };
  const prices = createPriceHistory(scene.db, { UPSTREAM_KEY: UPSTREAM_CREDENTIAL });
  const count = async (query: Parameters<typeof listAnyRequests>[1]): Promise<number> =>
    (await listAnyRequests(deps, query)).data.length;
  assert.deepEqual(
    await Promise.all([
      count({}),
      count({ accountId: customer.accountId }),
      count({ keyHash: customer.key.hash, model: "second" }),
      count({ keyHash: "0".repeat(64) }),
      count({ upstream: "dead" }),
      count({ upstream: "good" }),
      count({ state: "failed" }),
      count({ from: new Date(Date.now() + 60_000) }),
    ]),
    [12, 12, 6, 0, 6, 12, 0, 0],
  );
  const first = await listAnyRequests(deps, { limit: 7 });
  const second = await listAnyRequests(deps, {
    limit: 7,
    cursor: parseRequestId(first.nextCursor ?? ""),
  });
  assert.deepEqual([first.data.length, second.data.length, second.nextCursor], [7, 5, null]);
  const [failedOver] = (await listAnyRequests(deps, { upstream: "dead", limit: 1 })).data;
  assert.deepEqual(
    [failedOver?.upstream, failedOver?.failedAttempts, failedOver?.upstreamCost],
    ["good", 1, roubles(COST)],
  );
  const receipt = await readAnyRequest(deps.books, prices, failedOver?.id ?? "");
  assert.deepEqual(
    receipt.attempts.map(({ upstream, upstreamModel, outcome }) => [
      upstream,
      upstreamModel,
      outcome,
    ]),
    [
      ["dead", "nobody", "failed"],
      ["good", "priced", "delivered"],
    ],
  );
  assert.deepEqual(
    receipt.entries.map(({ kind, amount }) => [kind, amount]),
    [["charge", roubles(PRICE)]],
  );
  assert.deepEqual(
    [
      receipt.accountName,
      receipt.trail[0]?.kind,
      receipt.trail.some(({ kind }) => kind === "charge"),
    ],
    ["test", "hold", true],
  );
  assert.equal(receipt.price?.price, roubles(PRICE));
  await assert.rejects(
    readAnyRequest(deps.books, prices, "req_00000000000000000000000000000000"),
    /no such request/,
  );
});

test("other prices are tried on what was used: the double costs the double, a model that is gone has none, and cost, margin and total stand beside", async () => {
  const { source } = (await newestVersion(scene.db)) ?? { source: "" };
  const double = source
    .replaceAll(
      'price: { input: "100", output: "1000" }',
      'price: { input: "200", output: "2000" }',
    )
    .replace("  unpriced:", "  renamed:");
  const deps = { db: scene.db, clock: systemClock, env: { UPSTREAM_KEY: UPSTREAM_CREDENTIAL } };
  const { models, sampled, total } = await dryRun(deps, double);
  const { requests, charged, wouldBe, cost, margin, belowCost } = total;
  assert.deepEqual(
    [requests, charged, wouldBe, cost, margin, belowCost],
    [
      12,
      roubles(12n * PRICE),
      roubles(20n * PRICE),
      roubles(10n * COST),
      roubles(20n * PRICE - 10n * COST),
      false,
    ],
  );
  assert.deepEqual(
    [
      sampled,
      models.map(({ model, requests, charged, wouldBe }) => [model, requests, charged, wouldBe]),
    ],
    [
      false,
      [
        ["second", 6, roubles(6n * PRICE), roubles(12n * PRICE)],
        ["priced", 4, roubles(4n * PRICE), roubles(8n * PRICE)],
        ["unpriced", 2, roubles(2n * PRICE), null],
      ],
    ],
  );
});

test("the gateways verify the ledger by themselves, one for all", async () => {
  const status = await until("a verification was done", async () => {
    const found = await readLedgerStatus(scene.db);
    return found.last === null ? null : found;
  });
  assert.deepEqual(
    [status.last?.state, status.last?.mismatchCount, status.last?.askedBy],
    ["done", 0, null],
  );
  const rows = await scene.db.query("SELECT 1 FROM operate.verifications");
  assert.equal(rows.length, 1);
});
