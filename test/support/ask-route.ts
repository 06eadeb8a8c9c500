/**
 * Asks a route as a caller with these headers would, and shows all of the answer that the caller
 * can see.
 */
import assert from "node:assert/strict";

export interface RouteAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type SentHeaders = Readonly<Record<string, string>>;

export async function askRoute(
  url: string,
  method: string,
  path: string,
  headers: SentHeaders,
  body?: unknown,
): Promise<RouteAnswer> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(path.startsWith("/panel") ? { origin: url } : {}),
      ...(method === "POST" && !isForm ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(method === "POST" ? { body: isForm ? body : JSON.stringify(body ?? {}) } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export const cookieOf = (person: { readonly cookie: string | null }): SentHeaders => ({
  cookie: person.cookie ?? assert.fail("has no session"),
});

/**
 * All that a caller can see of an answer, but for what differs between any two: the id and the
 * moment, and what it sent itself.
 */
export function faceOf({ status, headers, text }: RouteAnswer, sent: string): unknown {
  const seen = [...headers].filter(
    ([name]) => !["date", "x-request-id", "request-id"].includes(name),
  );
  const own = (text_: string): string =>
    text_.replaceAll(/req_[0-9a-f]{32}/g, "REQUEST").replaceAll(sent, "SENT");
  return [status, seen, own(text)];
}

export const codeOf = ({ text }: RouteAnswer): string => /"code":"(\w+)"/.exec(text)?.[1] ?? "";
