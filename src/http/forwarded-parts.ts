/** What of a caller's headers and query goes on to an upstream of the caller's own protocol: only what the protocol names. */
import type { IncomingHttpHeaders } from "node:http";
import type { ChatDialect } from "../protocol/chat-dialect.ts";

export interface ForwardedParts {
  /** Names in lower case. */
  readonly forward: Readonly<Record<string, string>>;
  /** With its question mark; empty for none. */
  readonly query: string;
}

/** `target` is the request's path with its query. */
export function forwardedParts(names: ChatDialect["forwarded"], headers: IncomingHttpHeaders, target: string): ForwardedParts {
  const forward: Record<string, string> = {};
  for (const name of names.headers) {
    const value = headers[name];
    if (value !== undefined) forward[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const mark = names.query.length === 0 ? -1 : target.indexOf("?");
  if (mark < 0) return { forward, query: "" };
  const kept = new URLSearchParams([...new URLSearchParams(target.slice(mark + 1))].filter(([name]) => names.query.includes(name)));
  return { forward, query: kept.size === 0 ? "" : `?${kept.toString()}` };
}
