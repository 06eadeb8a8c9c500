/** What a page of a process's journal says: requests that ended or go on, leases given back. */
import type { RecordEnd } from "../../idempotency/record.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";

export type PageElement = EndedRequest | NotedRequest | GivenLease;

/** A request's money is decided: the charge and the receipt, once. */
export interface EndedRequest {
  readonly kind: "ended";
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  /** Its own, which ends with it, or the lease that it was admitted by. */
  readonly holdId: Uuid;
  readonly heldNano: Nano;
  /** At most what is held. */
  readonly chargeNano: Nano;
  readonly lossNano: Nano;
  readonly priceVersion: number;
  /** It was noted before. */
  readonly noted: boolean;
  readonly receipt: ReceiptRow | null;
  /** Absent where the request had no idempotency key. */
  readonly record?: RecordEnd;
}

/** A request goes on: what is held for it, and what it is charged if this process dies. */
export interface NotedRequest {
  readonly kind: "noted";
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  readonly heldNano: Nano;
  readonly recordedNano: Nano;
  readonly priceVersion: number;
  /** JSON, read back by recovery. */
  readonly detail: string;
}

/** Of a lease, or of a hold whose request never heard that it was made. */
export interface GivenLease {
  readonly kind: "given";
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  /** Null: all that is left, and the lease is over. */
  readonly amountNano: Nano | null;
}
