/** A batch and its lines as their rows tell them. */
import type { BatchEndpoint } from "../contract/enums/batch-endpoint.ts";
import type { BatchShape, BatchState } from "../contract/enums/batch-state.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

/** What a batch that was worked off, or stopped, ends as. */
export const BATCH_OUTCOMES = ["completed", "expired", "cancelled"] as const;
export type BatchOutcome = (typeof BATCH_OUTCOMES)[number];

/** What of the caller's request every line is sent on with, where protocols agree. */
export interface PassedOn {
  readonly forward: Readonly<Record<string, string>>;
  readonly query: string;
}

/** What is wrong with the file as a whole, or with a line of it. */
export interface FileMistake {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** From 1; null: of the whole file. */
  readonly line: number | null;
}

export interface BatchKey {
  readonly accountId: Uuid;
  readonly batchId: Uuid;
}

export interface NewBatch extends BatchKey {
  readonly keyId: Uuid;
  readonly shape: BatchShape;
  readonly endpoint: BatchEndpoint;
  readonly inputFileId: Uuid;
  /** Under which the file lies in the storage. */
  readonly inputName: string;
  readonly clientIp: string;
  readonly passedOn: PassedOn;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** So long its result files live, each from its making on; null: as long as other files. */
  readonly outputSeconds: number | null;
}

export interface BatchRecord extends NewBatch {
  readonly state: BatchState;
  readonly outcome: BatchOutcome | null;
  readonly outputFileId: Uuid | null;
  readonly errorFileId: Uuid | null;
  readonly errors: readonly FileMistake[] | null;
  /** Null until it is admitted. */
  readonly priceVersion: number | null;
  /** What was held when it was admitted; null: it is not, or it was before this was kept. */
  readonly quotedNano: Nano | null;
  /** For the lines that have ended; null: it began before this was counted. */
  readonly chargedNano: Nano | null;
  readonly total: number;
  readonly succeeded: number;
  readonly errored: number;
  readonly canceled: number;
  readonly expired: number;
  readonly createdAt: Date;
  readonly beganAt: Date | null;
  readonly cancelAskedAt: Date | null;
  readonly finalizingAt: Date | null;
  readonly endedAt: Date | null;
  readonly expiresAt: Date;
}

/** How a line ends that was answered, well or not. */
export interface LineAnswer {
  readonly state: "succeeded" | "errored";
  /** As HTTP has it. */
  readonly status: number;
  /** The JSON body. */
  readonly body: Buffer;
}

export interface NewLine {
  /** From 1. */
  readonly lineNo: number;
  readonly customId: string;
  /** Where its body lies in the input file. */
  readonly firstByte: number;
  readonly bytes: number;
  /** The most that it may cost. */
  readonly quoteNano: Nano;
  /** Where it is refused before it runs; null: it waits. */
  readonly refused: LineAnswer | null;
  /** The pass that it is given to; null: it runs by itself. */
  readonly passNo: number | null;
}

/** A line that a process works on. */
export interface LeasedLine extends BatchKey {
  readonly lineNo: number;
  readonly customId: string;
  readonly leaseId: Uuid;
  readonly firstByte: number;
  readonly bytes: number;
  readonly quoteNano: Nano;
  /** This one counted. */
  readonly tries: number;
  readonly keyId: Uuid;
  readonly shape: BatchShape;
  readonly endpoint: BatchEndpoint;
  readonly inputName: string;
  readonly passedOn: PassedOn;
  readonly priceVersion: number;
}

export interface EndedLine {
  readonly lineNo: number;
  readonly customId: string;
  readonly state: "succeeded" | "errored" | "canceled" | "expired";
  readonly requestId: Uuid | null;
  readonly status: number | null;
  readonly answer: Buffer | null;
}
