/**
 * Protects operators' routes: only they find them, each change leaves one row in the audit log, and
 * a refused one none and no change.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
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
import { createLiveCatalogue, type LiveCatalogue } from "../../../catalogue/live-catalogue.ts";
import { newestVersion } from "../../../catalogue/store.ts";
import type { AuditList } from "../../../contract/panel/operator-audit.ts";
import type {
  MoneyMoved,
  OperatorAccountDetail,
} from "../../../contract/panel/operator-accounts.ts";
import type {
  CatalogueApplied,
  CatalogueCheck,
} from "../../../contract/panel/operator-catalogue.ts";
import { applyCatalogue } from "../../../business/operate/apply-catalogue.ts";
import { createAccount } from "../../../business/accounts/create-account.ts";
import { commandActor } from "../../../business/operate/operator.ts";
import { setKeyFrozen } from "../../../keys/change.store.ts";
import { holdIn } from "../../../ledger/holds.store.ts";
import { verifyLedger } from "../../../business/operate/verify-ledger.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { createTokenHash } from "../../../kernel/opaque-token.ts";
import { newUuid, type Uuid } from "../../../kernel/ids.ts";
import { createOutgoing } from "../../../net/outgoing.ts";
import { moneyCatalogue } from "../../../../test/money/money-catalogue.ts";
import { exactHold } from "../../../../test/ledger/ledger-world.ts";
import { createPriceHistory } from "../../../business/requests/price-history.ts";
import type { Route } from "../../route.ts";
import { operatorRoutes } from "../operator-routes.ts";

const ENV = {
  SCRIPTED_API_KEY: "secret-of-the-upstream",
  DATABASE_URL: "postgresql://nobody:hidden@nowhere/none",
};
const SOURCE = moneyCatalogue("http://127.0.0.1:9");
const ROUBLE = 1_000_000_000n;

const outgoing = createOutgoing();
let database: TestDatabase;
let catalogue: LiveCatalogue;
let routes: Route[];
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
  routes = operatorRoutes({
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
  });
  endpoint = await openPanelEndpoint(routes);
  operator = panelMember({
    accountId: await newAccount(),
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

async function newAccount(): Promise<Uuid> {
  const outcome = await createAccount(database.db, {
    name: "customer",
    email: null,
    operator: false,
  });
  assert.ok(outcome.kind === "created");
  return outcome.accountId;
}

function path(rest: string): string {
  return `/panel/api/operator/${rest}`;
}

async function audited(): Promise<AuditList["data"]> {
  const found: AuditList["data"] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: AuditList = (
      await endpoint.ask(
        operator,
        "GET",
        path(`audit?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`),
      )
    ).json();
    found.push(...page.data);
    cursor = page.nextCursor;
  }
  return found;
}

/** What it answered, and the rows that it left in the log, newest first. */
async function change(
  rest: string,
  body: unknown,
): Promise<{ answer: PanelAnswer; rows: AuditList["data"] }> {
  const known = new Set((await audited()).map(({ auditId }) => auditId));
  const answer = await endpoint.ask(operator, "POST", path(rest), body);
  return { answer, rows: (await audited()).filter(({ auditId }) => !known.has(auditId)) };
}

test("to members who are no operators every route is the 404 of a path that is not there, and to others it asks for a session", async () => {
  const owner = panelMember({ accountId: operator.accountId, role: "owner" });
  const nowhere = await endpoint.ask(owner, "GET", path("nowhere"));
  const errorOf = (answer: PanelAnswer): unknown => {
    const { error } = answer.json<{ error: { code: string; message: string } }>();
    return [error.code, error.message];
  };
  let asked = 0;
  for (const route of routes) {
    if (!route.path.startsWith("/panel/api/operator")) continue;
    const target = route.path.replace("{id}", newUuid()).replace("{version}", "1");
    const body = route.method === "GET" ? null : {};
    const answer = await endpoint.ask(owner, route.method, target, body);
    assert.deepEqual(
      [answer.status, errorOf(answer)],
      [404, errorOf(nowhere)],
      `${route.method} ${route.path}`,
    );
    assert.equal((await endpoint.ask(null, route.method, target, body)).status, 401, route.path);
    asked += 1;
  }
  assert.ok(asked >= 20);
});

