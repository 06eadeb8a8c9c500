/**
 * Protects: lists and exports are read from the replica, and balances, keys and what decides are not;
 * a member who has just changed something reads what was changed. An empty database stands in for a
 * replica that has replayed nothing yet.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { booksOf } from "../../../test/support/books-of.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newAccount } from "../../../test/support/new-customer.ts";
import {
  openPanelEndpoint,
  panelMember,
  type PanelAnswer,
  type PanelEndpoint,
} from "../../../test/support/panel-endpoint.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { createPriceHistory } from "../../business/requests/price-history.ts";
import type { AccountLog } from "../../contract/panel/account-log.ts";
import type { LedgerPage } from "../../contract/panel/ledger-entry.ts";
import type { Overview } from "../../contract/panel/overview.ts";
import type { PanelKeyList } from "../../contract/panel/panel-key.ts";
import { systemClock } from "../../kernel/clock.ts";
import { accountLogRoutes } from "./account/account-log-routes.ts";
import { keyRoutes } from "./account/key-routes.ts";
import { ledgerRoutes } from "./account/ledger-routes.ts";
import { requestRoutes } from "./account/request-routes.ts";
import { spendRoutes } from "./account/spend-routes.ts";
import { createListSource } from "./list-source.ts";
import { markChanges } from "./mark-changes.ts";
import { changedCookie } from "./session-cookie.ts";

let primary: TestDatabase;
let replica: TestDatabase;
let endpoint: PanelEndpoint;
let owner: MemberCaller;
/** Times that a list asked whether there is a replica. */
let asked = 0;
let passedOver = false;

before(async () => {
  [primary, replica] = [await testDatabase(), await testDatabase()];
  const { db } = primary;
  const books = booksOf(db);
  const lists = createListSource({
    db,
    books,
    secure: () => false,
    reading() {
      asked++;
      return passedOver ? null : replica.db;
    },
  });
  const prices = createPriceHistory(db, {});
  const deps = { db, books, lists, prices, clock: systemClock };
  const routes = [
    ...spendRoutes(deps),
    ...keyRoutes(deps),
    ...requestRoutes(deps),
    ...ledgerRoutes(deps),
    ...accountLogRoutes(deps),
  ];
  endpoint = await openPanelEndpoint(markChanges(routes, () => changedCookie(6, false)));
  owner = panelMember({ accountId: await newAccount(db, "100") });
  assert.equal((await ask("POST", "keys", { name: "first" })).status, 201);
});
after(async () => {
  await endpoint.close();
  await primary.drop();
  await replica.drop();
});

function ask(
  method: "GET" | "POST",
  path: string,
  body: unknown = null,
  { member = owner, cookie = "" } = {},
): Promise<PanelAnswer> {
  return endpoint.ask(member, method, `/panel/api/${path}`, body, cookie === "" ? {} : { cookie });
}

const linesOf = ({ text }: PanelAnswer): number => text.trim().split("\n").length;

test("lists and exports are read from the replica", async () => {
  assert.deepEqual((await ask("GET", "log")).json<AccountLog>().data, []);
  assert.deepEqual((await ask("GET", "ledger")).json<LedgerPage>().data, []);
  assert.equal(linesOf(await ask("GET", "log.csv")), 1, "the heads alone");
  assert.equal(linesOf(await ask("GET", "ledger.csv")), 1, "the heads alone");
});

test("balances and keys are not", async () => {
  const until = asked;
  assert.equal((await ask("GET", "overview")).json<Overview>().balance, "100");
  assert.equal((await ask("GET", "keys")).json<PanelKeyList>().data.length, 1);
  assert.equal((await ask("GET", "ledger/turnover")).status, 200);
  assert.equal((await ask("GET", "ledger/days")).status, 200);
  assert.equal(asked, until);
});

test("who has just changed something reads what was changed, by a cookie of its browser", async () => {
  const made = await ask("POST", "keys", { name: "second" });
  const [set = ""] = made.headers.getSetCookie();
  assert.match(set, /^tollgate_changed=1; Path=\/; Max-Age=6; HttpOnly; SameSite=Lax$/);
  const [cookie = ""] = set.split(";");
  const { data } = (await ask("GET", "log", null, { cookie })).json<AccountLog>();
  assert.deepEqual(
    data.map(({ action }) => action),
    ["key.create", "key.create"],
  );
  assert.equal(linesOf(await ask("GET", "log.csv", null, { cookie })), 3);
  const read = await ask("GET", "log");
  assert.deepEqual(read.headers.getSetCookie(), [], "who reads has changed nothing");
  const refused = await ask("POST", "keys", { name: "" });
  assert.ok(refused.status >= 400);
  assert.deepEqual(refused.headers.getSetCookie(), [], "nor has who was refused");
});

test("a developer, whose keys decide what it sees, reads where they are", async () => {
  const member = panelMember({ accountId: owner.accountId, role: "developer" });
  const until = asked;
  assert.equal((await ask("GET", "requests", null, { member })).status, 200);
  assert.equal((await ask("GET", "requests.csv", null, { member })).status, 200);
  assert.equal(asked, until);
});

test("while the replica is passed over, lists are the primary's", async () => {
  passedOver = true;
  try {
    assert.ok((await ask("GET", "log")).json<AccountLog>().data.length > 0);
    assert.equal((await ask("GET", "ledger")).json<LedgerPage>().data.length, 1);
  } finally {
    passedOver = false;
  }
});
