/** How many tasks there are at which step, and what is held for them: figures for operators. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export interface TaskCounts {
  /** By phase; those with none in it are left out. */
  readonly byPhase: ReadonlyMap<string, number>;
  /** By state, of those that have not ended. */
  readonly byState: ReadonlyMap<string, number>;
  readonly heldNano: Nano;
  /** Webhooks that wait for their next try. */
  readonly webhooks: number;
}

const COUNT_UNFINISHED = statement({
  text: `WITH living AS (SELECT key_id FROM tasks.tasks WHERE account_id = $1 AND state IN ('queued', 'processing'))
     SELECT (SELECT count(*)::int FROM (SELECT FROM living LIMIT $3) l) AS "ofAccount",
       (SELECT count(*)::int FROM (SELECT FROM living WHERE key_id = $2 LIMIT $3) k) AS "ofKey"`,
  parameters: [sql.uuid, sql.uuid, sql.whole],
  row: { ofAccount: sql.int4, ofKey: sql.int4 },
});

/** Tasks of an account, and of one of its keys, that have not ended; each counted up to `most`. */
export async function countUnfinished(
  q: Queryable,
  {
    accountId,
    keyId,
    most,
  }: { readonly accountId: Uuid; readonly keyId: Uuid; readonly most: number },
): Promise<{ readonly ofAccount: number; readonly ofKey: number }> {
  const [row] = await q.run(COUNT_UNFINISHED, [accountId, keyId, most]);
  return { ofAccount: row?.ofAccount ?? 0, ofKey: row?.ofKey ?? 0 };
}

const COUNT_WEBHOOKS = statement({
  text: "SELECT count(*) AS count FROM tasks.webhooks WHERE due_at IS NOT NULL",
  row: { count: sql.int8 },
});

const COUNT_STATES = statement({
  text: `SELECT state::text AS name, count(*) AS count, sum(price_nano)::text AS held FROM tasks.tasks
     WHERE state IN ('queued', 'processing') GROUP BY 1`,
  row: { name: sql.text, count: sql.int8, held: sql.text },
});

const COUNT_PHASES = statement({
  text: "SELECT phase::text AS name, count(*) AS count FROM tasks.jobs GROUP BY 1",
  row: { name: sql.text, count: sql.int8 },
});

export async function countTasks(q: Queryable): Promise<TaskCounts> {
  const phases = await q.run(COUNT_PHASES, []);
  const states = await q.run(COUNT_STATES, []);
  const [waiting] = await q.run(COUNT_WEBHOOKS, []);
  return {
    byPhase: new Map(phases.map(({ name, count }) => [name, Number(count)])),
    byState: new Map(states.map(({ name, count }) => [name, Number(count)])),
    heldNano: states.reduce((sum, { held }) => sum + BigInt(held), 0n) as Nano,
    webhooks: Number(waiting?.count ?? 0n),
  };
}
