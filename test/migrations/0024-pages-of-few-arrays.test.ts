/**
 * Guarantee: pages that older versions wrote, before it and beside the new one, are posted behind
 * it, and come to the same entries and sums as the new ones.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { postWhole } from "../../src/ledger/journals.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import type { EndedRequest } from "../../src/serving/money/page-elements.ts";
import {
  createPageWriter,
  ended,
  given,
  grantOne,
  holdRows,
  leaseGrant,
  openJournal,
  ownGrant,
} from "../ledger/journal-world.ts";
import { fundedAccount } from "../ledger/ledger-world.ts";
import { receiptRow } from "../support/receipt-row.ts";
import { databaseBefore } from "./database-before.ts";
import { writePageInColumns } from "./pages-in-columns.ts";

const NOT_OF_THE_FORM = ["account_id", "entry_id", "entry_no", "at", "balance_nano"];

test("pages of columns, written before it or beside it, are booked as those of few arrays are", async () => {
  await using before = await databaseBefore(24);
  const { db } = before;

  /** Granted by a journal of its own: what its page will say, and how to see what came of it. */
  async function scene() {
    const accountId = await fundedAccount(db, 10_000n);
    const journalId = await openJournal(db);
    const leaseId = newUuid();
    const own = ownGrant(accountId, 30n);
    const lease = leaseGrant(accountId, 100n, 1n, { lease: { leaseId, wantNano: 100n as Nano } });
    assert.equal((await grantOne(db, journalId, own)).kind, "held");
    assert.equal((await grantOne(db, journalId, lease)).kind, "leased");
    const request = (holdId = newUuid(), requestId = newUuid()) => ({
      requestId,
      accountId,
      holdId,
      heldNano: 30n as Nano,
    });
    const plain = receiptRow({
      startedAt: new Date("2026-11-21T09:30:00Z"),
      detail: { of: "both" },
    });
    const receipt = { ...plain, figures: { ...plain.figures, upstream: "up", outputTokens: 12n } };
    const requests: readonly EndedRequest[] = [
      ended(request(leaseId), 10n, { receipt, priceVersion: 7 }),
      ended(request(own.holdId, own.holdId), 25n, {
        lossNano: 3n as Nano,
        receipt: {
          ...receipt,
          startedAt: new Date("2026-11-21T09:30:00.125Z"),
          firstMs: 77,
          figures: { ...receipt.figures, costNano: 9n as Nano, upstream: null },
        },
      }),
      ended(request(leaseId), 5n),
    ];
    return {
      journalId,
      requests,
      back: given(accountId, leaseId, null),
      async books() {
        await postWhole(db, journalId);
        const entries = await db.query<Record<string, unknown>>(
          "SELECT to_jsonb(e) AS entry FROM ledger.entries e WHERE account_id = $1 AND kind <> 'topup' ORDER BY entry_no",
          [accountId],
        );
        const hours = await db.query<Record<string, unknown>>(
          `SELECT kind, model, state, upstream, sum(ended)::int AS ended, sum(charged_nano)::int AS charged, sum(loss_nano)::int AS lost,
             sum(cost_nano)::int AS cost, sum(input_tokens)::int AS input, sum(cached_tokens)::int AS cached, sum(output_tokens)::int AS output,
             sum(duration_ms)::int AS duration, sum(first_ms)::int AS first
           FROM usage.hourly WHERE account_id = $1 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
          [accountId],
        );
        return {
          entries: entries.map(({ entry }) => withoutIds(entry as Record<string, unknown>)),
          hours,
          holds: await holdRows(db, accountId),
        };
      },
    };
  }
  const inColumns = ({ journalId, requests, back }: Awaited<ReturnType<typeof scene>>) =>
    writePageInColumns(db, { journalId, pageNo: 1, ended: requests, given: [back] });

  const posted = await scene();
  await inColumns(posted);
  const booked = await posted.books();
  assert.equal(booked.entries.length, 4, "three requests and a loss");
  assert.equal(booked.entries[1]?.["started_at"], "2026-11-21T09:30:00.125+00:00");
  const waiting = await scene();
  await inColumns(waiting);
  await before.apply();
  const beside = await scene();
  await inColumns(beside);
  const today = await scene();
  const writer = createPageWriter(db, today.journalId);
  assert.ok(await writer.write(...today.requests, today.back));
  const usual = await scene();
  const plain = usual.requests.filter(({ lossNano }) => lossNano === 0n);
  assert.ok(await createPageWriter(db, usual.journalId).write(...plain));

  assert.deepEqual(await waiting.books(), booked);
  assert.deepEqual(await beside.books(), booked);
  assert.deepEqual(await today.books(), booked);
  assert.deepEqual((await usual.books()).entries, [booked.entries[0], booked.entries[2]]);
  const { mismatches } = await db.transaction(verify);
  assert.deepEqual(mismatches, []);
});

/** What differs from one account to another. */
function withoutIds(entry: Record<string, unknown>): Record<string, unknown> {
  const rest = Object.entries(entry).filter(([name]) => !NOT_OF_THE_FORM.includes(name));
  return Object.fromEntries(rest.filter(([name, value]) => name !== "reference" || value === null));
}
