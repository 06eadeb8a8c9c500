/** What code of a call has in common, whatever the call: curl with JSON, and keywords of Python. */
import type { Snippet } from "../../ui/api-snippets.ts";
import { inPython, inShell } from "./literals.ts";

export type SentJson = Readonly<Record<string, unknown>>;

/** Who pays, as most protocols have it. */
export const BEARER = '-H "Authorization: Bearer $TOLLGATE_KEY"';

/** @param more further words of the command, quoted. */
export function curlOf(
  url: string,
  headers: readonly string[],
  request: SentJson,
  more: readonly string[] = [],
): Snippet {
  return curlLines(url, [
    ...headers,
    "-H 'Content-Type: application/json'",
    `-d ${inShell(JSON.stringify(request, null, 2))}`,
    ...more,
  ]);
}

/** @param lines words of the command, quoted. */
export function curlLines(url: string, lines: readonly string[]): Snippet {
  return { name: "curl", code: [`curl ${inShell(url)}`, ...lines].join(" \\\n  ") };
}

export function inKeywords(request: SentJson): string {
  return Object.entries(request)
    .map(([name, value]) => `\n    ${name}=${inPython(value, 4)},`)
    .join("");
}
