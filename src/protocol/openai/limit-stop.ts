/** The proper end of a stream that the gateway itself stops because the balance is used up. */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity } from "../chat-dialect.ts";
import { completionId } from "./completion-id.ts";
import { renderUsage } from "./read-usage.ts";
import type { StreamState } from "./stream-state.ts";

export interface LimitStop {
  readonly state: StreamState;
  /** The usage chunk, when the caller asked for include_usage; null leaves it out. */
  readonly usage: TokenUsage | null;
  readonly identity: AnswerIdentity;
}

function headOf(state: StreamState, identity: AnswerIdentity): object {
  return {
    id: state.id ?? completionId(identity.requestId),
    object: "chat.completion.chunk",
    created: state.created ?? identity.created,
    model: identity.answerModel ?? state.model ?? identity.model,
  };
}

/** The extra chunk of include_usage, for a stream whose upstream sent none. */
export function usageChunk(
  state: StreamState,
  usage: Record<string, unknown>,
  identity: AnswerIdentity,
): Buffer {
  return Buffer.from(
    `data: ${JSON.stringify({ ...headOf(state, identity), choices: [], usage })}\n\n`,
  );
}

/**
 * Finish reason `length` for every open choice (one chunk each, with the id, created and model of
 * the stream: a change of id would make the SDK start a second completion), the usage chunk if
 * wanted, `[DONE]`. A stream stopped before any choice gets an empty first one.
 */
export function limitStop(stop: LimitStop): Buffer {
  const { state, usage, identity } = stop;
  const head = headOf(state, identity);
  // With include_usage every other chunk carries a null usage (OpenAI's rule).
  const tail = usage === null ? {} : { usage: null };
  const untouched = state.openChoices.length === 0 && state.finishReasons.size === 0;
  const open = untouched ? [0] : state.openChoices;
  const delta = untouched ? { role: "assistant", content: "" } : {};
  const chunks: object[] = open.map((index) => ({
    ...head,
    choices: [{ index, delta, logprobs: null, finish_reason: "length" }],
    ...tail,
  }));
  if (usage !== null) chunks.push({ ...head, choices: [], usage: renderUsage(usage) });
  return Buffer.from(
    `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`,
  );
}
