/**
 * What an account spent, by the sums of hours and days that are added up with its entries: to the
 * nano-rouble what the ledger has. Days are those of Moscow.
 */
import type { SpendGrouping } from "../../../contract/enums/spend-grouping.ts";
import type { Queryable } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import { assert } from "../../../kernel/assert.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Nano } from "../../../kernel/money.ts";

export interface SpendSum {
  readonly chargedNano: Nano;
  readonly requests: bigint;
  readonly tasks: bigint;
  readonly failed: bigint;
  readonly inputTokens: bigint;
  readonly cachedTokens: bigint;
  readonly outputTokens: bigint;
}

/** It has what it is the sum of; the others are null. */
export interface SpendGroup extends SpendSum {
  /** YYYY-MM-DD. */
  readonly day: string | null;
  readonly keyId: Uuid | null;
  readonly model: string | null;
  readonly groupId: Uuid | null;
}

/** Sums name no member. */
export type SummedBy = Exclude<SpendGrouping, "member">;

export interface SpendSearch {
  readonly accountId: Uuid;
  /** Days of Moscow, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  /** Of these keys only; absent or null: of all. */
  readonly keyIds?: readonly Uuid[] | null;
  readonly model?: string | null;
}

const SUMS = `coalesce(sum(charged_nano), 0)::bigint AS "chargedNano",
  coalesce(sum(ended) FILTER (WHERE kind <> 'task'), 0)::bigint AS requests, coalesce(sum(ended) FILTER (WHERE kind = 'task'), 0)::bigint AS tasks,
  coalesce(sum(input_tokens), 0)::bigint AS "inputTokens", coalesce(sum(cached_tokens), 0)::bigint AS "cachedTokens",
  coalesce(sum(output_tokens), 0)::bigint AS "outputTokens"`;
const ROW = {
  day: sql.nullable(sql.date),
  keyId: sql.nullable(sql.uuid),
  model: sql.nullable(sql.text),
  groupId: sql.nullable(sql.uuid),
  chargedNano: sql.nano,
  requests: sql.int8,
  tasks: sql.int8,
  failed: sql.int8,
  inputTokens: sql.int8,
  cachedTokens: sql.int8,
  outputTokens: sql.int8,
};
// What a row is not the sum of is null in it.
const BY_KEYS = `${SUMS}, coalesce(sum(failed), 0)::bigint AS failed
  FROM usage.days WHERE account_id = $1 AND day BETWEEN $2 AND $3 AND ($4::uuid[] IS NULL OR key_id = ANY ($4)) AND ($5::text IS NULL OR model = $5)`;
const BY_KEYS_PARAMETERS = [
  sql.uuid,
  sql.date,
  sql.date,
  sql.nullable(sql.array(sql.uuid)),
  sql.nullable(sql.text),
] as const;
const OVER_KEYS = `${SUMS}, coalesce(sum(ended) FILTER (WHERE state = 'failed'), 0)::bigint AS failed
  FROM usage.account_days WHERE account_id = $1 AND day BETWEEN $2 AND $3 AND ($4::text IS NULL OR model = $4)`;
const OVER_KEYS_PARAMETERS = [sql.uuid, sql.date, sql.date, sql.nullable(sql.text)] as const;

const BY_DAY = statement({
  text: `SELECT day, NULL::uuid AS "keyId", NULL::text AS model, NULL::uuid AS "groupId", ${BY_KEYS} GROUP BY day`,
  parameters: BY_KEYS_PARAMETERS,
  row: ROW,
});
const BY_KEY = statement({
  text: `SELECT NULL::date AS day, key_id AS "keyId", NULL::text AS model, NULL::uuid AS "groupId", ${BY_KEYS} GROUP BY key_id`,
  parameters: BY_KEYS_PARAMETERS,
  row: ROW,
});
const BY_MODEL = statement({
  text: `SELECT NULL::date AS day, NULL::uuid AS "keyId", model, NULL::uuid AS "groupId", ${BY_KEYS} GROUP BY model`,
  parameters: BY_KEYS_PARAMETERS,
  row: ROW,
});
const BY_GROUP = statement({
  text: `SELECT NULL::date AS day, NULL::uuid AS "keyId", NULL::text AS model, group_id AS "groupId", ${BY_KEYS} GROUP BY group_id`,
  parameters: BY_KEYS_PARAMETERS,
  row: ROW,
});
const BY_DAY_OVER_KEYS = statement({
  text: `SELECT day, NULL::uuid AS "keyId", NULL::text AS model, NULL::uuid AS "groupId", ${OVER_KEYS} GROUP BY day`,
  parameters: OVER_KEYS_PARAMETERS,
  row: ROW,
});
const BY_MODEL_OVER_KEYS = statement({
  text: `SELECT NULL::date AS day, NULL::uuid AS "keyId", model, NULL::uuid AS "groupId", ${OVER_KEYS} GROUP BY model`,
  parameters: OVER_KEYS_PARAMETERS,
  row: ROW,
});

