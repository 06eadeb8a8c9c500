/**
 * Why an upstream was passed over, failed or was not believed: every code, and what its sentence
 * names. Kept with the receipt beside the sentence in English; each language writes its own from the
 * code.
 */
import type { Figures } from "../figures.ts";
import type { TaskReasons } from "./task-reason.ts";

type NoParams = Readonly<Record<never, never>>;

/** Why a call had no answer, or lost it. */
export type TransportTrouble =
  | "connect"
  | "connect-timeout"
  | "first-byte-timeout"
  | "idle-timeout"
  | "closed"
  | "protocol"
  | "aborted"
  | "exhausted";

/** Of an answer that may be the work of several runs of the model. */
interface AboveLimit {
  readonly tokens: number;
  readonly limit: number;
  readonly runs: number;
}

export interface UpstreamReasons extends TaskReasons {
  // It was passed over.
  readonly cooldown: NoParams;
  readonly circuit_open: NoParams;
  readonly taken_out: NoParams;
  readonly credentials_refused: NoParams;
  readonly places_taken: NoParams;
  readonly no_credential: { readonly upstream: string; readonly names: string };
  // It failed; `words`: its own, or those of the system.
  readonly status: { readonly status: number; readonly words: string };
  readonly error_frame: { readonly words: string };
  readonly transport: { readonly trouble: TransportTrouble; readonly words: string };
  readonly answer_not_json: NoParams;
  readonly no_answer: {
    readonly expected:
      | "chat completion"
      | "message"
      | "response"
      | "list of embeddings"
      | "ranking"
      | "moderation"
      | "completion"
      | "transcript"
      | "images";
  };
  readonly no_choice: NoParams;
  readonly answer_too_large: { readonly limitBytes: number };
  readonly stream_not_json: NoParams;
  readonly stream_without_words: NoParams;
  readonly stream_long_without_words: NoParams;
  readonly stream_without_end: NoParams;
  readonly event_not_json: NoParams;
  readonly event_no_object: NoParams;
  readonly event_without_type: NoParams;
  readonly second_message: NoParams;
  readonly end_without_message: NoParams;
  // Its usage was not believed.
  readonly input_above_window: AboveLimit;
  readonly output_above_limit: AboveLimit;
  readonly count_not_whole: NoParams;
  readonly counts_do_not_fit: NoParams;
  readonly total_alone: NoParams;
  readonly usage_no_object: NoParams;
}

/** The sentences of one language: a code that has none does not compile. */
export type SentencesOf<Reasons> = {
  readonly [Code in keyof Reasons]: (params: Reasons[Code], figures: Figures) => string;
};
export type ReasonSentences = SentencesOf<UpstreamReasons>;

/** As it is kept, and read by pages. */
export interface CodedReason {
  readonly code: keyof UpstreamReasons;
  readonly params: Readonly<Record<string, string | number>>;
}

/**
 * Why, in English for logs, commands and metrics; and by code, absent where an upstream's words are
 * all there is.
 */
export interface WordedReason {
  readonly reason: string;
  readonly coded?: CodedReason;
}

/** The same of one of several upstreams. */
export interface UpstreamWordedReason extends WordedReason {
  readonly upstream: string;
}

/** Why a task did not come to be: by one code, or by that of each upstream that was no help. */
export interface TaskWordedReason {
  readonly reason: string;
  readonly coded?: CodedReason | readonly UpstreamWordedReason[];
}
