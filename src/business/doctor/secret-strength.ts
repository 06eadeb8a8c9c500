/** What shows that a secret was made up, cut or copied wrongly; a good one shows nothing. */
import type { Words } from "./finding.ts";

/** Thirty-two random hexadecimal digits have this many different ones, nearly always. */
const FEWEST_CHARACTERS = 8;
/** Of an example that was left as it stood. */
const PLACEHOLDER = /change.?me|placeholder|your.?(key|secret|token)|xxxx|\.\.\.|…/i;
const GUESSED = /password|passw0rd|secret|example|default|tollgate|qwerty|12345678|abcdefgh/i;

/** Of one that people choose. Null: nothing shows. */
export function weaknessOf(secret: string): Words | null {
  const slip = slipOf(secret);
  if (slip !== null) return slip;
  if (GUESSED.test(secret))
    return {
      en: "has words in it that anybody would try",
      ru: "содержит слова, которые попробует каждый",
    };
  if (/^(.{1,8})\1+$/s.test(secret)) return { en: "repeats itself", ru: "повторяет сам себя" };
  if (new Set(secret).size < FEWEST_CHARACTERS)
    return { en: "is made of very few characters", ru: "состоит из очень немногих разных знаков" };
  return null;
}

/** Of one that a provider gave: how it was entered, and that it was entered at all. */
export function slipOf(secret: string): Words | null {
  if (secret !== secret.trim() || /^(["'`]).*\1$/s.test(secret))
    return {
      en: "has spaces or quotes at its ends",
      ru: "начинается или кончается пробелом или кавычкой",
    };
  if (PLACEHOLDER.test(secret))
    return { en: "is a placeholder", ru: "остался таким, как в примере" };
  return null;
}
