/** An upstream's refusal, whatever its form, as something that may be shown to a caller. */
import { isRecord } from "./json/is-record.ts";
import { HIDES_NOTHING, type HideWords } from "./operator-words.ts";
import { safeText } from "./safe-text.ts";

/**
 * An error that an upstream answered with, put into a stream, or hid in a body under status 200.
 */
export interface UpstreamErrorReading {
  readonly kind: "error";
  /** Safe for callers: bounded, on one line, credentials and account names removed. */
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  /**
   * The HTTP status; of an error inside a stream or under a status of success the one it amounts to
   * where its words tell, else null.
   */
  readonly status: number | null;
  /**
   * What stands beside the words and harms no caller: Groq's `failed_generation`, the call that it
   * could not read.
   */
  readonly fields: Readonly<Record<string, string>>;
}

/** An error's words are at its beginning; the rest of a huge page is not read. */
const READ_LIMIT_BYTES = 64 * 1024;
const WORD_LIMIT_CHARACTERS = 100;
const HARMLESS_FIELDS = ["failed_generation"] as const;
const FIELD_LIMIT_CHARACTERS = 8_000;

/** What the words in `code`, `type` or `status` of an error amount to, first match first. */
const STATUS_OF_WORDS: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|too.?many.?requests|throttl|resource.?exhausted/i, 429],
  [/quota|billing|balance|payment|credit/i, 402],
  [/api.?key|authenticat|unauthori[sz]ed/i, 401],
  [/permission|forbidden|access.?denied/i, 403],
  [/overload|unavailable|capacity/i, 503],
  [/time.?out|deadline/i, 504],
  [/not.?found/i, 404],
  [/too.?large/i, 413],
  [/invalid|bad.?request|context.?length|content.?filter|unsupported|validation/i, 400],
  [/server.?error|internal|api.?error|upstream/i, 500],
];

/**
 * What bytes that are no UTF-8 become, compressed ones for instance; at the very end it is a
 * character that the limit has cut.
 */
const NOT_TEXT = /\uFFFD./su;

function statusOf(value: unknown): number | null {
  const numeric =
    typeof value === "number"
      ? value
      : typeof value === "string" && /^\d{3}$/.test(value)
        ? Number(value)
        : null;
  if (numeric !== null)
    return Number.isInteger(numeric) && numeric >= 400 && numeric <= 599 ? numeric : null;
  if (typeof value !== "string") return null;
  return STATUS_OF_WORDS.find(([words]) => words.test(value))?.[1] ?? null;
}

function wordOf(value: unknown, hide: HideWords): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== ""
    ? safeText(hide(value), WORD_LIMIT_CHARACTERS)
    : null;
}

/** As they are, but for what is hidden: programs read them. */
function harmlessFields(error: Record<string, unknown>, hide: HideWords): Record<string, string> {
  const fields = HARMLESS_FIELDS.flatMap((name) => {
    const value = error[name];
    return typeof value === "string" && value !== ""
      ? [[name, hide(value).slice(0, FIELD_LIMIT_CHARACTERS)] as const]
      : [];
  });
  return Object.fromEntries(fields);
}

/** An error wraps its words in a few layers at most; more is no error's text. */
const TEXT_DEPTH = 4;

/** Where FastAPI has found the mistake: the names and numbers of `loc`, but for the body itself. */
function placeOf(item: unknown): string {
  const loc = isRecord(item) && Array.isArray(item["loc"]) ? (item["loc"] as unknown[]) : [];
  const names = loc
    .slice(0, 8)
    .filter((name) => (typeof name === "string" && name !== "body") || typeof name === "number");
  return names.length === 0 ? "" : `${names.join(".")}: `;
}

/** FastAPI's `detail: [{loc, msg}]`, or a list of texts. */
function textOfList(list: readonly unknown[], depth: number): string | null {
  const texts = list.slice(0, 3).map((item) => {
    const text = textOf(item, depth);
    return text === null ? null : placeOf(item) + text;
  });
  const found = texts.filter((text) => text !== null);
  return found.length === 0 ? null : found.join("; ");
}

