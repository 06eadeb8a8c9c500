/**
 * Guarantee: of two who change the same alert, notes, limits or role from what they both saw, one is
 * refused, whatever process serves each; who names no revision changes what there is.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { insertMember } from "../../src/accounts/store.ts";
import { changeMemberRole, roleRevision } from "../../src/business/members/change-role.ts";
import { listMembers } from "../../src/business/members/list-members.ts";
import { limitAccount } from "../../src/business/operate/limit-account.ts";
import { noteAccount } from "../../src/business/operate/note-account.ts";
import { readAnyAccount } from "../../src/business/operate/read-any-account.ts";
import type { Alert, AlertChange } from "../../src/contract/panel/alert.ts";
import type { OperatorAccountDetail } from "../../src/contract/panel/operator-accounts.ts";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { Fault } from "../../src/kernel/faults.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { openAlertWorld } from "../alerts/alert-world.ts";
import { booksOf } from "../support/books-of.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { panelMember } from "../support/panel-endpoint.ts";

const REFUSED = "conflict changed_meanwhile";
const OPERATOR = { memberId: newUuid(), email: "staff@example.com" };

let database: TestDatabase;
/** Of another process, as far as the database can tell. */
let other: Db;
before(async () => {
  database = await testDatabase();
  other = openDatabase({
    url: database.url,
    poolSize: 5,
    applicationName: "another process",
    onError: () => undefined,
  });
});
after(async () => {
  await other.close();
  await database.drop();
});

async function outcomeOf(change: Promise<unknown>): Promise<string> {
  try {
    await change;
    return "changed";
  } catch (error) {
    if (error instanceof Fault) return `${error.code} ${error.details.reason ?? ""}`;
    throw error;
  }
}

/** Both at once, from what there is now; then a third, and one that names nothing. */
async function oneWins(change: (db: Db, at: number, late?: true) => Promise<unknown>) {
  const both = await Promise.all([outcomeOf(change(database.db, 1)), outcomeOf(change(other, 2))]);
  assert.deepEqual(both.toSorted(), ["changed", REFUSED]);
  assert.equal(await outcomeOf(change(other, 3)), REFUSED);
  assert.equal(await outcomeOf(change(other, 4, true)), "changed");
}

function detailOf(accountId: Uuid): Promise<OperatorAccountDetail> {
  const { db } = database;
  return readAnyAccount({ db, books: booksOf(db), clock: systemClock }, accountId);
}

test("notes and tags of an account", async () => {
  const accountId = await newAccount(database.db, "0");
  for (const tags of [[], ["vip"]]) {
    await noteAccount(database.db, OPERATOR, accountId, { note: "as it was", tags });
    const { notesRevision: revision } = await detailOf(accountId);
    await oneWins((db, at, late) =>
      noteAccount(db, OPERATOR, accountId, {
        note: `note ${at}`,
        tags,
        ...(late === true ? {} : { revision }),
      }),
    );
    assert.equal((await detailOf(accountId)).note, "note 4");
  }
});

test("limits of an account; its notes are no change of them", async () => {
  const accountId = await newAccount(database.db, "0");
  const { limitsRevision: revision } = await detailOf(accountId);
  await noteAccount(database.db, OPERATOR, accountId, { note: "x", tags: [] });
  await oneWins((db, at, late) =>
    limitAccount(db, OPERATOR, accountId, {
      ...(at % 2 === 0 ? { maxTasks: at } : { requestsPerMinute: at }),
      reason: null,
      ...(late === true ? {} : { revision }),
    }),
  );
  const rows = await database.db.query(
    "SELECT 1 FROM audit.actions WHERE account_id = $1 AND action = 'account.limits'",
    [accountId],
  );
  assert.equal(rows.length, 2, "what was refused is in no log");
});

test("the role of a member", async () => {
  const { db } = database;
  const accountId = await newAccount(db, "0");
  const owner = panelMember({ accountId });
  const memberId = newUuid();
  for (const [id, role] of [
    [owner.memberId, "owner"],
    [memberId, "viewer"],
  ] as const)
    await insertMember(db, {
      memberId: id,
      accountId,
      email: `${id}@example.com`,
      passwordHash: "$argon2id$x",
      mustChangePassword: false,
      operator: false,
      role,
      language: "ru",
      verified: true,
    });
  const { members } = await listMembers({ db }, owner);
  const was = members.find((one) => one.memberId === memberId)?.role ?? "owner";
  const revision = roleRevision(was);
  const roles = ["manager", "developer", "owner", "manager"] as const;
  await oneWins((through, at, late) =>
    changeMemberRole({ db: through }, owner, {
      memberId,
      role: roles[at - 1] ?? "viewer",
      ...(late === true ? {} : { revision }),
    }),
  );
});

test("an alert; switching it off and on is no change of it, and what it watches is", async () => {
  const one = await openAlertWorld({ databaseUrl: database.url, works: false });
  const two = await openAlertWorld({ databaseUrl: database.url, works: false });
  try {
    const owner = panelMember({ accountId: await newAccount(database.db, "100") });
    const made = await one.endpoint.ask(owner, "POST", "/panel/api/alerts", {
      kind: "spend_day",
      threshold: "500",
    });
    const { alertId, revision } = made.json<Alert>();
    const change = async (
      world: typeof one,
      body: AlertChange,
    ): Promise<readonly [number, string | null | undefined]> => {
      const answer = await world.endpoint.ask(owner, "POST", `/panel/api/alerts/${alertId}`, body);
      const { error } = answer.json<Partial<PanelErrorBody>>();
      return [answer.status, error?.reason];
    };
    assert.deepEqual(await change(one, { enabled: false }), [200, undefined]);
    const both = await Promise.all([
      change(one, { threshold: "600", revision }),
      change(two, { webhookUrl: "https://example.com/hook", revision }),
    ]);
    assert.deepEqual(both.map(([status]) => status).toSorted(), [200, 409]);
    assert.deepEqual(await change(two, { threshold: "700", revision }), [409, "changed_meanwhile"]);
    assert.deepEqual(await change(two, { threshold: "700" }), [200, undefined]);
  } finally {
    await one.close();
    await two.close();
  }
});
