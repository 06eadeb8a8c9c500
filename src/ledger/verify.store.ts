/**
 * Recomputes every total of the ledger from its entries and holds, and names each row that does not
 * agree.
 */
import type { FindingParams, LedgerFindings } from "../contract/operator/book-finding.ts";
import { sayLedgerFinding } from "../contract/sentences/say-finding.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";

export interface Mismatch {
  /** What was compared, such as `account.charged`. */
  readonly where: keyof LedgerFindings;
  /** The row: an account, a budget, a hold or an entry; `all` for the books as a whole. */
  readonly id: string;
  readonly expected: string;
  readonly found: string;
  /** What the two sentences name, for pages. */
  readonly params: FindingParams;
}

export interface Verification {
  readonly checked: {
    readonly accounts: bigint;
    readonly budgets: bigint;
    readonly holds: bigint;
    readonly entries: bigint;
  };
  /** At most MISMATCH_LIMIT of each kind. */
  readonly mismatches: readonly Mismatch[];
}

const MISMATCH_LIMIT = 1000;

/**
 * Each check selects `where`, `id` and `params` of the rows that are wrong: texts, as `LedgerFindings`
 * has them.
 */
const CHECKS = [
  // What an account was credited and charged, by the entries that debit and credit it; what it
  // holds, by its holds.
  `WITH booked AS (
     SELECT account_id, sum(credited)::numeric AS credited, sum(charged)::numeric AS charged FROM (
       SELECT credit_id AS account_id, amount_nano AS credited, 0 AS charged FROM ledger.entries WHERE kind IN ('topup', 'adjust')
       UNION ALL SELECT debit_id, CASE WHEN kind = 'adjust' THEN -amount_nano ELSE 0 END, CASE WHEN kind = 'adjust' THEN 0 ELSE amount_nano END
         FROM ledger.entries WHERE kind IN ('adjust', 'charge', 'release')) moves GROUP BY account_id),
   held AS (SELECT account_id, sum(held_nano) AS held FROM ledger.holds GROUP BY account_id),
   totals AS (
     SELECT a.account_id, a.credited_nano, a.charged_nano, a.held_nano,
       coalesce(b.credited, 0) AS credited, coalesce(b.charged, 0) AS charged, coalesce(h.held, 0) AS held
     FROM ledger.accounts a LEFT JOIN booked b USING (account_id) LEFT JOIN held h USING (account_id))
   SELECT v."where", t.account_id AS id, json_build_object('expected', v.expected, 'found', v.found) AS params FROM totals t, LATERAL (VALUES
     ('account.credited', t.credited::text, t.credited_nano::text, t.credited <> t.credited_nano),
     ('account.charged', t.charged::text, t.charged_nano::text, t.charged <> t.charged_nano),
     ('account.held', t.held::text, t.held_nano::text, t.held <> t.held_nano),
     ('account.available', '0', (t.credited - t.charged - t.held)::text, t.credited - t.charged - t.held < 0)
   ) AS v ("where", expected, found, wrong) WHERE v.wrong`,

  // The same for budgets; a period's total counts the charges since the period began, and what was
  // carried over into it.
  `WITH booked AS (
     SELECT e.budget_id, sum(e.amount_nano) AS charged, coalesce(sum(e.amount_nano) FILTER (WHERE e.at >= b.period_start), 0) AS period_charged
     FROM ledger.entries e JOIN ledger.budgets b USING (budget_id) WHERE e.kind = 'charge' GROUP BY e.budget_id),
   held AS (SELECT budget_id, sum(held_nano) AS held FROM ledger.holds WHERE budget_id IS NOT NULL GROUP BY budget_id),
   totals AS (
     SELECT b.*, coalesce(e.charged, 0) AS charged, 
       coalesce(e.period_charged, 0) + CASE WHEN b.carried_at >= b.period_start THEN b.carried_nano ELSE 0 END AS period_charged, coalesce(h.held, 0) AS held
     FROM ledger.budgets b LEFT JOIN booked e USING (budget_id) LEFT JOIN held h USING (budget_id))
   SELECT v."where", t.budget_id AS id, json_build_object('expected', v.expected, 'found', v.found) AS params FROM totals t, LATERAL (VALUES
     ('budget.charged', t.charged::text, t.charged_nano::text, t.charged <> t.charged_nano),
     ('budget.periodCharged', t.period_charged::text, t.period_charged_nano::text, t.period_charged <> t.period_charged_nano),
     ('budget.held', t.held::text, t.held_nano::text, t.held <> t.held_nano),
     ('budget.limit', (t.limit_nano + t.excess_nano)::text, (t.period_charged + t.held)::text,
       t.period_charged + t.held > t.limit_nano + t.excess_nano)
   ) AS v ("where", expected, found, wrong) WHERE v.wrong`,

  // Every entry moves its amount between books that exist, in the shape of its kind.
  `SELECT 'entry.books' AS "where", e.entry_id AS id, json_build_object('kind', e.kind, 'debit', e.debit_id, 'credit', e.credit_id) AS params
   FROM ledger.entries e LEFT JOIN ledger.accounts a USING (account_id)
   WHERE a.account_id IS NULL OR NOT CASE e.kind
     WHEN 'topup' THEN e.debit_id = '00000000-0000-0000-0000-000000000001' AND e.credit_id = e.account_id
     WHEN 'adjust' THEN (e.debit_id, e.credit_id) IN (('00000000-0000-0000-0000-000000000004'::uuid, e.account_id),
                                                      (e.account_id, '00000000-0000-0000-0000-000000000004'::uuid))
     WHEN 'loss' THEN e.debit_id = '00000000-0000-0000-0000-000000000003' AND e.credit_id = '00000000-0000-0000-0000-000000000002'
     ELSE e.debit_id = e.account_id AND e.credit_id = '00000000-0000-0000-0000-000000000002' END`,

  `SELECT 'entry.amounts' AS "where", entry_id AS id,
     json_strip_nulls(json_build_object('amount', amount_nano::text, 'held', held_nano::text, 'released', released_nano::text)) AS params
   FROM ledger.entries
   WHERE amount_nano < 0 OR CASE WHEN kind IN ('charge', 'release')
     THEN (held_nano = amount_nano + released_nano AND released_nano >= 0 AND (amount_nano = 0) = (kind = 'release')) IS NOT TRUE
     ELSE num_nonnulls(held_nano, released_nano) > 0 OR amount_nano = 0 END`,

  `SELECT 'entry.budget' AS "where", e.entry_id AS id, json_build_object('account', e.account_id, 'budget', e.budget_id) AS params
   FROM ledger.entries e LEFT JOIN ledger.budgets b USING (budget_id) WHERE e.budget_id IS NOT NULL AND b.account_id IS DISTINCT FROM e.account_id`,

  // A hold belongs to an account, and to a budget of that account, and has not ended.
  `SELECT 'hold.account' AS "where", h.hold_id AS id, json_build_object('account', h.account_id) AS params
   FROM ledger.holds h LEFT JOIN ledger.accounts a USING (account_id) WHERE a.account_id IS NULL`,

  `SELECT 'hold.budget' AS "where", h.hold_id AS id, json_build_object('account', h.account_id, 'budget', h.budget_id) AS params
   FROM ledger.holds h LEFT JOIN ledger.budgets b USING (budget_id) WHERE h.budget_id IS NOT NULL AND b.account_id IS DISTINCT FROM h.account_id`,

  `SELECT 'hold.ended' AS "where", h.hold_id AS id, json_build_object('kind', e.kind, 'amount', e.amount_nano::text, 'at', e.at::text) AS params
   FROM ledger.holds h JOIN ledger.entries e ON e.entry_id = h.hold_id`,

  // All books together: what customers have and what the operator's books have is the same money
  // seen from two sides.
  `WITH operator AS (
     SELECT coalesce(sum(CASE WHEN a.account_id IS NULL THEN change END), 0) AS total FROM (
       SELECT credit_id AS book, amount_nano AS change FROM ledger.entries UNION ALL SELECT debit_id, -amount_nano FROM ledger.entries) moves
     LEFT JOIN ledger.accounts a ON a.account_id = moves.book),
   customers AS (SELECT coalesce(sum(credited_nano::numeric - charged_nano), 0) AS total FROM ledger.accounts)
   SELECT 'books.sum' AS "where", 'all' AS id, json_build_object('expected', '0', 'found', (operator.total + customers.total)::text) AS params
   FROM operator, customers WHERE operator.total + customers.total <> 0`,
];

