/** Parts of a hold that end by themselves, with the receipt of a request: the lines of a batch. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { SettleVerdict } from "./hold-verdicts.ts";
import { checkSettlement, settleVerdictOf, SETTLED_ROW } from "./holds.store.ts";

/** What the entry says of the request beside its money. */
export interface PartReceipt {
  readonly endpoint: string;
  readonly modelRequested: string;
  readonly model: string;
  readonly state: string;
  readonly startedAt: Date;
  /** JSON. */
  readonly detail: string;
  readonly inputTokens: bigint;
  readonly cachedTokens: bigint;
  readonly outputTokens: bigint;
  /** That answered; null: none did. */
  readonly upstream: string | null;
  /** Null: not known. */
  readonly costNano: Nano | null;
  readonly durationMs: number;
}

export interface PartSettlement {
  readonly accountId: Uuid;
  /** The whole, made by `holdIn`. */
  readonly holdId: Uuid;
  /** New and unique; also the id of the entry. */
  readonly partId: Uuid;
  /** What of the hold the part takes; all of it is charged or released. */
  readonly amountNano: Nano;
  readonly chargeNano: Nano;
  readonly lossNano: Nano;
  readonly priceVersion: number;
  /** Null: none can be written. */
  readonly receipt: PartReceipt | null;
}

const SETTLE_PART = statement({
  text: `SELECT settled, released, earlier FROM ledger.settle_part($1::uuid, $2::uuid, $3::uuid, $4::bigint, $5::bigint, $6::bigint, $7::integer,
  $8::text, $9::text, $10::text, $11::text, $12::timestamptz, $13::text, $14::bigint, $15::bigint, $16::bigint, $17::text, $18::bigint, $19::integer)`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.uuid,
    sql.int8,
    sql.int8,
    sql.int8,
    sql.int4,
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.text),
    sql.nullable(sql.int8),
    sql.nullable(sql.int8),
    sql.nullable(sql.int8),
    sql.nullable(sql.text),
    sql.nullable(sql.int8),
    sql.nullable(sql.int4),
  ],
  row: SETTLED_ROW,
});

/**
 * Takes the part and ends it, in the caller's transaction; once: repeating it reports the first
 * one's charge. `unknown-hold` also where the hold has less than the part. It locks the hold, so it
 * comes before any account or budget.
 */
export async function settlePartIn(tx: Queryable, part: PartSettlement): Promise<SettleVerdict> {
  checkSettlement(part);
  assert(part.amountNano >= 0n && part.partId !== part.holdId, "a part is a hold of its own");
  const { receipt } = part;
  const [row] = await tx.run(SETTLE_PART, [
    part.accountId,
    part.holdId,
    part.partId,
    part.amountNano,
    part.chargeNano,
    part.lossNano,
    part.priceVersion,
    receipt?.endpoint ?? null,
    receipt?.modelRequested ?? null,
    receipt?.model ?? null,
    receipt?.state ?? null,
    receipt?.startedAt ?? null,
    receipt?.detail ?? null,
    receipt?.inputTokens ?? null,
    receipt?.cachedTokens ?? null,
    receipt?.outputTokens ?? null,
    receipt?.upstream ?? null,
    receipt?.costNano ?? null,
    receipt?.durationMs ?? null,
  ]);
  assert(row !== undefined, "settle_part answers with one row");
  return settleVerdictOf(row);
}

const RELEASE_REST = statement({
  text: `SELECT ledger.release_rest($1::uuid, $2::uuid) AS "releasedNano"`,
  parameters: [sql.uuid, sql.uuid],
  row: { releasedNano: sql.nullable(sql.nano) },
});

/**
 * Gives back what is left of a hold whose parts have ended, in the caller's transaction; null: there
 * is no such hold, or no longer.
 */
export async function releaseRestIn(
  tx: Queryable,
  accountId: Uuid,
  holdId: Uuid,
): Promise<Nano | null> {
  const [row] = await tx.run(RELEASE_REST, [accountId, holdId]);
  return row?.releasedNano ?? null;
}
