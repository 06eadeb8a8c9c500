/** One server-sent event of an OpenAI-protocol stream, read into what the gateway needs to know of it. */
import type { SseEvent } from "../sse/split-events.ts";
import { type UsageReading } from "./read-usage.ts";

export interface ChunkChoice {
  readonly index: number;
  /** All generated text of this choice in this chunk: content, refusal, reasoning, tool names and arguments, audio transcript. */
  readonly text: string;
  /** Null while the choice goes on. */
  readonly finishReason: string | null;
}

export interface ChatChunk {
  readonly kind: "chunk";
  /** Something was generated: text, a tool call, audio. False for the role, keep-alive and usage chunks. */
  readonly hasContent: boolean;
  /** The text of all choices. */
  readonly text: string;
  readonly usage: UsageReading;
  /** The extra chunk of `stream_options.include_usage`: no choices, only usage. Dropped unless the caller asked for it. */
  readonly usageOnly: boolean;
  /** A choice of this chunk carries a finish reason. */
  readonly finished: boolean;
  readonly choices: readonly ChunkChoice[];
  /** The parsed chunk. */
  readonly data: Record<string, unknown>;
}

/** An error that the upstream put into a stream, or into a body that came with a 200. */
export interface UpstreamErrorReading {
  readonly kind: "error";
  /** Safe for callers: bounded, credentials and account names removed. */
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  /** The HTTP status that this error would have been, where its code or type tells; null where it does not. */
  readonly status: number | null;
}

export type ChunkReading =
  | ChatChunk
  | UpstreamErrorReading
  | { readonly kind: "done" }
  | { readonly kind: "comment" }
  | { readonly kind: "garbage"; readonly reason: string };

export function readChunk(event: SseEvent): ChunkReading {
  return event.data === null ? { kind: "comment" } : { kind: "garbage", reason: "not written yet" };
}
