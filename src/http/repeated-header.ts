/**
 * Finds a header that says two things where only one of them can count: the runtime would keep the
 * first, or join both.
 */
import type { IncomingMessage } from "node:http";
import { Fault } from "../kernel/faults.ts";

/**
 * What we read one value of. Two different ones would be read differently by a proxy before us,
 * which may have checked the other. Lists (`accept`, `x-forwarded-for`, `anthropic-beta` …) are not
 * among them; of `content-length` and `transfer-encoding` the parser takes no two.
 */
const SOLE = new Set([
  "anthropic-version",
  "authorization",
  "content-encoding",
  "content-type",
  "expect",
  "idempotency-key",
  "if-range",
  "last-event-id",
  "origin",
  "range",
  "sec-fetch-site",
  "traceparent",
  "x-api-key",
  "x-callback-url",
  "x-tollgate-key",
]);

/**
 * Null: each says one thing. One that says the same thing twice counts once; not so Host (RFC
 * 9112 §3.2). The message repeats no value: it may be a credential.
 */
export function repeatedHeader(request: IncomingMessage): Fault | null {
  const { headers, rawHeaders } = request;
  // As nearly always: every header came once.
  if (countOf(headers) * 2 === rawHeaders.length) return null;
  const seen = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    const value = rawHeaders[i + 1] ?? "";
    const before = seen.get(name);
    seen.set(name, value);
    if (before === undefined) continue;
    if (name === "host")
      return new Fault("invalid_request", { message: "The Host header was sent more than once." });
    if (!SOLE.has(name)) continue;
    if (before !== value) return differing(name);
    headers[name] = value;
  }
  return null;
}

function countOf(headers: IncomingMessage["headers"]): number {
  let count = 0;
  for (const name in headers) if (Object.hasOwn(headers, name)) count += 1;
  return count;
}

function differing(name: string): Fault {
  return new Fault("invalid_request", {
    message: `The header ${name} was sent twice, with different values. Send one of them.`,
    param: name,
  });
}
