/**
 * Recomputes every total of the ledger from its entries and holds, and names each row that does not
 * agree.
 */
import type { FindingParams, LedgerFindings } from "../contract/operator/book-finding.ts";
import { sayLedgerFinding } from "../contract/sentences/say-finding.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { CLASS_CHECKS } from "./verify-classes.store.ts";
import { OPEN_CHECKS } from "./verify-open.store.ts";
import { ENTRY_CHECKS } from "./verify-entries.store.ts";
import { SUM_CHECKS } from "./verify-sums.store.ts";

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

const COUNTS = statement({
  text: `SELECT (SELECT count(*) FROM ledger.accounts) AS accounts, (SELECT count(*) FROM ledger.budgets) AS budgets,
  (SELECT count(*) FROM ledger.holds) AS holds, (SELECT count(*) FROM ledger.entries) AS entries`,
  row: { accounts: sql.int8, budgets: sql.int8, holds: sql.int8, entries: sql.int8 },
});

/**
 * Each selects `where`, `id` and `params` of what is wrong: texts, as `LedgerFindings` has them. The
 * first adds all entries up.
 */
const CHECKS = [SUM_CHECKS, ...ENTRY_CHECKS, ...CLASS_CHECKS, ...OPEN_CHECKS];

const MISMATCHES = CHECKS.map((check) =>
  statement({
    text: `
    SELECT "where", id, params FROM (SELECT c.*, row_number() OVER (PARTITION BY "where" ORDER BY id) AS nth FROM (${check}) c) numbered
    WHERE nth <= ${MISMATCH_LIMIT} ORDER BY "where", nth`,
    row: {
      where: sql.text.as<keyof LedgerFindings>(),
      id: sql.text,
      params: sql.json.as<FindingParams>(),
    },
  }),
);

const NO_TIMEOUT = statement({ text: "SET LOCAL statement_timeout = 0" });

/**
 * All entries are sorted and added up at once, which needs more memory than a request's statement;
 * and several processes of the database may read them, though it believes that to be dear.
 */
const FOR_ALL_ENTRIES = [
  statement({ text: "SET LOCAL work_mem = '16MB'" }),
  statement({ text: "SET LOCAL hash_mem_multiplier = 8" }),
  statement({ text: "SET LOCAL parallel_setup_cost = 0" }),
  statement({ text: "SET LOCAL parallel_tuple_cost = 0" }),
];

/**
 * The planner takes each entry for a group of its own, and would sort them all to add them up: they
 * are some thousandth as many.
 */
const BY_HASH = statement({ text: "SET LOCAL enable_sort = off" });
const BY_CHOICE = statement({ text: "SET LOCAL enable_sort = on" });

const ONE_SNAPSHOT = statement({
  text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
});

/** Before the snapshot: no month leaves between what it says of months and what is read of them. */
const KEEP_MONTHS = statement({ text: "LOCK TABLE ledger.entries IN ACCESS SHARE MODE" });

/**
 * Reads everything in one snapshot, so it may run beside live traffic; only the transaction's first
 * statements make it so, so nothing may have been run in `tx` before. Takes as long as the ledger
 * is big, and has no statement timeout.
 */
export async function verify(tx: Queryable): Promise<Verification> {
  await tx.run(ONE_SNAPSHOT, []);
  await tx.run(NO_TIMEOUT, []);
  await tx.run(KEEP_MONTHS, []);
  for (const setting of FOR_ALL_ENTRIES) await tx.run(setting, []);
  const [checked] = await tx.run(COUNTS, []);
  const mismatches: Mismatch[] = [];
  await tx.run(BY_HASH, []);
  for (const [nth, wrong] of MISMATCHES.entries()) {
    if (nth === 1) await tx.run(BY_CHOICE, []);
    for (const { where, id, params } of await tx.run(wrong, []))
      mismatches.push({ where, id, ...sayLedgerFinding(where, params) });
  }
  return { checked: checked ?? { accounts: 0n, budgets: 0n, holds: 0n, entries: 0n }, mismatches };
}
