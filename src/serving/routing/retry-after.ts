/**
 * How long an upstream asks us to wait: `retry-after` in seconds or as a date (RFC 9110, 10.2.3),
 * `retry-after-ms` as OpenAI and Azure send it.
 */

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Who asks for longer means "not today"; callers and rests have bounds of their own. */
const LONGEST_SECONDS = 86_400;

/**
 * Whole seconds, rounded up; null where nothing sensible is said. A date is set against the
 * answer's own `date`, so neither our clock nor a wrong one there matters; without that header it
 * says nothing.
 */
export function readRetryAfter(headers: Headers): number | null {
  return (
    fromMs(textOf(headers["retry-after-ms"])) ??
    fromSecondsOrDate(textOf(headers["retry-after"]), textOf(headers["date"]))
  );
}

function fromMs(text: string | null): number | null {
  return text !== null && /^\d{1,12}(?:\.\d{1,6})?$/.test(text)
    ? bounded(Number(text) / 1000)
    : null;
}

function fromSecondsOrDate(text: string | null, sentAt: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return bounded(Number(text));
  const seconds =
    sentAt === null ? Number.NaN : (parseHttpDate(text) - parseHttpDate(sentAt)) / 1000;
  return Number.isNaN(seconds) ? null : bounded(seconds);
}

/**
 * `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that senders may generate; NaN for anything else.
 */
function parseHttpDate(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}

function bounded(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_SECONDS);
}

function textOf(value: string | string[] | undefined): string | null {
  const text = typeof value === "string" ? value : value?.[0];
  return text === undefined ? null : text.trim();
}
