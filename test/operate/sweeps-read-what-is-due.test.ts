/**
 * Protects: what is looked for again and again by its time is found by an index; what is not due is
 * never read, however much of it there is.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sweepMembers } from "../../src/accounts/sweep.store.ts";
import { claimAlerts } from "../../src/business/alerts/deliveries.store.ts";
import type { Tx } from "../../src/db/database.ts";
import { claimRemovals, expireFiles, forgetFiles } from "../../src/files/sweep.store.ts";
import { deleteExpiredRecords } from "../../src/idempotency/records.store.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { claimMail, sweepMail } from "../../src/business/mail/outbox.store.ts";
import { claimPayments } from "../../src/business/payments/due-payments.store.ts";
import { claimRefunds } from "../../src/business/payments/due-refunds.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { rowsRead } from "../support/rows-read.ts";

/** Of each kind, none of them due. */
const ROWS = 5_000;
/** A search may look at those that come right after what is due. */
const FEW = 20;
const DAY_MS = 86_400_000;
const seal = createSeal("a secret of this test, which seals nothing");

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

interface Search {
  readonly table: string;
  /** Rows with numbers `n` whose time comes, or has not been long enough ago. */
  readonly fill: string;
  run(tx: Tx): Promise<unknown>;
}

const SHA256 = "sha256('x')";
const FILE = `file_id, name, account_id, origin, state, owner_id, file_name, content_type, inline, bytes, sha256, stored_at, expires_at, ended_at`;
const file = (state: string, endedAt: string): string => `
  INSERT INTO files.files (${FILE})
  SELECT gen_random_uuid(), md5('${state}' || n) || '.png', gen_random_uuid(), 'upload', '${state}', gen_random_uuid(), 'a.png', 'image/png', true, 1,
    ${SHA256}, now(), now() + interval '1 hour', ${endedAt} FROM generate_series(1, ${ROWS}) AS n`;

const SEARCHES: Readonly<Record<string, Search>> = {
  "idempotency records that are over": {
    table: "idempotency.records",
    fill: `INSERT INTO idempotency.records (account_id, key, request_id, owner_id, digest, state, expires_at)
      SELECT gen_random_uuid(), 'k', gen_random_uuid(), gen_random_uuid(), ${SHA256}, 'running', now() + interval '1 hour' FROM generate_series(1, ${ROWS})`,
    run: (tx) => deleteExpiredRecords(tx, 500),
  },
  "files whose time is over": {
    table: "files.files",
    fill: file("stored", "NULL"),
    run: (tx) => expireFiles(tx, 500),
  },
  "files that ended long ago": {
    table: "files.files",
    fill: file("expired", "now()"),
    run: (tx) => forgetFiles(tx, { keptMs: DAY_MS, limit: 500 }),
  },
  "objects to be removed": {
    table: "files.removals",
    fill: `INSERT INTO files.removals (name, due_at) SELECT 'x' || n, now() + interval '1 hour' FROM generate_series(1, ${ROWS}) AS n`,
    run: (tx) => claimRemovals(tx, { limit: 100, claimMs: 1_000 }),
  },
  "mail to be sent": {
    table: "mail.outbox",
    fill: `INSERT INTO mail.outbox (mail_id, kind, recipient, sealed, due_at)
      SELECT gen_random_uuid(), 'verify', 'a@example.com', 'x', now() + interval '1 hour' FROM generate_series(1, ${ROWS})`,
    run: (tx) => claimMail(tx, seal, { most: 10, seconds: 60 }),
  },
  "mail that was sent long ago": {
    table: "mail.outbox",
    fill: `INSERT INTO mail.outbox (mail_id, kind, recipient, sent_at)
      SELECT gen_random_uuid(), 'verify', 'a@example.com', now() FROM generate_series(1, ${ROWS})`,
    run: (tx) => sweepMail(tx, 30),
  },
  "webhooks of alerts to be sent": {
    table: "alerts.deliveries",
    fill: `INSERT INTO alerts.deliveries (delivery_id, account_id, kind, channel, target, test, value_nano, threshold_nano, body, due_at)
      SELECT gen_random_uuid(), gen_random_uuid(), 'spend_day', 'webhook', 'https://example.com', false, 1, 1, '{}', now() + interval '1 hour'
      FROM generate_series(1, ${ROWS})`,
    run: (tx) => claimAlerts(tx, { limit: 100, perHost: 10, claimMs: 1_000 }),
  },
  "payments to be asked about": {
    table: "payments.payments",
    fill: `INSERT INTO payments.payments (payment_id, account_id, provider, method, locale, amount_nano, return_url, due_at)
      SELECT gen_random_uuid(), gen_random_uuid(), 'yookassa', 'card', 'ru', 10000000, 'https://example.com', now() + interval '1 hour'
      FROM generate_series(1, ${ROWS})`,
    run: (tx) => claimPayments(tx, { provider: "yookassa", limit: 100, claimMs: 1_000 }),
  },
  "refunds to be asked about": {
    table: "payments.refunds",
    fill: `WITH paid AS (
        INSERT INTO payments.payments (payment_id, account_id, provider, method, locale, amount_nano, return_url)
        SELECT gen_random_uuid(), gen_random_uuid(), 'yookassa', 'card', 'ru', 10000000, 'https://example.com' FROM generate_series(1, ${ROWS})
        RETURNING account_id, payment_id)
      INSERT INTO payments.refunds (account_id, refund_id, payment_id, ref, provider, amount_nano, reason, actor, entry_id, due_at)
      SELECT account_id, payment_id, payment_id, 'x', 'yookassa', 10000000, 'x', 'x', payment_id, now() + interval '1 hour' FROM paid`,
    run: (tx) => claimRefunds(tx, { provider: "yookassa", limit: 100, claimMs: 1_000 }),
  },
  "attempts that no longer count": {
    table: "accounts.attempts",
    fill: `INSERT INTO accounts.attempts (subject, free_at) SELECT sha256(n::text::bytea), now() + interval '1 hour' FROM generate_series(1, ${ROWS}) AS n`,
    run: (tx) => sweepMembers(tx),
  },
};

for (const [what, { table, fill, run }] of Object.entries(SEARCHES)) {
  test(`${what} are found without reading the ${ROWS} that are not due`, async () => {
    await database.db.query(fill);
    await database.db.query(`ANALYZE ${table}`);
    const read = await database.db.transaction(async (tx) => {
      await tx.query("SET LOCAL enable_seqscan = off"); // a table of this size is not always worth an index
      return rowsRead(tx, table, () => run(tx));
    });
    assert.ok(read <= FEW, `${read} rows of ${table} were read`);
  });
}
