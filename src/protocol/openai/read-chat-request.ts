/** A chat completions request: validated, measured, and ready to be sent on with only the named values changed. */
import { ChatRequestBody } from "../../contract/chat-request.ts";
import { createMistakeFinder, type Mistake } from "../../contract/find-mistakes.ts";
import { Fault } from "../../kernel/faults.ts";
import { estimateCentitokens } from "../estimate-tokens.ts";
import { foldKey, readJsonObject, type JsonObject } from "../json/read-json-object.ts";
import { isRecord } from "../json/is-record.ts";
import { rewriteChatRequest, type ChatRequestEdit } from "./rewrite-chat-request.ts";
import { walkPrompt, type Unseen } from "./walk-prompt.ts";

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
  /** What promptText() does not show, as is usual for it: the format's own tokens and media. Add it to an exact count of promptText(). */
  readonly overheadTokens: number;
  /** How many images the prompt carries. */
  readonly images: number;
  /**
   * The parsed body, made when it is asked for where it holds large images. Never copy it with Object.assign: it may carry an own
   * `__proto__`.
   */
  readonly body: Record<string, unknown>;
  /** The caller's bytes with only the named values changed; the caller's own bytes when nothing changes. */
  rewrite(edit: ChatRequestEdit): Buffer;
  /** All text of the prompt, media left out, for exact counting. */
  promptText(): string;
}

export type ChatRequestReading = { readonly ok: true; readonly request: ChatRequest } | { readonly ok: false; readonly fault: Fault };

/** What the gateway reads to price a request: none of it may be ambiguous. */
const GUARDED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "tools",
  "functions",
  "response_format",
]);

const findMistakes = createMistakeFinder(ChatRequestBody);

/** The first mistake in full, the others as a number: this family's error names one field. */
function faultOf(mistakes: readonly Mistake[]): Fault {
  const [first] = mistakes;
  const others = mistakes.length - 1;
  const more = others === 0 ? "" : ` There ${others === 1 ? "is 1 more mistake" : `are ${others} more mistakes`} in the body.`;
  return new Fault("invalid_request", {
    message: `${first?.message ?? "The request is not valid."}${more}`,
    ...(first === undefined || first.param === "" ? {} : { param: first.param }),
    errors: mistakes,
  });
}

/** `Include_Usage` beside or in place of `include_usage`: an upstream that folds case would take it, and its usage would be lost. */
function oddStreamOption(options: unknown): string | null {
  if (!isRecord(options)) return null;
  return Object.keys(options).find((key) => key !== "include_usage" && foldKey(key) === "include_usage") ?? null;
}

function measure(body: Record<string, unknown>): { inputTokens: number; overheadTokens: number; images: number } {
  let centitokens = 0;
  let most = 0;
  let overheadTokens = 0;
  let images = 0;
  function unseen(tokens: Unseen): void {
    most += tokens.most;
    overheadTokens += tokens.likely;
  }
  walkPrompt(body, {
    text: (text) => (centitokens += estimateCentitokens(text)),
    unseen,
    image(tokens) {
      images += 1;
      unseen(tokens);
    },
  });
  return { inputTokens: Math.ceil(centitokens / 100) + most, overheadTokens, images };
}

function promptText(body: Record<string, unknown>): string {
  const texts: string[] = [];
  walkPrompt(body, { text: (text) => texts.push(text), unseen: () => undefined, image: () => undefined });
  return texts.join("\n");
}

/** A number that the validator has passed; null stands for "not set". */
function numberOr<T>(value: unknown, absent: T): number | T {
  return typeof value === "number" ? value : absent;
}

function requestOf(bytes: Buffer, object: JsonObject): ChatRequest {
  const { value: body } = object;
  const options = body["stream_options"];
  return {
    model: String(body["model"]),
    stream: body["stream"] === true,
    includeUsage: isRecord(options) && options["include_usage"] === true,
    maxTokens: numberOr(body["max_completion_tokens"], numberOr(body["max_tokens"], null)),
    n: numberOr(body["n"], 1),
    ...measure(body),
    get body() {
      return object.whole();
    },
    rewrite: (edit) => rewriteChatRequest(bytes, object, edit),
    promptText: () => promptText(body),
  };
}

/**
 * Validates without coercing any type; unknown fields pass (contract §5). Refuses what is ambiguous (see read-json-object.ts). The
 * bytes are kept, not copied: they must not change while the request lives.
 */
export function readChatRequest(body: Uint8Array): ChatRequestReading {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const reading = readJsonObject(bytes, GUARDED);
  if (!reading.ok) return reading;
  const mistakes = findMistakes(reading.object.value);
  if (mistakes.length > 0) return { ok: false, fault: faultOf(mistakes) };
  const odd = oddStreamOption(reading.object.value["stream_options"]);
  if (odd !== null) {
    const message = `'stream_options.${odd}' is not a field. Field names are in lower case: send 'include_usage'.`;
    return { ok: false, fault: new Fault("invalid_request", { message, param: `stream_options.${odd}` }) };
  }
  return { ok: true, request: requestOf(bytes, reading.object) };
}
