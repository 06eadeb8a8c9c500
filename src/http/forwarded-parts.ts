/**
 * What of a caller's headers and query goes on to an upstream of the caller's own protocol: only
 * what the protocol names.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ChatDialect } from "../protocol/chat-dialect.ts";

export interface ForwardedParts {
  /** Names in lower case. */
  readonly forward: Readonly<Record<string, string>>;
  /** With its question mark; empty for none. */
  readonly query: string;
}

const NOTHING: ForwardedParts = { forward: {}, query: "" };

/** `target` is the request's path with its query. */
export function forwardedParts(
  names: ChatDialect["forwarded"],
  headers: IncomingHttpHeaders,
  target: string,
): ForwardedParts {
  const mark = names.query.length === 0 ? -1 : target.indexOf("?");
  if (mark === -1 && names.headers.length === 0) return NOTHING;
  const forward: Record<string, string> = {};
  for (const name of names.headers) {
    const value = headers[name];
    if (value !== undefined) forward[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return { forward, query: mark === -1 ? "" : forwardedQuery(names.query, target.slice(mark + 1)) };
}

function forwardedQuery(names: readonly string[], search: string): string {
  const kept = new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name]) => names.includes(name)),
  );
  return kept.size === 0 ? "" : `?${kept.toString()}`;
}
