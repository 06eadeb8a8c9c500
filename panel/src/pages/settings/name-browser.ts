/**
 * Names a browser and its system by what it says of itself, well enough to tell one's own from a
 * stranger's.
 */

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/YaBrowser\//, "Yandex Browser"],
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** `Firefox, Linux`; null: it says nothing that we know. */
export function nameBrowser(userAgent: string): string | null {
  const named = [BROWSERS, SYSTEMS]
    .map((list) => list.find(([pattern]) => pattern.test(userAgent))?.[1])
    .filter((name) => name !== undefined);
  return named.length === 0 ? null : named.join(", ");
}
