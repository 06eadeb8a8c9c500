/**
 * All that a run reads of the tables of the gateway, in one place: a change of the ledger's tables
 * changes this file and no other of the torture. Nothing here rests on one hold for each request.
 */
import type { Db, Tx } from "../../src/db/database.ts";
import { OWNER_LEASE_MS } from "../../src/kernel/limits.ts";

/** How a request or task ended, by the ledger and by its receipt. */
export interface BooksEnding {
  readonly entryId: string;
  /** `request:…` or `task:…`. */
  readonly reference: string;
  readonly kind: "charge" | "release";
  readonly accountId: string;
  readonly keyId: string | null;
  readonly groupId: string | null;
  readonly amountNano: bigint;
  /** Of the receipt; null: there is none. */
  readonly receiptNano: bigint | null;
  readonly state: string | null;
  /** Another process than the one that served it ended it. */
  readonly recovered: boolean;
}

export interface BooksAccount {
  readonly accountId: string;
  readonly creditedNano: bigint;
  readonly chargedNano: bigint;
  readonly heldNano: bigint;
}

/** A key's, or a group's. */
export interface BooksBudget {
  readonly budgetId: string;
  readonly chargedNano: bigint;
  readonly heldNano: bigint;
}

export interface Books {
  readonly endings: readonly BooksEnding[];
  readonly accounts: readonly BooksAccount[];
  readonly budgets: readonly BooksBudget[];
  readonly topUps: readonly {
    readonly accountId: string;
    readonly reference: string;
    readonly amountNano: bigint;
  }[];
  /** The operator's losses, by the reference of what cost them. */
  readonly lossNano: ReadonlyMap<string, bigint>;
  readonly tasks: readonly {
    readonly taskId: string;
    readonly accountId: string;
    readonly state: string;
  }[];
  readonly parkedReceipts: number;
}

/** A chat request's entry names it by its own id alone. */
const REFERENCE = `coalesce(e.reference, 'request:req_' || replace(e.entry_id::text, '-', ''))`;

const ENDINGS = `
  SELECT e.entry_id AS "entryId", ${REFERENCE} AS reference, e.kind, e.account_id AS "accountId", e.budget_id AS "keyId", e.budget3_id AS "groupId", e.amount_nano AS "amountNano",
    coalesce(r.charged_nano, t.charged_nano, CASE WHEN t.cost_state = 'released' THEN 0 END)::bigint AS "receiptNano",
    coalesce(r.state, t.state::text) AS state, coalesce((r.detail->>'recovered')::boolean, false) AS recovered
  FROM ledger.entries e
  LEFT JOIN usage.requests r ON r.account_id = e.account_id AND r.request_id = e.entry_id
  LEFT JOIN tasks.tasks t ON t.account_id = e.account_id AND e.reference = 'task:' || t.task_id
  WHERE e.kind IN ('charge', 'release')`;

const ACCOUNTS = `
  SELECT account_id AS "accountId", credited_nano AS "creditedNano", charged_nano AS "chargedNano", held_nano AS "heldNano" FROM ledger.accounts`;

/** Totals beside the sums that they have to be: either alone could hide what is wrong. */
const OVERSPENT = `
  WITH booked AS (
    SELECT account_id, sum(CASE WHEN kind IN ('topup', 'adjust') THEN amount_nano WHEN kind = 'charge' THEN -amount_nano ELSE 0 END)::bigint AS left_nano
    FROM ledger.entries GROUP BY account_id),
  of_budgets AS (SELECT e.account_id, b.budget_id, sum(e.amount_nano)::bigint AS nano
    FROM ledger.entries e, unnest(ARRAY[e.budget_id, e.budget3_id]) AS b (budget_id) WHERE e.kind = 'charge' AND b.budget_id IS NOT NULL GROUP BY 1, 2)
  SELECT 'account' AS what, a.account_id AS id, a.credited_nano - a.charged_nano - a.held_nano AS total, b.left_nano AS sum
  FROM ledger.accounts a JOIN booked b USING (account_id)
  WHERE a.credited_nano - a.charged_nano - a.held_nano < 0 OR b.left_nano < 0
  UNION ALL
  SELECT 'key or group', t.budget_id, t.limit_nano + t.excess_nano - t.period_charged_nano - t.held_nano, t.limit_nano - coalesce(c.nano, 0)
  FROM ledger.budgets t LEFT JOIN of_budgets c USING (account_id, budget_id)
  WHERE t.limit_nano + t.excess_nano - t.period_charged_nano - t.held_nano < 0
    OR (t.excess_nano = 0 AND t.limit_nano - coalesce(c.nano, 0) < 0 AND t.limit_nano > 1)`;

