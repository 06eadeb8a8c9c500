/** Holds of tasks: made, raised and ended in the caller's transaction. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { groupOf } from "./budget-groups.store.ts";
import { grantMany } from "./grants.store.ts";
import { inItsGroup } from "./in-its-group.ts";
import type {
  HoldRequest,
  HoldVerdict,
  Moved,
  RequestHold,
  Settlement,
  SettleVerdict,
} from "./hold-verdicts.ts";

/** One hold, which nothing ends but `settleIn`. */
export async function holdIn(tx: Queryable, request: HoldRequest): Promise<HoldVerdict> {
  checkHold(request);
  return inItsGroup(
    request,
    (asked) => groupOf(tx, asked),
    (asked) => grantOwn(tx, asked),
  );
}

async function grantOwn(tx: Queryable, request: HoldRequest): Promise<HoldVerdict | Moved> {
  const { holdId, accountId, budgetId, groupId, fullNano, sliceNano, minimumNano } = request;
  const { priceVersion, reference, detail } = request;
  const [verdict] = await grantMany(
    tx,
    null,
    [
      {
        holdId,
        accountId,
        budgetId,
        groupId,
        lease: null,
        token: 0n,
        fullNano,
        sliceNano,
        minimumNano,
        grows: false,
        task: { priceVersion, reference, detail },
      },
    ],
    false,
  );
  assert(
    verdict !== undefined &&
      verdict.kind !== "leased" &&
      verdict.kind !== "gone" &&
      verdict.kind !== "fenced",
    "a hold without a journal is held or refused",
  );
  return verdict;
}

/** What the functions that end a hold answer with: what it was charged and gave back, or was charged earlier. */
export const SETTLED_ROW = {
  settled: sql.nullable(sql.nano),
  released: sql.nullable(sql.nano),
  earlier: sql.nullable(sql.nano),
};

interface SettledRow {
  readonly settled: Nano | null;
  readonly released: Nano | null;
  readonly earlier: Nano | null;
}

export function settleVerdictOf({ settled, released, earlier }: SettledRow): SettleVerdict {
  if (settled !== null && released !== null)
    return { kind: "settled", chargedNano: settled, releasedNano: released };
  return earlier === null
    ? { kind: "unknown-hold" }
    : { kind: "already-settled", chargedNano: earlier };
}

const SETTLE = statement({
  text: `SELECT settled, released, earlier FROM ledger.settle($1::uuid, $2::uuid, $3::bigint, $4::bigint, $5::text, $6::text, $7::timestamptz,
  $8::text, $9::bigint)`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.int8,
    sql.int8,
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.text),
    sql.nullable(sql.int8),
  ],
  row: SETTLED_ROW,
});

/** What the entry says of a task beside its money. */
export interface TaskReceipt {
  readonly model: string;
  readonly state: "completed" | "failed";
  readonly startedAt: Date;
  /** That took it; null: none did. */
  readonly upstream: string | null;
  /** Null: not known. */
  readonly costNano: Nano | null;
}

/** Ends one hold, once: repeating it reports the first one's charge. */
export async function settleIn(
  tx: Queryable,
  settlement: Settlement,
  receipt: TaskReceipt | null = null,
): Promise<SettleVerdict> {
  checkSettlement(settlement);
  const { accountId, holdId, chargeNano, lossNano } = settlement;
  const [row] = await tx.run(SETTLE, [
    accountId,
    holdId,
    chargeNano,
    lossNano,
    receipt?.model ?? null,
    receipt?.state ?? null,
    receipt?.startedAt ?? null,
    receipt?.upstream ?? null,
    receipt?.costNano ?? null,
  ]);
  assert(row !== undefined, "settle answers with one row");
  return settleVerdictOf(row);
}

const CHARGED = statement({
  text: `SELECT amount_nano AS "chargedNano" FROM ledger.entries WHERE entry_id = $2 AND account_id = $1`,
  parameters: [sql.uuid, sql.uuid],
  row: { chargedNano: sql.nano },
});

/** What a hold that has ended was charged; null: it has not, or its page is not posted yet. */
export async function chargedFor(
  q: Queryable,
  accountId: Uuid,
  holdId: Uuid,
): Promise<Nano | null> {
  const [row] = await q.run(CHARGED, [accountId, holdId]);
  return row?.chargedNano ?? null;
}

/** Throws on a request that could spoil the batch it travels in. */
export function checkHold(request: RequestHold): void {
  assert(
    (request.fullNano ?? 0n) >= 0n && request.sliceNano >= 0n && request.minimumNano >= 0n,
    "held amounts are not negative",
  );
}

export function checkSettlement(settlement: Settlement): void {
  assert(
    settlement.chargeNano >= 0n && settlement.lossNano >= 0n,
    "charges and losses are not negative",
  );
}
