/**
 * A name in the quotes of a language: quotes inside it become the inner ones, so that they never
 * nest alike.
 */
import type { Language } from "../contract/enums/language.ts";

const MARKS = {
  ru: { open: "«", close: "»", innerOpen: "„", innerClose: "“" },
  en: { open: "“", close: "”", innerOpen: "‘", innerClose: "’" },
} as const;

/** A straight quote opens where a word begins, and closes elsewhere. */
export function quotedName(language: Language, name: string): string {
  const { open, close, innerOpen, innerClose } = MARKS[language];
  const inner = name
    .replaceAll(/(^|[\s(«„“])"/g, `$1${innerOpen}`)
    .replaceAll('"', innerClose)
    .replaceAll(open, innerOpen)
    .replaceAll(close, innerClose);
  return `${open}${inner}${close}`;
}