test("a credit is booked once per reference, with one row that says what it did", async () => {
  const accountId = await newAccount();
  const body = { amount: "150.5", reason: "bank transfer 17", ref: `bank:${accountId}` };
  const { answer, rows } = await change(`accounts/${accountId}/credit`, body);
  assert.equal(answer.status, 200);
  const moved = answer.json<MoneyMoved>();
  assert.deepEqual([moved.outcome, moved.balance, moved.available], ["booked", "150.5", "150.5"]);
  const [row] = rows;
  assert.equal(rows.length, 1);
  assert.deepEqual(
    [row?.action, row?.memberId, row?.actor, row?.accountId, row?.subject, row?.reason],
    [
      "account.credit",
      operator.memberId,
      "op@example.test",
      accountId,
      moved.entryId,
      "bank transfer 17",
    ],
  );
  assert.deepEqual(row?.before, { balance: "0", available: "0" });
  assert.deepEqual(row?.after, {
    balance: "150.5",
    available: "150.5",
    amount: "150.5",
    class: "paid",
    ref: body.ref,
  });

  const again = await change(`accounts/${accountId}/credit`, body);
  assert.deepEqual(
    [again.answer.json<MoneyMoved>().outcome, again.answer.json<MoneyMoved>().balance],
    ["repeated", "150.5"],
  );
  assert.deepEqual(again.rows, []);
  for (const [target, other, status] of [
    [await newAccount(), body, 409],
    [accountId, { ...body, amount: "1" }, 409],
    [newUuid(), { ...body, ref: "another" }, 404],
    [accountId, { ...body, amount: "-1", ref: "another" }, 400],
    [accountId, { ...body, amount: "0", ref: "another" }, 400],
    [accountId, { amount: "1", ref: "another" }, 400],
    [accountId, { amount: "1", reason: " ", ref: "another" }, 400],
  ] as const) {
    const refused = await change(`accounts/${target}/credit`, other);
    assert.deepEqual([refused.answer.status, refused.rows], [status, []]);
  }
});

test("a correction takes at most what is not held, and says how much that is", async () => {
  const { db } = database;
  const accountId = await newAccount();
  await change(`accounts/${accountId}/credit`, {
    amount: "100",
    reason: "start",
    ref: `start:${accountId}`,
  });
  assert.equal((await holdIn(db, exactHold(accountId, 40n * ROUBLE))).kind, "held");
  const tooMuch = await change(`accounts/${accountId}/adjust`, {
    amount: "-60.000000001",
    reason: "too much",
  });
  assert.deepEqual([tooMuch.answer.status, tooMuch.rows], [402, []]);
  assert.match(tooMuch.answer.text, /Only 60 roubles of what was paid are available/);
  const taken = await change(`accounts/${accountId}/adjust`, {
    amount: "-60",
    reason: "charged twice elsewhere",
    ref: `fix:${accountId}`,
  });
  assert.deepEqual([taken.answer.status, taken.rows.length], [200, 1]);
  assert.deepEqual(
    [taken.answer.json<MoneyMoved>().balance, taken.answer.json<MoneyMoved>().available],
    ["40", "0"],
  );
  // The first time took all that there was: a second click is still told apart from a second
  // correction.
  const again = await change(`accounts/${accountId}/adjust`, {
    amount: "-60",
    reason: "charged twice elsewhere",
    ref: `fix:${accountId}`,
  });
  assert.deepEqual([again.answer.json<MoneyMoved>().outcome, again.rows], ["repeated", []]);
  const another = await newAccount();
  for (const [target, amount] of [
    [another, "-60"],
    [another, "60"],
    [accountId, "60"],
  ] as const) {
    const stolen = await change(`accounts/${target}/adjust`, {
      amount,
      reason: "another",
      ref: `fix:${accountId}`,
    });
    assert.deepEqual([stolen.answer.status, stolen.rows], [409, []]);
  }
  const given = await change(`accounts/${accountId}/adjust`, { amount: "5", reason: "a present" });
  assert.deepEqual([given.answer.json<MoneyMoved>().available, given.rows.length], ["5", 1]);
  for (const amount of ["0", "-0", "1000000000.1", "-1000000000.1", "x"]) {
    const refused = await change(`accounts/${accountId}/adjust`, { amount, reason: "no" });
    assert.deepEqual([refused.answer.status, refused.rows], [400, []], amount);
  }
  const { mismatches } = await verifyLedger(db);
  assert.deepEqual(mismatches, []);
});

