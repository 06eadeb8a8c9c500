/**
 * Which absolute URLs of a provider may be called, or fetched, with our credential: those of its
 * own origin and of the hosts the operator named.
 */
import type { TaskUpstream } from "./task-adapter.ts";

const LONGEST_URL = 4_096;

/** Null: not an http(s) URL, not theirs, or one that carries credentials of its own. */
export function trustedUrl(upstream: TaskUpstream, text: unknown): URL | null {
  if (
    typeof text !== "string" ||
    text.length > LONGEST_URL ||
    !/^https?:\/\/[\x21-\x7e]+$/i.test(text) ||
    text.includes("\\")
  )
    return null;
  const url = URL.parse(text);
  const base = URL.parse(upstream.baseUrl);
  if (url === null || base === null || url.username !== "" || url.password !== "") return null;
  if (url.origin === base.origin) return url;
  // The credential never goes from an encrypted way to an open one.
  if (url.protocol !== "https:" && url.protocol !== base.protocol) return null;
  const withPort = `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port}`;
  return upstream.resultHosts.includes(url.host) || upstream.resultHosts.includes(withPort)
    ? url
    : null;
}
