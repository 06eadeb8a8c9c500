/**
 * Months of what is written down and asked for less and less: events of tasks, webhooks with their
 * tries, actions of operators and of accounts' members. They are made ahead, and dropped as a whole
 * when they were kept long enough.
 */
import type { Db, Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { Fault } from "../../kernel/faults.ts";

/** How many whole months stay, beside the one that runs; null: all. */
export interface KeptMonths {
  readonly taskEvents: number | null;
  readonly webhooks: number | null;
  readonly audit: number | null;
}

const LOCK_BRIEFLY = statement({ text: "SET LOCAL lock_timeout = '2s'" });
const KEEP_AHEAD = statement({
  text: `
  SELECT months.keep(today, (today + interval '3 months')::date) FROM (SELECT (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date AS today) now`,
  row: { keep: sql.void },
});

/**
 * Makes what is missing of the running month and of the three after it. Throws Fault("overloaded")
 * where the lock for it is not had soon: to be tried again.
 */
export async function keepLogMonthsAhead(tx: Queryable): Promise<void> {
  await tx.run(LOCK_BRIEFLY, []);
  await tx.run(KEEP_AHEAD, []);
}

const TABLES: readonly (readonly [what: keyof KeptMonths, schema: string, table: string])[] = [
  ["taskEvents", "tasks", "events"],
  ["webhooks", "tasks", "webhooks"],
  ["audit", "audit", "actions"],
  ["audit", "audit", "account_actions"],
];

const FORGET = statement({
  text: `
  SELECT months.forget($1, $2, ((clock_timestamp() AT TIME ZONE 'Europe/Moscow') - $3 * interval '1 month')::date) AS gone`,
  parameters: [sql.text, sql.text, sql.float8],
  row: { gone: sql.array(sql.text) },
});

/**
 * Drops months that were kept long enough and that nothing waits for; returns their names. One whose
 * lock is not had at once stays until the next call.
 */
export async function dropOldLogMonths(db: Db, kept: KeptMonths): Promise<string[]> {
  const gone: string[] = [];
  for (const [what, schema, table] of TABLES) {
    const months = kept[what];
    if (months === null) continue;
    try {
      const [row] = await db.transaction((tx) => tx.run(FORGET, [schema, table, months]));
      gone.push(...(row?.gone ?? []));
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "overloaded") throw error;
    }
  }
  return gone;
}