test("an account is blocked and let go again, each with one row; its member sees why", async () => {
  const { db } = database;
  const accountId = await newAccount();
  await change(`accounts/${accountId}/credit`, {
    amount: "10",
    reason: "start",
    ref: `block:${accountId}`,
  });
  const blocked = await change(`accounts/${accountId}/block`, { reason: "an unpaid bill" });
  assert.deepEqual(
    [blocked.answer.status, blocked.rows.map(({ action }) => action)],
    [200, ["account.block"]],
  );
  assert.equal(blocked.answer.json<OperatorAccountDetail>().blocked?.reason, "an unpaid bill");
  assert.deepEqual(await holdIn(db, exactHold(accountId, ROUBLE)), { kind: "account-blocked" });
  const member = panelMember({ accountId, role: "viewer" });
  const seen = await endpoint.ask(member, "GET", "/panel/api/account/block");
  assert.equal(seen.json<{ blocked: { reason: string } }>().blocked.reason, "an unpaid bill");
  const twice = await change(`accounts/${accountId}/block`, { reason: "again" });
  assert.deepEqual([twice.answer.status, twice.rows], [409, []]);

  const open = await change(`accounts/${accountId}/unblock`, {});
  assert.deepEqual(
    [open.answer.status, open.answer.json<OperatorAccountDetail>().blocked],
    [200, null],
  );
  assert.deepEqual(
    open.rows.map(({ action }) => action),
    ["account.unblock"],
  );
  assert.equal((await holdIn(db, exactHold(accountId, ROUBLE))).kind, "held");
  const openAgain = await change(`accounts/${accountId}/unblock`, {});
  assert.deepEqual([openAgain.answer.status, openAgain.rows], [409, []]);
  assert.equal((await change(`accounts/${newUuid()}/block`, { reason: "x" })).answer.status, 404);
  assert.deepEqual((await endpoint.ask(member, "GET", "/panel/api/account/block")).json(), {
    blocked: null,
  });
});

test("limits are changed one by one, with what they were before; what changes nothing is not logged", async () => {
  const accountId = await newAccount();
  const first = await change(`accounts/${accountId}/limits`, {
    requestsPerMinute: 60,
    reason: "as agreed",
  });
  assert.deepEqual(first.answer.json<OperatorAccountDetail>().limits, {
    requestsPerMinute: 60,
    tokensPerMinute: null,
    maxConcurrent: null,
    maxTasks: null,
  });
  assert.equal(first.rows.length, 1);
  assert.deepEqual(first.rows[0]?.before, {
    requestsPerMinute: null,
    tokensPerMinute: null,
    maxConcurrent: null,
    maxTasks: null,
  });
  const same = await change(`accounts/${accountId}/limits`, { requestsPerMinute: 60 });
  assert.deepEqual([same.answer.status, same.rows], [200, []]);
  const refused = await change(`accounts/${accountId}/limits`, { requestsPerMinute: 0 });
  assert.deepEqual([refused.answer.status, refused.rows], [400, []]);
  assert.equal(
    (await change(`accounts/${newUuid()}/limits`, { maxConcurrent: 1 })).answer.status,
    404,
  );
});