function textOf(value: unknown, depth = TEXT_DEPTH): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return textOfList(value, depth - 1);
  if (!isRecord(value)) return null;
  return (
    textOf(value["message"], depth - 1) ??
    textOf(value["detail"], depth - 1) ??
    textOf(value["msg"], depth - 1)
  );
}

/** Where a body keeps its error: under `error` in OpenAI's shape, else the body itself. */
function errorPart(data: unknown): {
  readonly error: unknown;
  readonly around: Record<string, unknown>;
} {
  // Google's OpenAI-compatible endpoint wraps its error bodies in a list.
  const body: unknown = Array.isArray(data) ? data[0] : data;
  if (!isRecord(body)) return { error: body, around: {} };
  const { error } = body;
  return error === undefined || error === null || error === false
    ? { error: body, around: {} }
    : { error, around: body };
}

/** What is known of an error before it is read. */
export interface ErrorReadingOptions {
  /** Said when it carries no text. */
  readonly fallback: string;
  /** Where the HTTP status is known. */
  readonly status?: number | null;
  readonly hide?: HideWords | undefined;
}

/** Reads an error that has been parsed from JSON. */
export function readErrorValue(
  data: unknown,
  { fallback, status = null, hide = HIDES_NOTHING }: ErrorReadingOptions,
): UpstreamErrorReading {
  const { error, around } = errorPart(data);
  const fields = isRecord(error) ? error : {};
  const text =
    textOf(error) ??
    textOf(fields["errors"]) ??
    textOf(around["message"]) ??
    textOf(around["detail"]);
  const hints = [
    fields["code"],
    fields["status"],
    fields["status_code"],
    fields["type"],
    around["code"],
    around["status"],
    around["type"],
  ];
  return {
    kind: "error",
    message: text === null ? fallback : safeText(hide(text)),
    type: wordOf(fields["type"], hide),
    code: wordOf(fields["code"], hide),
    param: wordOf(fields["param"], hide),
    status: status ?? hints.map(statusOf).find((found) => found !== null) ?? null,
    fields: harmlessFields(fields, hide),
  };
}

function saysSomething(words: unknown): boolean {
  return (typeof words === "string" || Array.isArray(words)) && words.length > 0;
}

/** What a code says where nothing is wrong. */
const FINE: ReadonlySet<unknown> = new Set([undefined, null, 0, "0", "", 200, "200"]);

/**
 * FastAPI's `detail`, or words beside a code (Zhipu), where an answer should be: an error without
 * the name of one.
 */
export function isBareError({
  message,
  msg,
  detail,
  code,
  success,
}: Record<string, unknown>): boolean {
  return (
    saysSomething(detail) ||
    ((success === false || !FINE.has(code)) && (saysSomething(message) || saysSomething(msg)))
  );
}

function parseBody(text: string): unknown {
  // An error may come as a server-sent event although it is the whole answer.
  const json = /^(?:event:[^\n]*\n)?data:([^\n]*)/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What an upstream answered in place of an answer. */
export interface Refusal {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
}

/**
 * Reads the body of a refusal: OpenAI's `{"error":{…}}`, `{"error":"…"}`, `{"detail":…}`,
 * `{"message":…}`, a list around one of these, server-sent events, plain text, HTML, nothing. The
 * message is safe for callers (see safe-text.ts).
 */
export function readUpstreamError(
  { status, contentType, body }: Refusal,
  hide: HideWords = HIDES_NOTHING,
): UpstreamErrorReading {
  const text = Buffer.from(
    body.buffer,
    body.byteOffset,
    Math.min(body.byteLength, READ_LIMIT_BYTES),
  )
    .toString("utf8")
    .trim();
  const fallback = `The upstream answered with status ${status}.`;
  const data = parseBody(text);
  const reported = status >= 400 ? status : null;
  if (data !== undefined) return readErrorValue(data, { fallback, status: reported, hide });
  const isPage = text.startsWith("<") || (contentType ?? "").includes("html");
  const message = text === "" || isPage || NOT_TEXT.test(text) ? fallback : safeText(hide(text));
  return {
    kind: "error",
    message,
    type: null,
    code: null,
    param: null,
    status: reported,
    fields: {},
  };
}
