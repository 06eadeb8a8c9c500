/**
 * What is kept of one request beside its money: the columns of its entry, and what no column
 * says.
 */
import type { AnsweredEndpoint } from "../contract/enums/chat-endpoint.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { ReceiptFigures } from "./receipt-figures.ts";

/** As it is written, with the end of the request's hold, in one row. */
export interface ReceiptRow {
  readonly endpoint: AnsweredEndpoint;
  /** As the caller wrote it. */
  readonly modelRequested: string;
  /** Whose price counts. */
  readonly model: string;
  /** completed, interrupted, stopped_by_balance, client_gone or failed. */
  readonly state: string;
  readonly startedAt: Date;
  /** Null: not known, because its process died. */
  readonly durationMs: number | null;
  /** To the first content of a stream; null: none came, or it was no stream. */
  readonly firstMs: number | null;
  readonly figures: ReceiptFigures;
  /** Everything else, JSON-safe: usage, its source, attempts. What is absent is null or zero. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** As it is read. */
export interface StoredReceipt
  extends
    Omit<ReceiptRow, "figures">,
    Omit<ReceiptFigures, "inputTokens" | "cachedTokens" | "outputTokens"> {
  /** Time-ordered (UUIDv7); also the id of the hold that paid for it, and of its entry. */
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly recordedAt: Date;
  readonly priceVersion: number | null;
  readonly heldNano: Nano | null;
  readonly chargedNano: Nano;
}