test("a catalogue is checked without effect, applied on top of the version that was seen, and refused on top of any other", async () => {
  const inForce = async (): Promise<number> =>
    (await endpoint.ask(operator, "GET", path("catalogue"))).json<{ version: number }>().version;
  const version = await inForce();
  const dearer = SOURCE.replaceAll('output: "1000"', 'output: "2000"').replace(
    "model: broken, order: 1",
    "model: other, order: 1",
  );
  const check = (
    await endpoint.ask(operator, "POST", path("catalogue/check"), { source: dearer })
  ).json<CatalogueCheck>();
  assert.deepEqual([check.ok, check.inForce, check.unchanged], [true, version, false]);
  assert.ok(
    check.changes?.pricesChanged.some(
      ({ model, field, before: was, after: is }) =>
        `${model} ${field} ${was} ${is}` === "talk output 1000 2000",
    ),
  );
  assert.deepEqual(check.changes?.routesAdded, [
    { model: "second-route", route: "scripted/other" },
  ]);
  assert.deepEqual(check.changes?.routesRemoved, [
    { model: "second-route", route: "scripted/broken" },
  ]);
  const bad = (
    await endpoint.ask(operator, "POST", path("catalogue/check"), {
      source: SOURCE.replace("type: chat", "type: chatt"),
    })
  ).json<CatalogueCheck>();
  assert.ok(
    !bad.ok &&
      bad.changes === null &&
      bad.mistakes.some(({ line, path: place }) => line !== null && place.endsWith("type")),
  );
  assert.equal(await inForce(), version);

  const stale = await change("catalogue/apply", { source: dearer, expectedVersion: version + 1 });
  assert.deepEqual([stale.answer.status, stale.rows], [409, []]);
  const broken = await change("catalogue/apply", {
    source: "models: {}",
    expectedVersion: version,
  });
  assert.deepEqual([broken.answer.status, broken.rows], [400, []]);
  const applied = await change("catalogue/apply", {
    source: dearer,
    expectedVersion: version,
    note: "dearer from December",
    allowBigChange: true,
  });
  assert.equal(applied.answer.status, 200);
  assert.deepEqual(
    [
      applied.answer.json<CatalogueApplied>().version.version,
      applied.answer.json<CatalogueApplied>().version.note,
    ],
    [version + 1, "dearer from December"],
  );
  assert.deepEqual(
    applied.rows.map(({ action, subject }) => [action, subject]),
    [["catalogue.apply", `version ${version + 1}`]],
  );
  const twice = await change("catalogue/apply", { source: dearer, expectedVersion: version });
  assert.deepEqual([twice.answer.status, twice.rows], [409, []]);
  const same = await change("catalogue/apply", { source: dearer, expectedVersion: version + 1 });
  assert.deepEqual([same.answer.json<CatalogueApplied>().changed, same.rows], [false, []]);
  const versions = await endpoint.ask(operator, "GET", path("catalogue/versions?limit=1"));
  assert.deepEqual(
    versions.json<{ data: { version: number }[]; nextCursor: string }>().nextCursor,
    String(version + 1),
  );
  assert.equal(
    (await endpoint.ask(operator, "GET", path(`catalogue/versions/${version}`))).json<{
      source: string;
    }>().source,
    SOURCE,
  );
  assert.equal((await endpoint.ask(operator, "GET", path("catalogue/versions/999"))).status, 404);
});

