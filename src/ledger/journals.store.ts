/**
 * Journals: what processes have durably said about their requests; opened, kept alive, posted,
 * fenced when their process is judged dead, and closed.
 */
import { isFaultOfData } from "../db/database-errors.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../kernel/limits.ts";
import type { Nano } from "../kernel/money.ts";

const ALIVE = `clock_timestamp() + interval '${OWNER_LEASE_MS} milliseconds'`;

export const OPEN_JOURNAL = statement({
  text: `INSERT INTO ledger.journals (journal_id, owner_id, alive_until) VALUES ($1, $2, ${ALIVE})
  ON CONFLICT (journal_id) DO UPDATE SET alive_until = excluded.alive_until RETURNING true AS opened`,
  parameters: [sql.uuid, sql.uuid],
  row: { opened: sql.bool },
});

/** No row: the journal is fenced, and takes nothing more. */
export const BEAT_JOURNAL = statement({
  text: `UPDATE ledger.journals SET alive_until = ${ALIVE} WHERE journal_id = $1 AND NOT fenced RETURNING true AS alive`,
  parameters: [sql.uuid],
  row: { alive: sql.bool },
});

/** The last page that is committed; no row: another process has closed the journal. */
export const JOURNAL_STATE = statement({
  text: `SELECT page_no AS "pageNo" FROM ledger.journals WHERE journal_id = $1`,
  parameters: [sql.uuid],
  row: { pageNo: sql.int8 },
});

/** `more`: other pages wait; null: another poster is at this journal, and nothing was done. */
export const POST_JOURNAL = statement({
  text: "SELECT more FROM ledger.post_journal($1, $2, $3)",
  parameters: [sql.uuid, sql.int4, sql.bool],
  row: { more: sql.nullable(sql.bool) },
});

/**
 * Elements in one transaction of the poster. At usual rates a post has what a tenth of a second
 * brought, and about 2 ms to do; it grows where thousands a second come, because each row of an
 * account, a key or an hour is then written once for many of them.
 */
export const POST_AT_MOST = 512;

const UNPOSTED = statement({
  text: `SELECT journal_id AS "journalId", count(*) AS pages FROM ledger.pages GROUP BY 1 ORDER BY 1`,
  row: { journalId: sql.uuid, pages: sql.int8 },
});

/**
 * Posts all pages that are committed when it begins, of whatever process: for one who is about to
 * read what they say. Not inside another transaction.
 */
export async function postAll(q: Queryable): Promise<void> {
  for (const { journalId, pages } of await q.run(UNPOSTED, [])) {
    try {
      await postWhole(q, journalId, pages);
    } catch (error) {
      // One damaged journal must not keep anyone from reading what the others say; its poster
      // reports it.
      if (!isFaultOfData(error)) throw error;
    }
  }
}

/** `pages`: so many at most, for one who does not wait for what comes meanwhile. */
export async function postWhole(
  q: Queryable,
  journalId: Uuid,
  pages: bigint | null = null,
): Promise<void> {
  for (let posted = 1n; ; posted++) {
    const [row] = await q.run(POST_JOURNAL, [journalId, POST_AT_MOST, true]);
    if (row?.more !== true || posted === pages) return;
  }
}

const DEAD_JOURNALS = statement({
  text: `
  SELECT j.journal_id AS "journalId" FROM ledger.journals j
  WHERE (j.fenced OR NOT ledger.is_alive(j.alive_until))
    AND EXISTS (SELECT FROM ledger.owners me WHERE me.owner_id = $1 AND ledger.is_alive(me.alive_until))
  ORDER BY j.journal_id`,
  parameters: [sql.uuid],
  row: { journalId: sql.uuid },
});

/** Journals of processes that are dead, as long as the judge itself is alive. */
export async function deadJournals(q: Queryable, judgeId: Uuid): Promise<Uuid[]> {
  return (await q.run(DEAD_JOURNALS, [judgeId])).map(({ journalId }) => journalId);
}

// The lock that waits for grants of this journal and keeps others out; an UPDATE alone would not.
const LOCK_JOURNAL = statement({
  text: "SELECT fenced, ledger.is_alive(alive_until) AS alive FROM ledger.journals WHERE journal_id = $1 FOR UPDATE",
  parameters: [sql.uuid],
  row: { fenced: sql.bool, alive: sql.bool },
});
const FENCE = statement({
  text: "UPDATE ledger.journals SET fenced = true WHERE journal_id = $1",
  parameters: [sql.uuid],
});

