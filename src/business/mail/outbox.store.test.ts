/**
 * Guards the outbox, on real PostgreSQL: mail comes with its cause, one process has it at a time,
 * and what it said is gone once it is out.
 */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { createSeal } from "../../kernel/seal.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { claimMail, enqueueMail, noteMailFailed, noteMailSent, sweepMail } from "./outbox.store.ts";

const seal = createSeal("a secret of at least thirty-two characters");
const MAIL = {
  to: "anna@example.test",
  kind: "verify",
  subject: "Привет",
  text: "https://x.test/#token=xyzzy",
  html: "<p>xyzzy</p>",
};
const CLAIM = { most: 10, seconds: 60 };
const database: TestDatabase = await testDatabase();
const { db } = database;
after(() => database.drop());
beforeEach(() => db.query("DELETE FROM mail.outbox"));

const stored = async (): Promise<string> =>
  JSON.stringify(await db.query("SELECT o.*, encode(sealed, 'escape') AS body FROM mail.outbox o"));

test("a mail is there when its transaction commits, and cannot be read in the table", async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await enqueueMail(tx, seal, MAIL);
      throw new Error("changed my mind");
    }),
  );
  assert.deepEqual(await claimMail(db, seal, CLAIM), []);
  const mailId = await db.transaction((tx) => enqueueMail(tx, seal, MAIL));
  assert.doesNotMatch(await stored(), /token|xyzzy|Привет/);
  const { to, kind, ...content } = MAIL;
  assert.deepEqual(await claimMail(db, seal, CLAIM), [{ mailId, to, kind, attempts: 1, content }]);
});

test("of several who ask at the same time each mail goes to one, and comes back when its time is over", async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => enqueueMail(db, seal, MAIL)));
  const claims = await Promise.all(
    Array.from({ length: 6 }, () => claimMail(db, seal, { most: 4, seconds: 60 })),
  );
  assert.deepEqual(
    claims.flatMap((claim) => claim.map(({ mailId }) => mailId)).toSorted(),
    ids.toSorted(),
  );
  assert.deepEqual(await claimMail(db, seal, CLAIM), []);
  await db.query("UPDATE mail.outbox SET due_at = clock_timestamp()");
  const again = await claimMail(db, seal, { most: 100, seconds: 60 });
  assert.deepEqual(new Set(again.map(({ attempts }) => attempts)), new Set([2]));
});

test("a mail that another process is just claiming holds no other claim up", async () => {
  const ids = [
    await enqueueMail(db, seal, MAIL),
    await enqueueMail(db, seal, MAIL),
    await enqueueMail(db, seal, MAIL),
  ];
  const claimed = await db.transaction(async (tx) => {
    const mine = await claimMail(tx, seal, { most: 2, seconds: 60 });
    return [...mine, ...(await claimMail(db, seal, CLAIM))].map(({ mailId }) => mailId);
  });
  assert.deepEqual(claimed.toSorted(), ids);
});

test("a mail that is out or given up is erased, once and for all; one that failed waits for its next attempt", async () => {
  const [sent, given, late] = [
    await enqueueMail(db, seal, MAIL),
    await enqueueMail(db, seal, MAIL),
    await enqueueMail(db, seal, MAIL),
  ];
  await noteMailSent(db, sent);
  await noteMailFailed(db, { mailId: given, error: "no such mailbox", retrySeconds: null });
  await noteMailFailed(db, { mailId: late, error: "try later", retrySeconds: 60 });
  await noteMailFailed(db, { mailId: sent, error: "too late", retrySeconds: 0 });
  const rows = await db.query<{
    mailId: string;
    over: boolean;
    state: string;
    error: string | null;
    due: boolean;
  }>(
    `SELECT mail_id AS "mailId", sealed IS NULL AS over, last_error AS error, due_at > clock_timestamp() AS due,
       CASE WHEN sent_at IS NOT NULL THEN 'sent' WHEN failed_at IS NOT NULL THEN 'failed' ELSE 'waiting' END AS state
     FROM mail.outbox ORDER BY mail_id`,
  );
  assert.deepEqual(rows, [
    { mailId: sent, over: true, state: "sent", error: null, due: false },
    { mailId: given, over: true, state: "failed", error: "no such mailbox", due: false },
    { mailId: late, over: false, state: "waiting", error: "try later", due: true },
  ]);
  await db.query("UPDATE mail.outbox SET created_at = clock_timestamp() - interval '31 days'");
  await sweepMail(db, 30);
  assert.deepEqual(await db.query("SELECT mail_id FROM mail.outbox"), [{ mail_id: late }]);
});

test("what another secret sealed is claimed without its words, so that it can be given up", async () => {
  await enqueueMail(db, createSeal("another secret of thirty-two characters"), MAIL);
  assert.deepEqual(
    (await claimMail(db, seal, CLAIM)).map(({ content }) => content),
    [null],
  );
});