const COUNTS = statement({
  text: `SELECT (SELECT count(*) FROM ledger.accounts) AS accounts, (SELECT count(*) FROM ledger.budgets) AS budgets,
  (SELECT count(*) FROM ledger.holds) AS holds, (SELECT count(*) FROM ledger.entries) AS entries`,
  row: { accounts: sql.int8, budgets: sql.int8, holds: sql.int8, entries: sql.int8 },
});

const MISMATCHES = CHECKS.map((check) =>
  statement({
    text: `SELECT "where", id::text AS id, params FROM (${check}) c ORDER BY id LIMIT ${MISMATCH_LIMIT}`,
    row: {
      where: sql.text.as<keyof LedgerFindings>(),
      id: sql.text,
      params: sql.json.as<FindingParams>(),
    },
  }),
);

const NO_TIMEOUT = statement({ text: "SET LOCAL statement_timeout = 0" });

const ONE_SNAPSHOT = statement({
  text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
});

/**
 * Reads everything in one snapshot, so it may run beside live traffic; only the transaction's first
 * statements make it so, so nothing may have been run in `tx` before. Takes as long as the ledger
 * is big, and has no statement timeout.
 */
export async function verify(tx: Queryable): Promise<Verification> {
  await tx.run(ONE_SNAPSHOT, []);
  await tx.run(NO_TIMEOUT, []);
  const [checked] = await tx.run(COUNTS, []);
  const mismatches: Mismatch[] = [];
  for (const wrong of MISMATCHES)
    for (const { where, id, params } of await tx.run(wrong, []))
      mismatches.push({ where, id, ...sayLedgerFinding(where, params) });
  return { checked: checked ?? { accounts: 0n, budgets: 0n, holds: 0n, entries: 0n }, mismatches };
}
