/**
 * The part of an address after `?`, as plain strings: `?from=2026-11-01&model=x` and nothing
 * cleverer, so that links read well.
 */

export type SearchStrings = Readonly<Record<string, string | undefined>>;

export function parseSearch(search: string): SearchStrings {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? "" : `?${text}`;
}
