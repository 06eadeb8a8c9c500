/**
 * Guarantee: trial credit is given once for each mailbox, however it is spelled, whatever number of
 * processes confirm at once, and wherever one of them is killed: then neither the e-mail is confirmed
 * nor anything given, and the link works still.
 */
import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findMember } from "../../src/accounts/members.store.ts";
import { insertAccount, insertMember } from "../../src/accounts/store.ts";
import { putToken } from "../../src/accounts/tokens.store.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { createTokenHash, newOpaqueToken } from "../../src/kernel/opaque-token.ts";
import { balance, openAccount } from "../../src/ledger/accounts.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import type { ConfirmOrder } from "./confirm-worker.ts";

const SECRET = "a secret of at least thirty-two characters";
const hashToken = createTokenHash(SECRET);

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await trialOf("50");
});
after(async () => {
  const { mismatches } = await verifyLedger(database.db);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

async function trialOf(trial: string): Promise<void> {
  await database.db.query(
    `INSERT INTO installation.settings (version, settings, changed_by)
     SELECT coalesce(max(version), 0) + 1, $1, 'a test' FROM installation.settings`,
    [JSON.stringify({ signUp: { captcha: true, trial } })],
  );
}

interface SignedUp {
  readonly memberId: Uuid;
  readonly accountId: Uuid;
  readonly token: string;
}

async function signedUp(email: string): Promise<SignedUp> {
  const { db } = database;
  const [memberId, accountId, token] = [newUuid(), newUuid(), newOpaqueToken()];
  await db.transaction(async (tx) => {
    const inserted = await insertMember(tx, {
      memberId,
      accountId,
      email,
      passwordHash: "$argon2id$x",
      mustChangePassword: false,
      operator: false,
      role: "owner",
      language: "ru",
      verified: false,
    });
    assert.ok(inserted);
    await insertAccount(tx, { accountId, name: email });
    await openAccount(tx, accountId);
    await putToken(tx, { tokenHash: hashToken("verify", token), purpose: "verify", memberId });
  });
  return { memberId, accountId, token };
}

async function worker(
  tokens: readonly string[],
  lastStatement: number | null = null,
): Promise<ChildProcess> {
  const order: ConfirmOrder = { url: database.url, secret: SECRET, tokens, lastStatement };
  const child = fork(join(import.meta.dirname, "confirm-worker.ts"), [JSON.stringify(order)], {
    stdio: "inherit",
  });
  await once(child, "message");
  return child;
}

/** Resolves with the signal that ended it; null: it came to its end. */
async function letGo(children: readonly ChildProcess[]): Promise<(string | null)[]> {
  const ends = children.map((child) => once(child, "exit") as Promise<[number, string | null]>);
  for (const child of children) child.send("go");
  return (await Promise.all(ends)).map(([, signal]) => signal);
}

async function givenTo({ accountId }: SignedUp): Promise<string> {
  const found = await balance(database.db, accountId);
  return found === null ? "no account" : formatRoubles(found.balanceNano);
}

const confirmed = async ({ memberId }: SignedUp): Promise<boolean> =>
  (await findMember(database.db, memberId))?.verified === true;

test("of twenty spellings of one mailbox, confirmed at once by two processes, one is given it, in the class of trials", async () => {
  const people = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      signedUp(`a${at % 2 === 0 ? "." : ""}nna+${at}@${at % 3 === 0 ? "googlemail" : "gmail"}.com`),
    ),
  );
  const another = await signedUp("anna@example.test");
  const tokens = [...people, another].map(({ token }) => token);
  const ends = await letGo([
    await worker(tokens.filter((_, at) => at % 2 === 0)),
    await worker(tokens.filter((_, at) => at % 2 === 1)),
  ]);
  assert.deepEqual(ends, [null, null]);
  assert.ok((await Promise.all(people.map(confirmed))).every(Boolean));
  const given = await Promise.all(people.map(givenTo));
  assert.deepEqual(given.toSorted(), [...Array.from({ length: 19 }, () => "0"), "50"].toSorted());
  assert.equal(await givenTo(another), "50");
  const rows = await database.db.query<{ kind: string; class: string; note: string }>(
    "SELECT kind, class, note FROM ledger.entries WHERE account_id = $1",
    [another.accountId],
  );
  assert.deepEqual(rows, [{ kind: "topup", class: "trial", note: "Trial at sign-up" }]);
});

test("killed behind any statement it leaves nothing done, and the same link gives it then", async () => {
  let killed = 0;
  for (let last = 1; ; last++) {
    const person = await signedUp(`b${last}@example.test`);
    const [signal] = await letGo([await worker([person.token], last)]);
    if (signal === null) {
      assert.equal(await givenTo(person), "50");
      break;
    }
    killed++;
    assert.deepEqual([await confirmed(person), await givenTo(person)], [false, "0"], `${last}`);
    assert.deepEqual(await letGo([await worker([person.token])]), [null]);
    assert.deepEqual([await confirmed(person), await givenTo(person)], [true, "50"], `${last}`);
  }
  assert.ok(killed >= 6, `${killed}`);
});

test("another amount later is for other mailboxes, and none is none", async () => {
  await trialOf("70");
  const [again, fresh] = [await signedUp("anna+late@gmail.com"), await signedUp("c@example.test")];
  await letGo([await worker([again.token, fresh.token])]);
  assert.deepEqual([await givenTo(again), await givenTo(fresh)], ["0", "70"]);
  await trialOf("0");
  const none = await signedUp("d@example.test");
  await letGo([await worker([none.token])]);
  assert.equal(await givenTo(none), "0");
});
