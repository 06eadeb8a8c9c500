/**
 * Guards opening an account, on real PostgreSQL: name, books and member come together or not at
 * all; the password is shown once.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { verifyPassword } from "../../accounts/password.ts";
import { Fault } from "../../kernel/faults.ts";
import { createAccount } from "./create-account.ts";
import { listAccounts } from "./list-accounts.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

async function count(): Promise<bigint | undefined> {
  const sql =
    "SELECT (SELECT count(*) FROM accounts.accounts) + (SELECT count(*) FROM ledger.accounts) + (SELECT count(*) FROM accounts.members) AS rows";
  return (await database.db.query<{ rows: bigint }>(sql))[0]?.rows;
}

test("an account without e-mail has a name and empty books, and no login", async () => {
  const outcome = await createAccount(database.db, {
    name: "  ООО «Ромашка» ",
    email: null,
    operator: false,
  });
  assert.ok(outcome.kind === "created");
  assert.deepEqual([outcome.email, outcome.oneTimePassword], [null, null]);
  const [account] = (await listAccounts(database.db, {})).rows;
  assert.deepEqual(
    [account?.accountId, account?.name, account?.members, account?.balance?.availableNano],
    [outcome.accountId, "ООО «Ромашка»", [], 0n],
  );
});

test("with an e-mail there is a member whose one-time password opens and must be changed", async () => {
  const outcome = await createAccount(database.db, {
    name: "Second",
    email: " Anna@Example.COM ",
    operator: true,
  });
  assert.ok(outcome.kind === "created" && outcome.oneTimePassword !== null);
  assert.equal(outcome.email, "anna@example.com");
  const [account] = (await listAccounts(database.db, { limit: 1 })).rows;
  assert.deepEqual(
    account?.members.map(({ email, operator, mustChangePassword }) => [
      email,
      operator,
      mustChangePassword,
    ]),
    [["anna@example.com", true, true]],
  );
  const [stored] = await database.db.query<{ hash: string }>(
    "SELECT password_hash AS hash FROM accounts.members WHERE email = $1",
    ["anna@example.com"],
  );
  assert.equal(await verifyPassword(outcome.oneTimePassword, stored?.hash ?? ""), true);
});

test("an e-mail that a member has, in whatever case, creates nothing at all", async () => {
  const rows = await count();
  assert.deepEqual(
    await createAccount(database.db, { name: "Third", email: "ANNA@example.com", operator: false }),
    {
      kind: "email-taken",
    },
  );
  assert.equal(await count(), rows);
});

test("of many who take one e-mail at the same time, one gets it", async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      createAccount(database.db, {
        name: `Racer ${index}`,
        email: "race@example.com",
        operator: false,
      }),
    ),
  );
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), [
    "created",
    "email-taken",
    "email-taken",
    "email-taken",
    "email-taken",
  ]);
});

test("names, e-mails and operators that cannot be are refused by their field", async () => {
  const rows = await count();
  for (const [request, param] of [
    [{ name: "   ", email: null, operator: false }, "name"],
    [{ name: "x".repeat(201), email: null, operator: false }, "name"],
    [{ name: "two\nlines", email: null, operator: false }, "name"],
    [{ name: "x", email: "nobody", operator: false }, "email"],
    [{ name: "x", email: "a b@example.com", operator: false }, "email"],
    [{ name: "x", email: "a@b@c", operator: false }, "email"],
    [{ name: "x", email: `${"a".repeat(251)}@b.c`, operator: false }, "email"],
    [{ name: "x", email: null, operator: true }, "email"],
  ] as const) {
    await assert.rejects(
      createAccount(database.db, request),
      (error) =>
        error instanceof Fault && error.code === "invalid_request" && error.details.param === param,
    );
  }
  assert.equal(await count(), rows);
});

test("the list is paged by cursor, and a cursor or limit that cannot be is refused", async () => {
  const { rows } = await listAccounts(database.db, {});
  const all = rows.map(({ accountId }) => accountId);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listAccounts>> = await listAccounts(database.db, {
      limit: 2,
      cursor,
    });
    seen.push(...page.rows.map(({ accountId }) => accountId));
    cursor = page.next;
  } while (cursor !== null);
  assert.deepEqual(seen, all);
  const members = rows.flatMap((account) =>
    account.members.map((member) => [member.email, member.accountId === account.accountId]),
  );
  assert.deepEqual(
    members.toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    [
      ["anna@example.com", true],
      ["race@example.com", true],
    ],
  );
  for (const request of [{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { cursor: "x'; --" }]) {
    await assert.rejects(
      listAccounts(database.db, request),
      (error) => error instanceof Fault && error.code === "invalid_request",
    );
  }
});
