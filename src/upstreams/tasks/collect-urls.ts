/**
 * Finds the URLs of files in what a provider calls its output: a text, a list, objects with `url`,
 * objects of any of these.
 */
import { SERVER_URL_CHARACTERS } from "../../net/check-url.ts";
import { isRecord } from "../../protocol/json/is-record.ts";

const DEEPEST = 5;
const MOST_URLS = 100;

/**
 * In their order, each once. Anything that is not an http(s) URL is passed over: captions, ids,
 * data URLs.
 */
export function collectUrls(values: readonly unknown[]): string[] {
  const found = new Set<string>();
  for (const value of values) gather(value, DEEPEST, found);
  return [...found];
}

function gather(value: unknown, depth: number, found: Set<string>): void {
  if (found.size >= MOST_URLS || depth === 0) return;
  if (typeof value === "string") {
    const url = value.trim();
    if (isHttpUrl(url)) found.add(url);
  } else if (Array.isArray(value)) {
    for (const entry of value) gather(entry, depth - 1, found);
  } else if (isRecord(value)) {
    // Beside its address a file's object names its content type, its preview, its size.
    const url = Object.hasOwn(value, "url") ? value["url"] : undefined;
    for (const member of typeof url === "string" ? [url] : Object.values(value))
      gather(member, depth - 1, found);
  }
}

function isHttpUrl(text: string): boolean {
  return (
    text.length <= SERVER_URL_CHARACTERS &&
    /^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text) &&
    URL.canParse(text)
  );
}
