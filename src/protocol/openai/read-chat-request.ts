/** A chat completions request: validated, measured, and ready to be sent on with only the named values changed. */
import { Fault } from "../../kernel/faults.ts";

export interface ChatRequestEdit {
  /** The upstream's name of the model. */
  readonly model: string;
  /** Sets or inserts `stream`; undefined leaves it as it is. */
  readonly stream?: boolean;
  /** True sets `stream_options.include_usage` to true, keeping its other fields; false leaves `stream_options` as it is. */
  readonly includeUsage: boolean;
}

export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The caller asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** `max_completion_tokens` before `max_tokens`; null when neither is given. */
  readonly maxTokens: number | null;
  readonly n: number;
  /** Upper estimate of the prompt: texts, tools, schemas, the format's overhead, images, audio, files. Bound it by the context window. */
  readonly inputTokens: number;
  /** Of inputTokens, what promptText() does not show: the format's overhead and media. Add it to an exact count of promptText(). */
  readonly overheadTokens: number;
  /** How many images the prompt carries. */
  readonly images: number;
  /** The parsed body. Never spread it with Object.assign: it may carry an own `__proto__`. */
  readonly body: Record<string, unknown>;
  /** The caller's bytes with only the named values changed. */
  rewrite(edit: ChatRequestEdit): Buffer;
  /** All text of the prompt, media left out, for exact counting. */
  promptText(): string;
}

export type ChatRequestReading =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly fault: Fault };

export function readChatRequest(body: Uint8Array): ChatRequestReading {
  void body;
  return { ok: false, fault: new Fault("invalid_request") };
}
