/**
 * A talk with a model, whatever the protocol: what was said, shown, called and answered, turn by
 * turn.
 */
import type { ApiError } from "../../../api/api-error.ts";

export interface Picture {
  readonly name: string;
  readonly mediaType: string;
  /** `data:image/png;base64,…`. */
  readonly dataUrl: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it; perhaps not whole yet. */
  readonly arguments: string;
}

export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

export interface Answer {
  readonly text: string;
  readonly thinking: string;
  /** Of the Messages protocol, which wants its thoughts back unchanged. */
  readonly signature: string;
  readonly calls: readonly ToolCall[];
  /** The upstream's word for why it ended; null: not yet. */
  readonly finish: string | null;
}

export const NO_ANSWER: Answer = { text: "", thinking: "", signature: "", calls: [], finish: null };

/** One request and what came back. */
export interface Exchange {
  /** `refused`: nothing of an answer came. `broken`: it ended before its end. */
  readonly state: "running" | "done" | "stopped" | "broken" | "refused";
  readonly requestId: string | null;
  /** Of HTTP; null: no answer yet. */
  readonly status: number | null;
  readonly sent: string;
  readonly received: string;
  readonly error: ApiError | null;
}

export interface Message {
  readonly text: string;
  readonly pictures: readonly Picture[];
}

export type Turn =
  /** `id`: the same where two models were asked the same. */
  | ({ readonly kind: "user"; readonly id: string } & Message)
  | { readonly kind: "results"; readonly results: readonly ToolResult[] }
  | {
      readonly kind: "answer";
      /** Of the request: what is told of it later belongs to no other answer. */
      readonly runId: string;
      readonly model: string;
      readonly answer: Answer;
      readonly exchange: Exchange;
    };
export type AnswerTurn = Extract<Turn, { readonly kind: "answer" }>;

/** All that was said to one model, and by it. */
export type Lane = readonly Turn[];
