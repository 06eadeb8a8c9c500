/**
 * The operator's bot (schema `telegram`): its name, how far its updates were taken, and which process
 * reads them.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";

const LEASE = statement({
  text: `INSERT INTO telegram.bots AS b (bot_id, polled_by, polled_until) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
     ON CONFLICT (bot_id) DO UPDATE SET polled_by = excluded.polled_by, polled_until = excluded.polled_until
       WHERE b.polled_by = excluded.polled_by OR b.polled_until <= clock_timestamp()
     RETURNING next_update AS "nextUpdate", username`,
  parameters: [sql.int8, sql.uuid, sql.float8],
  row: { nextUpdate: sql.int8, username: sql.nullable(sql.text) },
});

interface BotLease {
  readonly nextUpdate: bigint;
  readonly username: string | null;
}

/** Takes or keeps the reading of updates for so long. Null: another process reads them. */
export async function leaseBot(
  q: Queryable,
  botId: bigint,
  ownerId: Uuid,
  seconds: number,
): Promise<BotLease | null> {
  const [row] = await q.run(LEASE, [botId, ownerId, seconds]);
  return row ?? null;
}

const RELEASE = statement({
  text: "UPDATE telegram.bots SET polled_until = '-infinity' WHERE bot_id = $1 AND polled_by = $2",
  parameters: [sql.int8, sql.uuid],
});

/** Another process may go on at once. */
export async function releaseBot(q: Queryable, botId: bigint, ownerId: Uuid): Promise<void> {
  await q.run(RELEASE, [botId, ownerId]);
}

const TAKE = statement({
  text: `UPDATE telegram.bots SET next_update = $3::bigint + 1 WHERE bot_id = $1 AND polled_by = $2 AND next_update <= $3 RETURNING true AS taken`,
  parameters: [sql.int8, sql.uuid, sql.int8],
  row: { taken: sql.bool },
});

/**
 * In the transaction that does what the update asks for. False: it was taken already, or another
 * process reads by now.
 */
export async function takeUpdate(
  tx: Queryable,
  { botId, ownerId, updateId }: { botId: bigint; ownerId: Uuid; updateId: bigint },
): Promise<boolean> {
  return (await tx.run(TAKE, [botId, ownerId, updateId])).length === 1;
}

const NAME = statement({
  text: "UPDATE telegram.bots SET username = $2 WHERE bot_id = $1",
  parameters: [sql.int8, sql.text],
});

export async function nameBot(q: Queryable, botId: bigint, username: string): Promise<void> {
  await q.run(NAME, [botId, username]);
}

const FIND_NAME = statement({
  text: "SELECT username FROM telegram.bots WHERE bot_id = $1",
  parameters: [sql.int8],
  row: { username: sql.nullable(sql.text) },
});

/** Null: not known yet. */
export async function botName(q: Queryable, botId: bigint): Promise<string | null> {
  const [row] = await q.run(FIND_NAME, [botId]);
  return row?.username ?? null;
}
