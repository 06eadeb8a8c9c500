/** What is kept of one request after its money was settled. */
import type { ChatEndpoint } from "../contract/enums/chat-endpoint.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { ReceiptFigures } from "./receipt-figures.ts";

export interface ReceiptRow {
  /** Time-ordered (UUIDv7); also the id of the hold that paid for it. */
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly endpoint: ChatEndpoint;
  /** As the caller wrote it. */
  readonly modelRequested: string;
  /** Whose price counts. */
  readonly model: string;
  /** completed, interrupted, stopped_by_balance, client_gone or failed. */
  readonly state: string;
  readonly startedAt: Date;
  /**
   * What was taken. Where the ledger writes the receipt with the settlement, its own figure goes in
   * instead.
   */
  readonly chargedNano: Nano;
  readonly figures: ReceiptFigures;
  /** Everything else, JSON-safe: usage, its source, price version, attempts, times. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** As it is read: the figures are in the detail, too. */
export interface StoredReceipt extends Omit<ReceiptRow, "figures"> {
  readonly recordedAt: Date;
}