const SPEND_BY_KEYS = { day: BY_DAY, key: BY_KEY, model: BY_MODEL, group: BY_GROUP };
const SPEND_OVER_KEYS = { day: BY_DAY_OVER_KEYS, model: BY_MODEL_OVER_KEYS };

/**
 * In one statement. Whatever has no request is missing. Days and models of all keys are read from
 * the sums over keys, which are a few rows a day.
 */
export async function spendGroups(
  q: Queryable,
  search: SpendSearch,
  by: SummedBy,
): Promise<SpendGroup[]> {
  const { accountId, from, to, keyIds = null, model = null } = search;
  if (keyIds === null && (by === "day" || by === "model"))
    return q.run(SPEND_OVER_KEYS[by], [accountId, from, to, model]);
  return q.run(SPEND_BY_KEYS[by], [accountId, from, to, keyIds, model]);
}

const OF_KEYS = statement({
  text: `
  SELECT key_id AS "keyId", sum(charged_nano)::bigint AS "monthNano",
    coalesce(sum(charged_nano) FILTER (WHERE day = $3), 0)::bigint AS "todayNano"
  FROM usage.days WHERE account_id = $1 AND day BETWEEN $2 AND $3 AND key_id IS NOT NULL GROUP BY key_id`,
  parameters: [sql.uuid, sql.date, sql.date],
  row: { keyId: sql.present(sql.uuid), todayNano: sql.nano, monthNano: sql.nano },
});

export interface KeySpend {
  readonly keyId: Uuid;
  readonly todayNano: Nano;
  readonly monthNano: Nano;
}

/** Of today and of the month, for the keys that spent something in it. */
export async function keysSpend(
  q: Queryable,
  accountId: Uuid,
  days: { readonly monthStart: string; readonly today: string },
): Promise<ReadonlyMap<Uuid, KeySpend>> {
  const rows = await q.run(OF_KEYS, [accountId, days.monthStart, days.today]);
  return new Map(rows.map((row) => [row.keyId, row]));
}

const OF_GROUPS = statement({
  text: `
  SELECT group_id AS "groupId", sum(charged_nano)::bigint AS "monthNano",
    coalesce(sum(charged_nano) FILTER (WHERE day = $3), 0)::bigint AS "todayNano"
  FROM usage.days WHERE account_id = $1 AND day BETWEEN $2 AND $3 AND group_id IS NOT NULL GROUP BY group_id`,
  parameters: [sql.uuid, sql.date, sql.date],
  row: { groupId: sql.present(sql.uuid), todayNano: sql.nano, monthNano: sql.nano },
});

/** The same of groups: by keys that were in them when they spent it. */
export async function groupsSpend(
  q: Queryable,
  accountId: Uuid,
  days: { readonly monthStart: string; readonly today: string },
): Promise<ReadonlyMap<Uuid, Pick<KeySpend, "todayNano" | "monthNano">>> {
  const rows = await q.run(OF_GROUPS, [accountId, days.monthStart, days.today]);
  return new Map(rows.map(({ groupId, ...spend }) => [groupId, spend]));
}

const MOSCOW_NOW = statement({
  text: "SELECT now, (now AT TIME ZONE 'Europe/Moscow')::date AS today FROM clock_timestamp() AS now",
  row: { now: sql.timestamptz, today: sql.date },
});

/**
 * Now, and the day that this is in Moscow, as the database's clock has it: entries are dated by
 * that one.
 */
export async function moscowNow(
  q: Queryable,
): Promise<{ readonly now: Date; readonly today: string }> {
  const [row] = await q.run(MOSCOW_NOW, []);
  assert(row !== undefined, "a moment has a day");
  return row;
}

const ONE_SNAPSHOT = statement({
  text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
});

/** Before anything is read in it, so that all that is read belongs together. */
export async function readOneSnapshot(tx: Queryable): Promise<void> {
  await tx.run(ONE_SNAPSHOT, []);
}
