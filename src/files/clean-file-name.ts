/**
 * The name that a sender gave a file, made fit to be shown: it is kept as text and never becomes
 * part of a path.
 */

const MOST_CHARACTERS = 255;
/** Control characters, and those that change the direction or the lines of what is around them. */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * What stands behind the last slash, without control characters, the last 255 characters of it;
 * null where nothing is left.
 */
export function cleanFileName(sent: string): string | null {
  const last = sent.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const shown = last.replaceAll(UNSHOWABLE, "").trim();
  if (shown === "" || shown === "." || shown === "..") return null;
  return [...shown].slice(-MOST_CHARACTERS).join("").trimStart();
}
