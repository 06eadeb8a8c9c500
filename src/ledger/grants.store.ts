/** Sets money aside by ledger.grant_many: leases, holds of single requests and tasks, raises. */
import {
  bigintArray,
  booleanArray,
  integerArray,
  textArray,
  uuidArray,
} from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import { ZERO_NANO, type Nano } from "../kernel/money.ts";
import type { GrantRequest, GrantVerdict, HoldTier } from "./hold-verdicts.ts";

/** A request and the token that tells a repetition of it from a new one. */
export interface TokenedGrant extends GrantRequest {
  readonly token: bigint;
}

const GRANT = statement({
  text: `SELECT codes, amounts, others FROM ledger.grant_many($1::uuid, $2::uuid[], $3::uuid[], $4::uuid[],
  $5::int[], $6::int[], $7::int[], $8::int[], $9::uuid[], $10::uuid[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
  $16::boolean[], $17::int[], $18::text[], $19::text[], $20::boolean)`,
  parameters: [
    sql.nullable(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.bool),
    sql.array(sql.int4),
    sql.array(sql.text),
    sql.array(sql.text),
    sql.bool,
  ],
  row: {
    codes: sql.array(sql.int4),
    amounts: sql.nullable(sql.array(sql.nullable(sql.nano))),
    others: sql.nullable(sql.array(sql.nullable(sql.nano))),
  },
});

/**
 * Decides every request in order, each exactly: later ones see what earlier ones took. No two of
 * them name one hold or lease. `journalId`: null for tasks. `retry`: an earlier run of these
 * requests may have been committed; what it granted is reported.
 */
export async function grantMany(
  q: Queryable,
  journalId: Uuid | null,
  requests: readonly TokenedGrant[],
  retry: boolean,
): Promise<GrantVerdict[]> {
  const accounts = positionsOf(requests.map(({ accountId }) => accountId));
  const budgets = positionsOf(requests.flatMap(budgetKeys));
  const [row] = await q.run(GRANT, [
    journalId,
    uuidArray([...accounts.keys()], (id) => id),
    uuidArray([...budgets.keys()], (key) => key.slice(UUID_CHARACTERS)),
    uuidArray([...budgets.keys()], (key) => key.slice(0, UUID_CHARACTERS)),
    integerArray(requests, ({ accountId }) => accounts.get(accountId) ?? 0),
    integerArray(
      requests,
      ({ accountId, budgetId }) => budgets.get(keyOf(budgetId, accountId)) ?? 0,
    ),
    integerArray(requests, () => 0),
    integerArray(requests, ({ accountId, groupId }) => budgets.get(keyOf(groupId, accountId)) ?? 0),
    uuidArray(requests, ({ holdId }) => holdId),
    uuidArray(requests, ({ lease }) => lease?.leaseId ?? null),
    bigintArray(requests, ({ lease }) => lease?.wantNano ?? null),
    bigintArray(requests, ({ token }) => token),
    bigintArray(requests, ({ fullNano }) => fullNano),
    bigintArray(requests, ({ sliceNano }) => sliceNano),
    bigintArray(requests, ({ minimumNano }) => minimumNano),
    booleanArray(requests, ({ grows }) => grows),
    integerArray(requests, ({ task }) => task?.priceVersion ?? null),
    textArray(requests, ({ task }) => task?.reference ?? null),
    textArray(requests, ({ task }) => task?.detail ?? null),
    retry,
  ]);
  assert(row?.codes.length === requests.length, "grant_many answers every row");
  return requests.map((_, index) =>
    readGrant(
      row.codes[index] ?? -1,
      row.amounts?.[index] ?? ZERO_NANO,
      row.others?.[index] ?? ZERO_NANO,
    ),
  );
}

const UUID_CHARACTERS = 36;
const NO_BUDGET = "";

/** Its id, then its account's: what names another account's budget spoils nothing for that one. */
function keyOf(budgetId: Uuid | null, accountId: Uuid): string {
  return budgetId === null ? NO_BUDGET : budgetId + accountId;
}

function budgetKeys({ accountId, budgetId, groupId }: GrantRequest): string | readonly string[] {
  if (budgetId === null) return [];
  const key = keyOf(budgetId, accountId);
  return groupId === null ? key : [key, keyOf(groupId, accountId)];
}

/** Of each id its place among all, from 1, in the order of ids. */
function positionsOf(ids: readonly string[]): Map<string, number> {
  const distinct = [...new Set(ids)].sort();
  return new Map(distinct.map((id, index) => [id, index + 1]));
}

const TIERS: readonly HoldTier[] = ["full", "slice", "minimum"];

/** By the codes of ledger.grant_many. */
function readGrant(code: number, amountNano: Nano, heldNano: Nano): GrantVerdict {
  const tier = TIERS[code];
  if (tier !== undefined) return { kind: "held", heldNano: amountNano, tier };
  switch (code) {
    case 3:
      return { kind: "insufficient-balance", availableNano: amountNano, heldNano };
    case 4:
      return { kind: "limit-exceeded", availableNano: amountNano, heldNano };
    case 5:
      return { kind: "budget-closed" };
    case 6:
      return { kind: "account-blocked" };
    case 7:
      return { kind: "unknown-account" };
    case 8:
      return { kind: "gone" };
    case 9:
      return { kind: "leased", grantedNano: amountNano, roomNano: heldNano };
    case 10:
      return { kind: "fenced" };
    case 11:
      return { kind: "group-limit-exceeded", availableNano: amountNano, heldNano };
    case 12:
      return { kind: "group-closed" };
    default:
      assert(code === 13, "grant_many has no other codes");
      return { kind: "moved" };
  }
}
