/** The record of one request under an idempotency key, and what it answered. */
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

/** Whose record it is: it belongs to one request at a time. */
export interface RecordClaim {
  readonly accountId: Uuid;
  /** As `readIdempotencyKey` gives it. */
  readonly key: string;
  readonly requestId: Uuid;
}

export interface NewRecord extends RecordClaim {
  /** The process that runs the request. */
  readonly ownerId: Uuid;
  /** As `digestRequest` gives it. */
  readonly digest: Buffer;
}

export interface KeptAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly streamed: boolean;
  /** A stream that came to no proper end: a replay comes to none either. */
  readonly broken: boolean;
  readonly body: Buffer;
}

/** How the record of a request ends. */
export interface RecordEnd extends RecordClaim {
  /**
   * True: what was kept is the answer for as long as the record lives. False: the record is
   * removed, and its key is free.
   */
  readonly answered: boolean;
}

export interface AnsweredRecord {
  readonly requestId: Uuid;
  readonly chargedNano: Nano;
  /** Null: it was too large to be kept. */
  readonly answer: KeptAnswer | null;
}

export type RecordFinding =
  /** The record was made, and belongs to this request. */
  | { readonly kind: "fresh" }
  | { readonly kind: "running"; readonly requestId: Uuid; readonly ownerId: Uuid }
  | ({ readonly kind: "answered" } & AnsweredRecord)
  /** The key belongs to a request that asked for something else. */
  | { readonly kind: "mismatch" };