/** From its commit on the journal takes no page and no hold. `alive`: it is not dead after all. */
export async function fenceJournal(
  tx: Queryable,
  journalId: Uuid,
): Promise<"fenced" | "alive" | "gone"> {
  const [row] = await tx.run(LOCK_JOURNAL, [journalId]);
  if (row === undefined) return "gone";
  if (row.fenced) return "fenced";
  if (row.alive) return "alive";
  await tx.run(FENCE, [journalId]);
  return "fenced";
}

const RETIRE = statement({
  text: "UPDATE ledger.journals SET fenced = true WHERE owner_id = $1 AND NOT fenced",
  parameters: [sql.uuid],
});

/** What a process that ends leaves behind may be ended by others at once. */
export async function retireJournals(q: Queryable, ownerId: Uuid): Promise<void> {
  await q.run(RETIRE, [ownerId]);
}

export const CLOSE_JOURNAL = statement({
  text: "SELECT ledger.close_journal($1)",
  parameters: [sql.uuid],
  row: { close_journal: sql.void },
});

const HAS_JOURNAL = statement({
  text: `SELECT EXISTS (SELECT FROM ledger.journals WHERE owner_id = $1) AS found`,
  parameters: [sql.uuid],
  row: { found: sql.bool },
});

/** Whether there is something of this process that may still have to be ended. */
export async function hasJournal(q: Queryable, ownerId: Uuid): Promise<boolean> {
  const [row] = await q.run(HAS_JOURNAL, [ownerId]);
  return row?.found === true;
}

export interface UnfinishedRequest {
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  /** Its own, or a lease that it shares. */
  readonly holdId: Uuid;
  /** False: that hold is gone, and nothing can be charged any more. */
  readonly isHeld: boolean;
  readonly budgetId: Uuid | null;
  readonly heldNano: Nano;
  readonly recordedNano: Nano;
  readonly priceVersion: number;
  readonly detail: string;
}

const UNFINISHED = statement({
  text: `
  SELECT u.request_id AS "requestId", u.account_id AS "accountId", u.hold_id AS "holdId", h.hold_id IS NOT NULL AS "isHeld",
    h.budget_id AS "budgetId", u.held_nano AS "heldNano", u.recorded_nano AS "recordedNano", u.price_version AS "priceVersion", u.detail
  FROM ledger.unfinished u LEFT JOIN ledger.holds h ON h.account_id = u.account_id AND h.hold_id = u.hold_id
  WHERE u.journal_id = $1 AND NOT u.request_id = ANY ($2::uuid[]) ORDER BY u.request_id LIMIT $3`,
  parameters: [sql.uuid, sql.array(sql.uuid), sql.whole],
  row: {
    requestId: sql.uuid,
    accountId: sql.uuid,
    holdId: sql.uuid,
    isHeld: sql.bool,
    budgetId: sql.nullable(sql.uuid),
    heldNano: sql.nano,
    recordedNano: sql.nano,
    priceVersion: sql.int4,
    detail: sql.text,
  },
});

/** Of a journal whose pages are posted. `except` are passed over. */
export async function unfinishedOf(
  q: Queryable,
  journalId: Uuid,
  search: { readonly except: readonly Uuid[]; readonly limit: number },
): Promise<UnfinishedRequest[]> {
  return q.run(UNFINISHED, [journalId, search.except, search.limit]);
}

const IS_UNFINISHED = statement({
  text: "SELECT EXISTS (SELECT FROM ledger.unfinished WHERE account_id = $1 AND request_id = $2) AS found",
  parameters: [sql.uuid, sql.uuid],
  row: { found: sql.bool },
});

/** Whether a request that was noted has still to be ended, as far as pages are posted. */
export async function isUnfinished(
  q: Queryable,
  accountId: Uuid,
  requestId: Uuid,
): Promise<boolean> {
  const [row] = await q.run(IS_UNFINISHED, [accountId, requestId]);
  return row?.found === true;
}

const FORGET_UNFINISHED = statement({
  text: "DELETE FROM ledger.unfinished WHERE account_id = $1 AND request_id = $2 RETURNING true AS forgotten",
  parameters: [sql.uuid, sql.uuid],
  row: { forgotten: sql.bool },
});

/** Without an end; false where another process has ended or forgotten it meanwhile. */
export async function forgetUnfinished(
  tx: Queryable,
  { accountId, requestId }: Pick<UnfinishedRequest, "accountId" | "requestId">,
): Promise<boolean> {
  return (await tx.run(FORGET_UNFINISHED, [accountId, requestId])).length === 1;
}
