/**
 * Budgets: spend limits inside an account, counted per day, month or in total, with periods that
 * begin at midnight in Moscow.
 */
import { BUDGET_PERIODS, type BudgetPeriod } from "../contract/enums/budget-period.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export interface NewBudget {
  readonly budgetId: Uuid;
  readonly accountId: Uuid;
  /** Null: no limit; use is counted all the same. */
  readonly limitNano: Nano | null;
  readonly period: BudgetPeriod;
}

const OPEN_BUDGET = statement({
  text: `INSERT INTO ledger.budgets (budget_id, account_id, limit_nano, period, period_start)
     VALUES ($1, $2, $3, $4::ledger.period, ledger.period_start($4::ledger.period, clock_timestamp()))`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.int8),
    sql.enumOf("ledger.period", BUDGET_PERIODS),
  ],
});

/** Opens a budget. Throws when there is one with this id, or no such account. */
export async function openBudget(tx: Queryable, budget: NewBudget): Promise<void> {
  await tx.run(OPEN_BUDGET, [budget.budgetId, budget.accountId, budget.limitNano, budget.period]);
}

// Read under the lock, so that every hold and charge of the old one is either counted here or comes
// after.
const SUCCEED = statement({
  text: `
  INSERT INTO ledger.budgets (budget_id, account_id, limit_nano, period, period_start, period_charged_nano, excess_nano, follows, carried_nano, carried_at,
    group_id)
  SELECT $1, o.account_id, o.limit_nano, o.period, o.started, o.used, greatest(0, o.used - o.limit_nano), o.budget_id, o.used,
    greatest(clock_timestamp(), o.started), o.group_id
  FROM (SELECT b.*, greatest(b.period_start, p.start) AS started,
          b.held_nano + CASE WHEN b.period_start < p.start THEN 0 ELSE b.period_charged_nano END AS used
        FROM ledger.budgets b, LATERAL (SELECT ledger.period_start(b.period, clock_timestamp()) AS start) p
        WHERE b.budget_id = $2 FOR NO KEY UPDATE OF b) o
  RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid],
  row: { done: sql.bool },
});

/**
 * Opens a budget that takes another's place, in its group: the same limit, of which all is used that the other
 * one has charged in the running period or holds. The other one stays as it is, so what it takes
 * from now on is beside the new one. To be among the last statements of its transaction: holds of
 * the old one wait.
 */
export async function succeedBudget(
  tx: Queryable,
  budgetId: Uuid,
  follows: Uuid,
): Promise<"opened" | "unknown-budget"> {
  return (await tx.run(SUCCEED, [budgetId, follows])).length === 1 ? "opened" : "unknown-budget";
}

const LEASED = statement({
  text: `SELECT true AS leased FROM ledger.holds h JOIN ledger.journals j USING (journal_id)
  WHERE h.account_id = $1 AND $2::uuid IN (h.budget_id, h.budget2_id, h.budget3_id) AND h.shared AND NOT h.recalled AND NOT j.fenced LIMIT 1`,
  parameters: [sql.uuid, sql.uuid],
  row: { leased: sql.bool },
});

/**
 * Whether a process has a lease in a budget, of which not all may be in use. None begins before the
 * transaction ends: holds wait.
 */
export async function isLeased(tx: Queryable, budgetId: Uuid): Promise<boolean> {
  const [locked] = await tx.run(LOCK, [budgetId]);
  return locked !== undefined && (await tx.run(LEASED, [locked.account_id, budgetId])).length > 0;
}

const CLOSE_BUDGET = statement({
  text: "UPDATE ledger.budgets SET closed = true WHERE budget_id = $1 RETURNING true AS done",
  parameters: [sql.uuid],
  row: { done: sql.bool },
});

/**
 * Closes a budget: from the moment of commit nothing new is held in it; what was admitted may
 * extend and settle.
 */
export async function closeBudget(
  tx: Queryable,
  budgetId: Uuid,
): Promise<"closed" | "unknown-budget"> {
  const rows = await tx.run(CLOSE_BUDGET, [budgetId]);
  return rows.length === 1 ? "closed" : "unknown-budget";
}

const CLOSE_BUDGETS = statement({
  text: `WITH locked AS (SELECT budget_id FROM ledger.budgets WHERE budget_id = ANY ($1::uuid[]) ORDER BY budget_id FOR NO KEY UPDATE)
     UPDATE ledger.budgets b SET closed = true FROM locked l WHERE b.budget_id = l.budget_id`,
  parameters: [sql.array(sql.uuid)],
});

/** Closes several, in the order in which all locks are taken. */
export async function closeBudgets(tx: Queryable, budgetIds: readonly Uuid[]): Promise<void> {
  await tx.run(CLOSE_BUDGETS, [budgetIds]);
}

const REOPEN_BUDGET = statement({
  text: "UPDATE ledger.budgets SET closed = false WHERE budget_id = $1",
  parameters: [sql.uuid],
});

/** A closed budget takes holds again. */
export async function reopenBudget(tx: Queryable, budgetId: Uuid): Promise<void> {
  await tx.run(REOPEN_BUDGET, [budgetId]);
}

// The first statement waits for the lock, so that the second one sees every charge of those that
// held it before.
const LOCK = statement({
  text: "SELECT account_id, period::text AS period FROM ledger.budgets WHERE budget_id = $1 FOR NO KEY UPDATE",
  parameters: [sql.uuid],
  row: { account_id: sql.uuid, period: sql.oneOf(BUDGET_PERIODS) },
});
const UPDATE_AMOUNT = statement({
  text: `
  UPDATE ledger.budgets b SET limit_nano = $2, period_start = greatest(b.period_start, s.start), period_charged_nano = s.charged,
    excess_nano = greatest(0, s.charged + b.held_nano - $2::bigint)
  FROM (SELECT o.budget_id, p.start, CASE WHEN o.period_start < p.start THEN 0 ELSE o.period_charged_nano END AS charged
        FROM ledger.budgets o, LATERAL (SELECT ledger.period_start(o.period, clock_timestamp()) AS start) p WHERE o.budget_id = $1) s
  WHERE b.budget_id = s.budget_id`,
  parameters: [sql.uuid, sql.nullable(sql.int8)],
});
/** The budget, and those whose place it took, one after the other. */
const LINE = `
  WITH RECURSIVE line AS (
    SELECT budget_id, follows, charged_nano FROM ledger.budgets WHERE budget_id = $1
    UNION ALL SELECT o.budget_id, o.follows, o.charged_nano FROM ledger.budgets o JOIN line l ON o.budget_id = l.follows)`;
const SET_KIND = `
  UPDATE ledger.budgets b SET limit_nano = $2, period = $3::ledger.period, period_start = s.start, period_charged_nano = s.own + s.carried,
    carried_nano = s.carried, carried_at = greatest(clock_timestamp(), s.start), excess_nano = greatest(0, s.own + s.carried + b.held_nano - $2::bigint)`;
/** All time: what was charged is known. */
const UPDATE_TO_TOTAL = statement({
  text: `${LINE}${SET_KIND}
  FROM (SELECT '-infinity'::timestamptz AS start, sum(charged_nano) FILTER (WHERE budget_id = $1)::bigint AS own,
          coalesce(sum(charged_nano) FILTER (WHERE budget_id <> $1), 0)::bigint AS carried FROM line) s
  WHERE b.budget_id = $1`,
  parameters: [sql.uuid, sql.nullable(sql.int8), sql.enumOf("ledger.period", BUDGET_PERIODS)],
});
const UPDATE_KIND = statement({
  text: `${LINE},
  period AS MATERIALIZED (
    SELECT p.start, ledger.first_entry_from($4, p.start) AS first FROM (SELECT ledger.period_start($3::ledger.period, clock_timestamp()) AS start) p)
  ${SET_KIND}
  FROM (SELECT p.start, coalesce(sum(e.amount_nano) FILTER (WHERE e.budget_id = $1), 0)::bigint AS own,
          coalesce(sum(e.amount_nano) FILTER (WHERE e.budget_id <> $1), 0)::bigint AS carried
        FROM period p
        LEFT JOIN LATERAL (
          SELECT u.budget_id, c.amount_nano FROM ledger.entries c, LATERAL (VALUES (c.budget_id), (c.budget2_id), (c.budget3_id)) AS u (budget_id)
          WHERE c.account_id = $4 AND c.entry_no >= p.first AND c.kind = 'charge'
          UNION ALL
          -- What began in a month that was archived in this one, and was charged in it.
          SELECT a.budget_id, a.late_nano FROM ledger.budget_seals a JOIN ledger.months m USING (month)
          WHERE a.account_id = $4 AND m.state = 'dropped' AND ledger.period_start('month', m.sealed_at) = p.start) e
          ON e.budget_id IN (SELECT budget_id FROM line)
        GROUP BY p.start) s
  WHERE b.budget_id = $1`,
  parameters: [
    sql.uuid,
    sql.nullable(sql.int8),
    sql.enumOf("ledger.period", BUDGET_PERIODS),
    sql.uuid,
  ],
});

/**
 * Sets another limit or period. What was charged in the running period of the new kind counts, from
 * the entries, with what those charged whose place it took. A limit below what is used already only
 * stops new holds. Another kind than before reads the account's entries of the new period, but for a
 * total: not for the hot path.
 */
export async function updateBudget(
  tx: Queryable,
  change: {
    readonly budgetId: Uuid;
    readonly limitNano: Nano | null;
    readonly period: BudgetPeriod;
  },
): Promise<"updated" | "unknown-budget"> {
  const [locked] = await tx.run(LOCK, [change.budgetId]);
  if (locked === undefined) return "unknown-budget";
  const { budgetId, limitNano, period } = change;
  if (period === locked.period) await tx.run(UPDATE_AMOUNT, [budgetId, limitNano]);
  else if (period === "total") await tx.run(UPDATE_TO_TOTAL, [budgetId, limitNano, period]);
  else await tx.run(UPDATE_KIND, [budgetId, limitNano, period, locked.account_id]);
  return "updated";
}

export interface BudgetState {
  readonly budgetId: Uuid;
  readonly accountId: Uuid;
  readonly state: "open" | "closed";
  readonly limitNano: Nano | null;
  readonly period: BudgetPeriod;
  /** When the running period began, and when the next one will; null for `total`. */
  readonly periodStart: Date | null;
  readonly nextPeriodStart: Date | null;
  /**
   * Charged in the running period, with what was carried over into it from the budget whose place
   * it took.
   */
  readonly periodChargedNano: Nano;
  /** Charged ever. */
  readonly chargedNano: Nano;
  readonly heldNano: Nano;
  /** What a new hold can take of the limit; null where there is no limit. */
  readonly availableNano: Nano | null;
}

const STATE = statement({
  text: `
  SELECT b.budget_id AS "budgetId", b.account_id AS "accountId", CASE WHEN b.closed THEN 'closed' ELSE 'open' END AS state,
    b.limit_nano AS "limitNano", b.period::text AS period,
    CASE WHEN b.period <> 'total' THEN c.started END AS "periodStart",
    CASE b.period WHEN 'day' THEN ledger.period_start('day', c.started + interval '36 hours')
                  WHEN 'month' THEN ledger.period_start('month', c.started + interval '45 days') END AS "nextPeriodStart",
    c.charged AS "periodChargedNano", b.charged_nano AS "chargedNano", u.nano AS "heldNano",
    greatest(0, b.limit_nano - c.charged - u.nano) AS "availableNano", b.limit_nano IS NULL AS boundless
  FROM ledger.budgets b, LATERAL (SELECT ledger.in_use(b.account_id, b.budget_id) AS nano) u, LATERAL (
    SELECT greatest(b.period_start, ledger.period_start(b.period, clock_timestamp())) AS started,
      CASE WHEN b.period_start < ledger.period_start(b.period, clock_timestamp()) THEN 0 ELSE b.period_charged_nano END AS charged) c
  WHERE b.budget_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: {
    budgetId: sql.uuid,
    accountId: sql.uuid,
    state: sql.oneOf(["open", "closed"]),
    limitNano: sql.nullable(sql.nano),
    period: sql.oneOf(BUDGET_PERIODS),
    periodStart: sql.nullable(sql.timestamptz),
    nextPeriodStart: sql.nullable(sql.timestamptz),
    periodChargedNano: sql.nano,
    chargedNano: sql.nano,
    heldNano: sql.nano,
    availableNano: sql.nano,
    boundless: sql.bool,
  },
});

/** Use and limits as of now; unknown ids are missing. */
export async function budgetState(
  q: Queryable,
  budgetIds: readonly Uuid[],
): Promise<Map<Uuid, BudgetState>> {
  const rows = await q.run(STATE, [budgetIds]);
  return new Map(
    rows.map(({ boundless, ...state }) => [
      state.budgetId,
      { ...state, availableNano: boundless ? null : state.availableNano },
    ]),
  );
}