test("two operators who apply at the same time: one does, the other is told", async () => {
  const { version } = (await endpoint.ask(operator, "GET", path("catalogue"))).json<{
    version: number;
  }>();
  const answers = await Promise.all(
    ["3000", "4000", "5000"].map((price) =>
      endpoint.ask(operator, "POST", path("catalogue/apply"), {
        source: SOURCE.replaceAll('"1000"', `"${price}"`),
        expectedVersion: version,
        allowBigChange: true,
      }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409]);
});

test("the gateway's own secrets go into no catalogue of the panel, and into no answer", async () => {
  const { version } = (await endpoint.ask(operator, "GET", path("catalogue"))).json<{
    version: number;
  }>();
  for (const source of [
    SOURCE.replaceAll("apiKeyEnv: SCRIPTED_API_KEY", "apiKeyEnv: DATABASE_URL"),
    SOURCE.replaceAll("http://127.0.0.1:9/v1", "https://elsewhere.example/${DATABASE_URL}"),
  ]) {
    const check = await endpoint.ask(operator, "POST", path("catalogue/check"), { source });
    assert.equal(check.json<CatalogueCheck>().ok, false);
    const refused = await change("catalogue/apply", { source, expectedVersion: version });
    assert.deepEqual([refused.answer.status, refused.rows], [400, []]);
    for (const { text } of [check, refused.answer])
      assert.ok(!text.includes("hidden") && !text.includes("secret-of-the-upstream"));
  }
  const upstreams = await endpoint.ask(operator, "GET", path("upstreams"));
  assert.ok(
    upstreams.text.includes("SCRIPTED_API_KEY") &&
      !upstreams.text.includes("secret-of-the-upstream"),
  );
});

test("a verification is asked for once, however often the button is pressed", async () => {
  const presses = await Promise.all(
    Array.from({ length: 4 }, () => endpoint.ask(operator, "POST", path("ledger/verify"), {})),
  );
  assert.deepEqual(
    presses.map(({ status }) => status),
    [202, 202, 202, 202],
  );
  assert.equal(
    new Set(presses.map((press) => press.json<{ verificationId: string }>().verificationId)).size,
    1,
  );
  assert.equal((await audited()).filter(({ action }) => action === "ledger.verify").length, 1);
});

test("accounts are found by name, e-mail, id, mask and hash, and by whether they are blocked", async () => {
  const { db } = database;
  const made = await createAccount(db, {
    name: "Пекарня «Заря»",
    email: "baker@bread.example",
    operator: false,
  });
  assert.ok(made.kind === "created");
  const { accountId } = made;
  await db.query(
    "INSERT INTO keys.keys (key_id, account_id, hash, mask, name) VALUES ($1, $2, $3, 'tg_live_QwEr…ZxCv', 'k')",
    [newUuid(), accountId, "f00d".repeat(16)],
  );
  const found = async (search: string): Promise<string[]> => {
    const answer = await endpoint.ask(
      operator,
      "GET",
      path(`accounts?search=${encodeURIComponent(search)}`),
    );
    return answer.json<{ data: { accountId: string }[] }>().data.map((each) => each.accountId);
  };
  for (const search of [
    "заря",
    "BAKER@",
    accountId,
    accountId.slice(0, 30),
    "tg_live_QwEr",
    "ZxCv",
    "tg_live_QwEr…ZxCv",
    "f00df00d",
  ]) {
    assert.deepEqual(await found(search), [accountId], search);
  }
  for (const search of ["zxcv", "%", "_", "nobody"])
    assert.deepEqual(await found(search), [], search);
  await change(`accounts/${accountId}/block`, { reason: "x" });
  const blocked = await endpoint.ask(operator, "GET", path("accounts?state=blocked"));
  assert.deepEqual(
    blocked.json<{ data: { accountId: string }[] }>().data.map((each) => each.accountId),
    [accountId],
  );
});

test("operators read names: an account's in the log, a member's role, and which of its keys is frozen", async () => {
  const { db } = database;
  const outcome = await createAccount(db, {
    name: "ООО «Ромашка»",
    email: `${newUuid()}@example.test`,
    operator: false,
  });
  assert.ok(outcome.kind === "created");
  const { accountId } = outcome;
  const { rows } = await change(`accounts/${accountId}/credit`, {
    amount: "1",
    reason: "gift",
    ref: `gift:${accountId}`,
  });
  assert.deepEqual(
    rows.map(({ accountName }) => accountName),
    ["ООО «Ромашка»"],
  );
  const [frozen, working] = [await newKey(db, accountId), await newKey(db, accountId)];
  await setKeyFrozen(db, frozen.key, true);
  const account = (
    await endpoint.ask(operator, "GET", path(`accounts/${accountId}`))
  ).json<OperatorAccountDetail>();
  assert.deepEqual(
    account.keys.map(({ hash, frozenAt }) => [hash, frozenAt === null]).toSorted(),
    [
      [frozen.key.hash, false],
      [working.key.hash, true],
    ].toSorted(),
  );
  assert.deepEqual(
    account.members.map(({ role }) => role),
    ["owner"],
  );
});
