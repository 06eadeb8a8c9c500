/** What the gateway needs of a chat protocol; `protocol/` does the work, one adapter per dialect fits it to this shape. */
import type { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { ChatRequest } from "../../protocol/openai/read-chat-request.ts";
import type { UsageReading } from "../../protocol/openai/read-usage.ts";

/** An error that an upstream put inside a stream. */
export interface StreamError {
  readonly message: string;
  /** The HTTP status the error amounts to, where its code or type says so. */
  readonly status: number | null;
}

/** One event of an upstream's stream, with the bytes that the client gets for it. */
export interface Frame {
  readonly kind: "data" | "done" | "comment" | "error" | "garbage";
  readonly bytes: Buffer;
  /** All text generated in this event, whatever field carries it. */
  readonly text: string;
  readonly hasContent: boolean;
  /** A finish reason is in it. */
  readonly finished: boolean;
  readonly usage: UsageReading;
  /** Not for the client: the usage chunk that only the gateway asked for. */
  readonly withheld: boolean;
  readonly error: StreamError | null;
}

/** Who a stream says it is, where the upstream never said so itself. */
export interface StreamIdentity {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

/** Reads one upstream stream, and remembers what of it was delivered: reading may be ahead while a hold grows. */
export interface FrameReader {
  /** Whole events only; a remainder waits for the next piece. Throws a RangeError when one event passes its size limit. */
  push(chunk: Buffer): Frame[];
  /** This frame has gone to the output; what follows here speaks of such frames only. */
  delivered(frame: Frame): void;
  /** Every choice that was begun has its finish reason. */
  readonly finished: boolean;
  /** Why the first choice ended; null while it has not. */
  readonly finishReason: string | null;
  /** The model that the upstream says it is; null while it has not said. */
  readonly model: string | null;
  /** The events that end the stream properly when the balance stopped it; includes the usage event where the caller asked. */
  limitStop(usage: TokenUsage): Buffer;
}

/** Collects the frames of a stream into the answer that the upstream would have given without streaming. */
export interface Assembler {
  push(frame: Frame): void;
  /** The JSON body. `stoppedUsage`: the balance stopped the answer, so open choices end by the limit and carry this usage. */
  finish(stoppedUsage: TokenUsage | null): Buffer;
}

/** A whole answer: its usage and text, an error under status 200, or something that is no answer of this protocol. */
export type AnswerReading =
  | {
      readonly kind: "answer";
      readonly usage: UsageReading;
      readonly text: string;
      readonly hasContent: boolean;
      readonly finishReason: string | null;
      /** The model that the upstream says it is. */
      readonly model: string | null;
    }
  | { readonly kind: "error"; readonly error: StreamError }
  | { readonly kind: "garbage"; readonly reason: string };

export interface ChatDialect {
  readonly endpoint: "chat.completions" | "messages";
  /** The protocol of the upstreams that this dialect can be served by. */
  readonly upstreamProtocol: "openai" | "anthropic";
  readRequest(body: Buffer): { readonly ok: true; readonly request: ChatRequest } | { readonly ok: false; readonly fault: Fault };
  createFrameReader(options: { readonly includeUsage: boolean; readonly fallback: StreamIdentity }): FrameReader;
  createAssembler(): Assembler;
  readAnswer(body: Buffer): AnswerReading;
  /** The error event of a stream that failed after its first byte. */
  errorEvent(fault: Fault, requestId: string): Buffer;
  readonly keepAlive: Buffer;
}
