/**
 * Reads the misbehaviour a caller asks for: `[[sandbox: delay=500 status=429]]` in the last user
 * message, or the same words in an `x-sandbox` header.
 */

import { readCount, readDirectiveWords, type DirectiveReader } from "./read-directive-words.ts";
import { readScript, type ScriptStep } from "./read-script.ts";

/** How the usage figures shall be wrong, or which figures to report. */
export type UsageDirective =
  | {
      readonly kind:
        | "none"
        | "zero"
        | "negative"
        | "fraction"
        | "huge"
        | "overflow"
        | "text"
        | "start"
        | "delta";
    }
  | {
      readonly kind: "exact";
      readonly prompt: number;
      readonly completion: number;
      readonly cached: number;
      readonly reasoning: number;
    };

/** Every key is documented in README.md; null and false mean "behave". */
export interface Directives {
  readonly delayMs: number;
  readonly slowHeadersMs: number;
  readonly chunkDelayMs: number | null;
  readonly slice: number | null;
  readonly status: number | null;
  readonly retryAfter: string | null;
  readonly contentType: string | null;
  readonly body: "html" | "empty" | "json-error" | null;
  readonly hang: boolean;
  readonly reset: boolean;
  readonly cut: number | null;
  readonly end: number | null;
  readonly silentAt: number | null;
  readonly garbage: number | null;
  readonly errorEvent: number | null;
  readonly noDone: boolean;
  /** The code of the error with which a response ends; null ends it well. */
  readonly failed: string | null;
  /** Why a response is incomplete, whatever it says. */
  readonly incomplete: string | null;
  readonly tokens: number | null;
  readonly text: string | null;
  readonly script: readonly ScriptStep[] | null;
  readonly refusal: boolean;
  readonly usage: UsageDirective | null;
  readonly cached: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

type Patch = Partial<{ -readonly [Key in keyof Directives]: Directives[Key] }>;
type Reader = DirectiveReader<Patch>;

const BEHAVE: Directives = {
  delayMs: 0,
  slowHeadersMs: 0,
  chunkDelayMs: null,
  slice: null,
  status: null,
  retryAfter: null,
  contentType: null,
  body: null,
  hang: false,
  reset: false,
  cut: null,
  end: null,
  silentAt: null,
  garbage: null,
  errorEvent: null,
  noDone: false,
  failed: null,
  incomplete: null,
  tokens: null,
  text: null,
  script: null,
  refusal: false,
  usage: null,
  cached: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
};

const number =
  (patch: (value: number) => Patch): Reader =>
  (value) => {
    const parsed = readCount(value);
    return parsed === null ? null : patch(parsed);
  };

const flag =
  (patch: Patch): Reader =>
  (value) =>
    value === "" ? patch : null;

const READERS: Readonly<Record<string, Reader>> = {
  delay: number((delayMs) => ({ delayMs })),
  slowHeaders: number((slowHeadersMs) => ({ slowHeadersMs })),
  chunkDelay: number((chunkDelayMs) => ({ chunkDelayMs })),
  slice: number((slice) => ({ slice: Math.max(1, slice) })),
  status: (value) => (/^[2-5]\d\d$/.test(value) ? { status: Number(value) } : null),
  "retry-after": (retryAfter) => (retryAfter === "" ? null : { retryAfter }),
  contentType: (contentType) => (contentType === "" ? null : { contentType }),
  body: (value) => {
    if (value === "json-error-with-200") return { body: "json-error" };
    return value === "html" || value === "empty" || value === "json-error" ? { body: value } : null;
  },
  hang: flag({ hang: true }),
  reset: flag({ reset: true }),
  cut: number((cut) => ({ cut })),
  end: number((end) => ({ end })),
  silentAt: number((silentAt) => ({ silentAt })),
  garbage: number((garbage) => ({ garbage })),
  errorEvent: number((errorEvent) => ({ errorEvent })),
  errorFirst: flag({ errorEvent: 0 }),
  noDone: flag({ noDone: true }),
  failed: (value) => ({ failed: value === "" ? "server_error" : value }),
  incomplete: (incomplete) => (incomplete === "" ? null : { incomplete }),
  tokens: number((tokens) => ({ tokens })),
  text: (value) => {
    const bytes = Buffer.from(value, "base64");
    return bytes.toString("base64").replace(/=+$/, "") === value.replace(/=+$/, "")
      ? { text: bytes.toString("utf8") }
      : null;
  },
  script: (value) => {
    const script = readScript(value);
    return script === null ? null : { script };
  },
  refusal: flag({ refusal: true }),
  usage: (value) => {
    const usage = readUsage(value);
    return usage === null ? null : { usage };
  },
  cached: number((cached) => ({ cached })),
  cacheWrite5m: number((cacheWrite5m) => ({ cacheWrite5m })),
  cacheWrite1h: number((cacheWrite1h) => ({ cacheWrite1h })),
};

function readUsage(value: string): UsageDirective | null {
  switch (value) {
    case "none":
    case "zero":
    case "negative":
    case "fraction":
    case "huge":
    case "overflow":
    case "text":
    case "start":
    case "delta":
      return { kind: value };
    default: {
      const figures = value.split(",").map(readCount);
      const [prompt, completion, cached = 0, reasoning = 0] = figures;
      if (figures.length > 4 || prompt === undefined || completion === undefined) return null;
      if (prompt === null || completion === null || cached === null || reasoning === null)
        return null;
      return { kind: "exact", prompt, completion, cached, reasoning };
    }
  }
}

/**
 * An unknown key or a bad value is an error and not ignored, so that a test with a typo fails
 * instead of passing.
 */
export function parseDirectives(
  header: string,
  text: string,
  model: string,
):
  | { readonly ok: true; readonly directives: Directives }
  | { readonly ok: false; readonly message: string } {
  const read = readDirectiveWords<Patch>(READERS, header, text, model);
  return read.ok ? { ok: true, directives: { ...BEHAVE, ...read.patch } } : read;
}