export interface Overspent {
  readonly what: string;
  readonly id: string;
  readonly total: bigint;
  readonly sum: bigint;
}

/** What is overspent at this moment, in one snapshot. */
export function readOverspent(db: Db): Promise<Overspent[]> {
  return db.query<Overspent>(OVERSPENT);
}

export interface OpenMoney {
  /** But for what living processes have ahead for requests to come, and give back when it is needed. */
  readonly heldNano: bigint;
  /** With it. */
  readonly allNano: bigint;
  /** That have not ended: what they hold is in its place. */
  readonly tasks: number;
  /**
   * Noted and not ended, or said in a page that is not posted. What a dead process has noted within
   * a lease looks as if it were ahead until it is judged dead.
   */
  readonly unsettled: number;
}

export async function readOpenMoney(db: Db): Promise<OpenMoney> {
  const [row] = await db.query<{
    allNano: bigint;
    aheadNano: bigint;
    tasks: number;
    unsettled: number;
  }>(
    `SELECT coalesce(sum(held_nano), 0)::bigint AS "allNano",
       (SELECT coalesce(sum(h.held_nano), 0)::bigint FROM ledger.holds h JOIN ledger.journals j USING (journal_id)
        WHERE h.shared AND NOT j.fenced AND j.alive_until > clock_timestamp()) AS "aheadNano",
       (SELECT count(*)::int FROM tasks.tasks WHERE state IN ('queued', 'processing')) AS tasks,
       (SELECT count(*)::int FROM ledger.unfinished) + (SELECT count(*)::int FROM ledger.pages) AS unsettled
     FROM ledger.accounts`,
  );
  if (row === undefined) throw new Error("the sum of nothing is a row");
  const { allNano, aheadNano, tasks, unsettled } = row;
  return { heldNano: allNano - aheadNano, allNano, tasks, unsettled };
}

/** By the database's clock. */
export async function readTime(db: Db): Promise<Date> {
  const [row] = await db.query<{ at: Date }>("SELECT clock_timestamp() AS at");
  if (row === undefined) throw new Error("the time is a row");
  return row.at;
}

/**
 * How many processes that have money ahead were not heard of since then: one that was killed looks
 * alive until its lease is over, and what it had ahead is given back later yet.
 */
export async function countSilent(db: Db, since: Date): Promise<number> {
  const [row] = await db.query<{ silent: number }>(
    `SELECT count(*)::int AS silent FROM ledger.journals j
     WHERE j.alive_until < $1::timestamptz + interval '${OWNER_LEASE_MS} milliseconds'
       AND EXISTS (SELECT FROM ledger.holds h WHERE h.journal_id = j.journal_id AND h.held_nano > 0)`,
    [since],
  );
  return row?.silent ?? 0;
}

/** In one snapshot: tasks that run yet may end meanwhile. */
export function readBooks(db: Db): Promise<Books> {
  return db.transaction(async (tx) => {
    await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    return await readAll(tx);
  });
}

/** What an account has, but for what it holds; null: there is no such account. */
export async function readOwned(db: Db, accountId: string): Promise<bigint | null> {
  const [row] = await db.query<{ ownedNano: bigint }>(
    `SELECT credited_nano - charged_nano AS "ownedNano" FROM ledger.accounts WHERE account_id = $1`,
    [accountId],
  );
  return row?.ownedNano ?? null;
}

async function readAll(db: Tx): Promise<Books> {
  const losses = await db.query<{ reference: string; nano: bigint }>(
    "SELECT reference, sum(amount_nano)::bigint AS nano FROM ledger.entries WHERE kind = 'loss' GROUP BY reference",
  );
  const parked = await db.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM usage.parked",
  );
  return {
    endings: await db.query(ENDINGS),
    accounts: await db.query(ACCOUNTS),
    budgets: await db.query(
      `SELECT budget_id AS "budgetId", charged_nano AS "chargedNano", held_nano AS "heldNano" FROM ledger.budgets`,
    ),
    topUps: await db.query(
      `SELECT account_id AS "accountId", reference, amount_nano AS "amountNano" FROM ledger.entries WHERE kind = 'topup'`,
    ),
    lossNano: new Map(losses.map(({ reference, nano }) => [reference, nano])),
    tasks: await db.query(
      `SELECT task_id AS "taskId", account_id AS "accountId", state::text AS state FROM tasks.tasks`,
    ),
    parkedReceipts: parked[0]?.count ?? 0,
  };
}
