/**
 * Protects: taking a route out and noting of an account leave one row in the audit log each, and
 * none where nothing changed; lists are sorted as asked for, page by page.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bookReceipts } from "../../../../test/support/book-receipts.ts";
import { booksOf, listsOf } from "../../../../test/support/books-of.ts";
import { testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { newKey } from "../../../../test/support/new-customer.ts";
import {
  openPanelEndpoint,
  panelMember,
  type PanelAnswer,
  type PanelEndpoint,
} from "../../../../test/support/panel-endpoint.ts";
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import { createAccount } from "../../../business/accounts/create-account.ts";
import { applyCatalogue } from "../../../business/operate/apply-catalogue.ts";
import { commandActor } from "../../../business/operate/operator.ts";
import { createPriceHistory } from "../../../business/requests/price-history.ts";
import { createLiveCatalogue, type LiveCatalogue } from "../../../catalogue/live-catalogue.ts";
import { newestVersion } from "../../../catalogue/store.ts";
import type {
  OperatorAccountDetail,
  OperatorAccountList,
} from "../../../contract/panel/operator-accounts.ts";
import type { AuditList } from "../../../contract/panel/operator-audit.ts";
import type {
  OperatorPaymentList,
  OperatorPaymentTotals,
} from "../../../contract/panel/operator-payments.ts";
import type { RoutesOut, UpstreamsReport } from "../../../contract/panel/operator-upstreams.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { newUuid, type Uuid } from "../../../kernel/ids.ts";
import { nano } from "../../../kernel/money.ts";
import { createOutgoing } from "../../../net/outgoing.ts";
import { createTokenHash } from "../../../kernel/opaque-token.ts";
import { credit } from "../../../ledger/transfers.store.ts";
import { operatorRoutes } from "../operator-routes.ts";

const SOURCE = `
upstreams:
  first: { protocol: openai, baseUrl: "http://127.0.0.1:9", apiKeyEnv: KEY }
  second: { protocol: openai, baseUrl: "http://127.0.0.1:9", apiKeyEnv: KEY }
models:
  one: { type: chat, endpoints: [chat.completions], contextTokens: 20000, maxOutputTokens: 1000, price: { input: "100", output: "1000" },
         routes: [{ upstream: first, model: a }, { upstream: second, model: a }] }
`;
const ENV = { KEY: "secret-of-the-upstream" };

const outgoing = createOutgoing();
let database: TestDatabase;
let catalogue: LiveCatalogue;
let endpoint: PanelEndpoint;
let operator: MemberCaller;

before(async () => {
  database = await testDatabase();
  const { db } = database;
  await applyCatalogue(db, {
    source: SOURCE,
    env: ENV,
    appliedBy: "test",
    actor: commandActor("test"),
  });
  catalogue = await createLiveCatalogue({
    load: (above) => newestVersion(db, above),
    env: ENV,
    onRejected: () => undefined,
    onChanged: () => undefined,
    onError: () => undefined,
  });
  endpoint = await openPanelEndpoint(
    operatorRoutes({
      db,
      env: ENV,
      catalogue,
      outgoing,
      clock: systemClock,
      books: booksOf(db),
      lists: listsOf(db),
      prices: createPriceHistory(db, ENV),
      staticUrl: () => "http://files.test",
      media: { toPng: () => Promise.reject(new Error("no test of this file draws")) },
      hashToken: createTokenHash("a secret of at least thirty-two characters"),
      topUps: { payments: null, stopping: new AbortController().signal },
    }),
  );
  operator = panelMember({
    accountId: await newAccount("The business"),
    operator: true,
    role: "viewer",
    email: "op@example.test",
  });
});
after(async () => {
  await endpoint.close();
  catalogue.close();
  await outgoing.close();
  await database.drop();
});

async function newAccount(name: string): Promise<Uuid> {
  const outcome = await createAccount(database.db, { name, email: null, operator: false });
  assert.ok(outcome.kind === "created");
  return outcome.accountId;
}

const ask = (method: "GET" | "POST", rest: string, body: unknown = null): Promise<PanelAnswer> =>
  endpoint.ask(operator, method, `/panel/api/operator/${rest}`, body);

async function audited(action: string): Promise<AuditList["data"]> {
  return (await ask("GET", `audit?action=${action}`)).json<AuditList>().data;
}

const outNow = async (): Promise<readonly (readonly [string, string | null])[]> => {
  const { routes, upstreams } = (await ask("GET", "upstreams")).json<UpstreamsReport>();
  return [
    ...upstreams.flatMap(({ name, out }) => (out === null ? [] : [[name, null] as const])),
    ...routes.flatMap(({ upstream, upstreamModel, out }) =>
      out === null ? [] : [[upstream, upstreamModel] as const],
    ),
  ];
};

test("a route is out by itself or with its upstream, each with one row in the log; putting back what is not out is none", async () => {
  const route = { upstream: "first", upstreamModel: "a" };
  const taken = await ask("POST", "upstreams/take-out", {
    ...route,
    minutes: 60,
    reason: "too slow",
  });
  const { data } = taken.json<RoutesOut>();
  assert.deepEqual(
    [taken.status, data.map(({ upstream, upstreamModel }) => [upstream, upstreamModel])],
    [200, [["first", "a"]]],
  );
  await ask("POST", "upstreams/take-out", { upstream: "second", upstreamModel: null, minutes: 1 });
  assert.deepEqual(await outNow(), [
    ["second", null],
    ["first", "a"],
  ]);
  const [, logged] = await audited("route.take_out");
  assert.deepEqual(
    [logged?.actor, logged?.subject, logged?.reason, logged?.before],
    ["op@example.test", "first/a", "too slow", { out: false, until: null }],
  );
  for (let i = 0; i < 2; i++)
    assert.equal((await ask("POST", "upstreams/put-back", { ...route })).status, 200);
  assert.equal((await audited("route.put_back")).length, 1);
  assert.deepEqual(await outNow(), [["second", null]]);
  await ask("POST", "upstreams/put-back", { upstream: "second", upstreamModel: null });
});

test("what is not in the catalogue, and a time that cannot be, are refused without a row", async () => {
  const known = (await audited("route.take_out")).length;
  for (const [body, status] of [
    [{ upstream: "third", upstreamModel: null, minutes: 1 }, 404],
    [{ upstream: "first", upstreamModel: "b", minutes: 1 }, 404],
    [{ upstream: "first", upstreamModel: "a", minutes: 0 }, 400],
    [{ upstream: "first", upstreamModel: "a", minutes: 60 * 24 * 31 }, 400],
    [{ upstream: "first", upstreamModel: "a", minutes: 1, reason: " " }, 400],
  ] as const)
    assert.equal((await ask("POST", "upstreams/take-out", body)).status, status);
  assert.equal((await audited("route.take_out")).length, known);
  assert.deepEqual(await outNow(), []);
});

test("notes are the operators', change with one row, and find their account by its tag", async () => {
  const accountId = await newAccount("Daisy");
  const notes = `accounts/${accountId}/notes`;
  const body = { note: " pays by invoice ", tags: ["vip", "школа № 57", "vip"] };
  const noted = (await ask("POST", notes, body)).json<OperatorAccountDetail>();
  assert.deepEqual([noted.note, noted.tags], ["pays by invoice", ["vip", "школа № 57"]]);
  assert.equal((await ask("POST", notes, body)).status, 200);
  const rows = (await audited("account.notes")).filter((row) => row.accountId === accountId);
  assert.deepEqual(
    rows.map(({ before, after }) => [before, after]),
    [
      [
        { note: "", tags: [] },
        { note: "pays by invoice", tags: ["vip", "школа № 57"] },
      ],
    ],
  );
  const byTag = (await ask("GET", "accounts?tag=vip")).json<OperatorAccountList>();
  assert.deepEqual(
    byTag.data.map((account) => account.accountId),
    [accountId],
  );
  await ask("POST", notes, { note: "", tags: [] });
  assert.deepEqual((await ask("GET", "accounts?tag=vip")).json<OperatorAccountList>().data, []);
  assert.equal((await ask("POST", `accounts/${newUuid()}/notes`, body)).status, 404);
  const many = Array.from({ length: 11 }, (_, at) => `t${at}`);
  for (const wrong of [{ note: "", tags: many }, { note: "", tags: ["a,b"] }, { note: "" }])
    assert.equal((await ask("POST", notes, wrong)).status, 400);
});

test("accounts are sorted by spend, balance or last request, page by page, and each stands once", async () => {
  const { db } = database;
  const ids: Uuid[] = [];
  for (const [at, roubles] of [30n, 10n, 20n].entries()) {
    const accountId = await newAccount(`sorted ${at}`);
    ids.push(accountId);
    await db.transaction((tx) =>
      credit(tx, {
        accountId,
        amountNano: nano(roubles * 1_000_000_000n),
        reference: `sorted:${accountId}`,
        kind: "topup",
        creditClass: "paid",
        note: "a test",
      }),
    );
  }
  const [a, b, c] = ids;
  assert.ok(a !== undefined && b !== undefined && c !== undefined);
  for (const [accountId, roubles] of [
    [a, 1n],
    [b, 3n],
    [c, 2n],
  ] as const)
    await bookReceipts(db, [
      {
        requestId: newUuid(),
        accountId,
        keyId: null,
        receipt: null,
        chargeNano: nano(roubles * 1_000_000_000n),
      },
    ]);
  const { key } = await newKey(db, c);
  await db.query("UPDATE keys.keys SET last_used_at = clock_timestamp() WHERE hash = $1", [
    key.hash,
  ]);
  const sorted = async (sort: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: OperatorAccountList = (
        await ask(
          "GET",
          `accounts?search=sorted&limit=1&sort=${sort}${cursor === "" ? "" : `&cursor=${cursor}`}`,
        )
      ).json();
      found.push(...page.data.map(({ accountId }) => accountId));
      cursor = page.nextCursor;
    }
    return found;
  };
  assert.deepEqual(await sorted("newest"), [c, b, a]);
  assert.deepEqual(await sorted("spent"), [b, c, a]);
  assert.deepEqual(await sorted("balance"), [a, c, b]);
  assert.deepEqual(await sorted("seen"), [c, b, a], "those that never were go by their age");
  assert.equal((await ask("GET", "accounts?sort=spent&cursor=x")).status, 400);
  const csv = await ask("GET", "accounts.csv?search=sorted&sort=balance&language=ru");
  const [head = "", ...lines] = csv.text.trimEnd().split("\r\n");
  assert.match(head, /^\uFEFF?Открыт \(UTC\);Аккаунт;/);
  assert.deepEqual(
    lines.map((line) => line.split(";")[1]),
    ["sorted 0", "sorted 2", "sorted 1"],
  );
});

test("no name, address or tag of an account begins a formula in the file of accounts", async () => {
  const { db } = database;
  const [formula, address] = ['=HYPERLINK("https://x.example/";"csvsafe")', "+1-2@example.test"];
  const outcome = await createAccount(db, { name: formula, email: address, operator: false });
  assert.ok(outcome.kind === "created");
  await ask("POST", `accounts/${outcome.accountId}/notes`, { note: "=1+1", tags: ["@sum(a1)"] });
  const csv = await ask("GET", "accounts.csv?search=csvsafe");
  const [, line = ""] = csv.text.trimEnd().split("\r\n");
  assert.ok(line.includes(`,"'${formula.replaceAll('"', '""')}",`), line);
  assert.ok(line.includes(`,'${address},`), line);
  assert.ok(line.endsWith(",'@sum(a1)"), line);
  assert.doesNotMatch(csv.text, /1\+1/, "a note stays in the panel");
});

test("payments of all accounts are listed newest first, by state, by account, and found by the provider's number; what they add up to follows the filters", async () => {
  const { db } = database;
  const [one, two] = [await newAccount("pays"), await newAccount("pays too")];
  const pay = async (accountId: Uuid, state: string, number: string | null) => {
    const paymentId = newUuid();
    await db.query(
      "INSERT INTO directory.payments (payment_id, account_id, provider, provider_payment_id) VALUES ($1, $2, 'yookassa', $3)",
      [paymentId, accountId, number],
    );
    await db.query(
      `INSERT INTO payments.payments (account_id, payment_id, provider, method, locale, amount_nano, return_url, state, provider_payment_id, reason, ended_at)
       VALUES ($1, $2, 'yookassa', 'sbp', 'ru', 10000000000, 'https://x.example/', $3::payments.state, $4, CASE $3 WHEN 'failed' THEN 'mismatch' END,
         CASE $3 WHEN 'failed' THEN clock_timestamp() END)`,
      [accountId, paymentId, state, number],
    );
    return paymentId;
  };
  const first = await pay(one, "pending", "2d8c-1");
  const second = await pay(two, "failed", "2d8c-2");
  const third = await pay(one, "created", null);
  const listed = async (query: string): Promise<string[]> =>
    (await ask("GET", `payments${query}`))
      .json<OperatorPaymentList>()
      .data.map(({ paymentId }) => paymentId);
  assert.deepEqual(await listed(""), [third, second, first]);
  assert.deepEqual(await listed("?state=failed"), [second]);
  assert.deepEqual(await listed(`?account=${one}`), [third, first]);
  assert.deepEqual(await listed(`?account=${one}&state=pending`), [first]);
  for (const number of ["2d8c-1", first, first.toUpperCase()])
    assert.deepEqual(await listed(`?number=${number}`), [first], number);
  assert.deepEqual(await listed("?number=2d8c-1&state=failed"), []);
  assert.deepEqual(await listed("?number=nothing"), []);
  const page = (await ask("GET", "payments?limit=2")).json<OperatorPaymentList>();
  assert.deepEqual(
    [page.data.length, await listed(`?limit=2&cursor=${page.nextCursor}`)],
    [2, [first]],
  );
  const [shown] = page.data;
  assert.deepEqual([shown?.accountName, shown?.amount, shown?.refunded], ["pays", "10", "0"]);

  const totals = async (query: string): Promise<unknown[]> => {
    const answer = await ask("GET", `payments/totals${query}`);
    const { payments, succeeded, credited, refunded, open, atLeast } =
      answer.json<OperatorPaymentTotals>();
    return [payments, succeeded, credited, refunded, open, atLeast];
  };
  assert.deepEqual(await totals(""), [3, 0, "0", "0", "20", false]);
  await db.query(
    `UPDATE payments.payments SET state = 'succeeded', entry_id = $2, ended_at = clock_timestamp(), refunded_nano = 2500000000
     WHERE payment_id = $1`,
    [first, newUuid()],
  );
  assert.deepEqual(await totals(""), [3, 1, "10", "2.5", "10", false]);
  assert.deepEqual(await totals(`?account=${one}`), [2, 1, "10", "2.5", "10", false]);
  assert.deepEqual(await totals("?state=failed"), [1, 0, "0", "0", "0", false]);
  assert.deepEqual(await totals(`?account=${two}&state=succeeded`), [0, 0, "0", "0", "0", false]);
});
