/**
 * What the head of an answer says: where it redirects to, or that it is the whole file, plain, of a
 * length that is allowed.
 */
import { FetchRefusal } from "./fetch-refusal.ts";
import type { Answer, AnswerHeaders } from "./guarded-exchange.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The absolute address of the next hop, not checked yet but for a step down from https. Null: the
 * answer is no redirect.
 */
export function nextHop(answer: Answer, from: URL): string | null {
  if (!REDIRECTS.has(answer.status)) return null;
  const location = single(answer.headers, "location");
  if (location === null || location === "") throw new FetchRefusal("redirect_target");
  // Headers arrive as Latin-1; addresses in them are written in UTF-8 where they are not pure
  // ASCII.
  const written = Buffer.from(location, "latin1").toString("utf8");
  if (/[\p{Cc}\p{Z}\\]/u.test(written))
    throw new FetchRefusal("url_characters", { redirected: true });
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(written)?.[1]?.toLowerCase();
  // Absolute ones are judged as they are written, so that a misspelled one is refused as it would
  // be at first.
  const next = scheme === undefined ? (URL.parse(written, from)?.href ?? null) : written;
  if (next === null) throw new FetchRefusal("not_a_url", { redirected: true });
  if (from.protocol === "https:" && (scheme ?? "https") === "http")
    throw new FetchRefusal("redirect_downgrade");
  return next;
}

export interface FileHead {
  readonly contentType: string | null;
  readonly declaredBytes: number | null;
}

/** Throws a FetchRefusal unless this is the whole file as it is. */
export function checkFile(answer: Answer, maxBytes: number): FileHead {
  const { status, headers } = answer;
  if (status === 206) throw new FetchRefusal("partial_answer");
  if (status !== 200)
    throw new FetchRefusal("status", {
      cause: new Error(`status ${status}`),
      transient: isTrouble(status),
    });
  const encoding = headers["content-encoding"] ?? "identity";
  const transfer = headers["transfer-encoding"] ?? "chunked";
  if (String(encoding).toLowerCase() !== "identity" || String(transfer).toLowerCase() !== "chunked")
    throw new FetchRefusal("encoded_answer");
  const length = single(headers, "content-length");
  const declaredBytes = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
  if (declaredBytes !== null && declaredBytes > maxBytes) throw new FetchRefusal("too_large");
  return { contentType: single(headers, "content-type"), declaredBytes };
}

/**
 * A status by which a server says nothing of what was asked for: later may be better for these
 * only.
 */
export function isTrouble(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Null: not there, or there more than once and not the same. */
function single(headers: AnswerHeaders, name: string): string | null {
  const value = headers[name];
  if (typeof value === "string" || value === undefined) return value ?? null;
  return new Set(value).size === 1 ? (value[0] ?? null) : null;
}
