/** Archived rows as the stores of the database give them. */
import type { ArchivedEntry } from "../../archive/entry-columns.ts";
import { ANSWERED_ENDPOINTS } from "../../contract/enums/chat-endpoint.ts";
import { ENTRY_KINDS } from "../../contract/enums/entry-kind.ts";
import { assert } from "../../kernel/assert.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import { type Nano, nano, ZERO_NANO } from "../../kernel/money.ts";
import type { Entry } from "../../ledger/entries.store.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";

/** Of microseconds since 1970. */
const momentOf = (micros: bigint): Date => new Date(Number(micros / 1000n));
export const microsOf = (moment: Date): bigint => BigInt(moment.getTime()) * 1000n;

const amountOf = (value: bigint | null): Nano | null => (value === null ? null : nano(value));

/** What it did to the balance. */
function changeOf({ kind, amountNano }: ArchivedEntry): Nano {
  if (kind === "topup" || kind === "adjust") return nano(amountNano);
  return kind === "charge" ? nano(-amountNano) : ZERO_NANO;
}

export function entryOf(row: ArchivedEntry): Entry {
  const { entryNo, entryId, amountNano, heldNano, budgetId, priceVersion, note } = row;
  const kind = ENTRY_KINDS.find((known) => known === row.kind);
  assert(kind !== undefined, "an archived entry is of a kind that there is");
  return {
    entryNo,
    entryId,
    kind,
    changeNano: changeOf(row),
    balanceAfterNano: nano(row.balanceNano),
    amountNano: nano(amountNano < 0n ? -amountNano : amountNano),
    heldNano: amountOf(heldNano),
    releasedNano: heldNano === null ? null : nano(heldNano - amountNano),
    budgetId,
    priceVersion,
    at: momentOf(row.at),
    reference: row.reference ?? `request:${formatRequestId(entryId)}`,
    note,
  };
}

/** Null: it is of no request that is answered at once, or its receipt could not be written. */
export function receiptOf(row: ArchivedEntry): StoredReceipt | null {
  const { entryId, accountId, budgetId, model, state, startedAt, detail } = row;
  const endpoint = ANSWERED_ENDPOINTS.find((known) => known === row.endpoint);
  if (endpoint === undefined || model === null || state === null || startedAt === null) return null;
  const stored: unknown = JSON.parse(detail ?? "{}");
  return {
    requestId: entryId,
    accountId,
    keyId: budgetId,
    endpoint,
    modelRequested: row.modelRequested ?? model,
    model,
    state,
    startedAt: momentOf(startedAt),
    recordedAt: momentOf(row.at),
    chargedNano: nano(row.amountNano),
    heldNano: amountOf(row.heldNano),
    priceVersion: row.priceVersion,
    upstream: row.upstream,
    costNano: amountOf(row.costNano),
    durationMs: row.durationMs,
    firstMs: row.firstMs,
    detail: isRecord(stored) ? stored : {},
  };
}
