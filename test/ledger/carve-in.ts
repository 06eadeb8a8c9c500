/** Takes part of a task's hold as a hold of its own, in the caller's transaction. */
import type { Queryable } from "../../src/db/database.ts";
import { sql } from "../../src/db/sql-type.ts";
import { statement } from "../../src/db/statement.ts";
import { assert } from "../../src/kernel/assert.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";

/** Part of a task's hold that shall become a hold of its own, such as one line of a batch. */
export interface CarveRequest {
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  /** New and unique; also the id of the entry that will end the new hold. */
  readonly newHoldId: Uuid;
  /** Above zero. */
  readonly amountNano: Nano;
  /** Of the new hold, as those of a `HoldRequest`. */
  readonly reference: string;
  readonly priceVersion: number;
  readonly detail: string;
}

export type CarveVerdict =
  /** leftNano: what the first hold still has, which may be nothing. */
  | { readonly kind: "carved"; readonly leftNano: Nano }
  /** The new hold was made before, and may have ended since: nothing is moved again. */
  | { readonly kind: "already-carved" }
  | { readonly kind: "insufficient-hold"; readonly heldNano: Nano }
  /** It has ended, never was, or is a process's: those end by its journal alone. */
  | { readonly kind: "unknown-hold" };

const CARVE = statement({
  text: `SELECT carved, has, known FROM ledger.carve($1::uuid, $2::uuid, $3::uuid, $4::bigint, $5::integer, $6::text, $7::text)`,
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.int8, sql.int4, sql.text, sql.text],
  row: { carved: sql.nullable(sql.nano), has: sql.nullable(sql.nano), known: sql.bool },
});

/**
 * The new hold stands in the same budgets, and `settleIn` ends each of the two by itself. Account
 * and budgets have as much set aside as before, so nothing is asked of them: money that was admitted
 * can be divided in a closed budget and a blocked account, too. It locks the first hold, so it comes
 * before any account or budget. The gateway has no batches yet, and so no caller of its own.
 */
export async function carveIn(tx: Queryable, request: CarveRequest): Promise<CarveVerdict> {
  const { accountId, holdId, newHoldId, amountNano, priceVersion, reference, detail } = request;
  assert(amountNano > 0n, "what is carved out is above zero");
  assert(holdId !== newHoldId, "a hold is carved into another one");
  const [row] = await tx.run(CARVE, [
    accountId,
    holdId,
    newHoldId,
    amountNano,
    priceVersion,
    reference,
    detail,
  ]);
  assert(row !== undefined, "carve answers with one row");
  const { carved, has, known } = row;
  if (known) return { kind: "already-carved" };
  if (has === null) return { kind: "unknown-hold" };
  return carved === null
    ? { kind: "insufficient-hold", heldNano: has }
    : { kind: "carved", leftNano: has };
}
