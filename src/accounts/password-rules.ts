/**
 * What a password of a member's own must not be: too short to guess slowly, too long to hash, or
 * what everybody tries first.
 */

import type { WordedRefusal } from "../contract/panel/panel-refusal.ts";
import { sayRefusal } from "../contract/sentences/say-refusal.ts";

const PASSWORD_MIN_LENGTH = 10;
const PASSWORD_MAX_LENGTH = 200;

/**
 * Of at least ten characters, those that head the lists of leaked passwords; what is one of them
 * with digits or signs behind it, too.
 */
const COMMON = [
  "password",
  "passw0rd",
  "parol",
  "пароль",
  "qwertyuiop",
  "qwerty",
  "йцукен",
  "йцукенгшщз",
  "administrator",
  "admin",
  "letmein",
  "welcome",
  "iloveyou",
  "1q2w3e4r5t",
  "1q2w3e4r",
  "qazwsxedc",
  "zaqxswcde",
  "asdfghjkl",
  "zxcvbnm",
  "abcdefghij",
  "football",
  "baseball",
  "superman",
  "princess",
  "sunshine",
  "dragon",
  "monkey",
  "trustno",
  "tollgate",
  "changeme",
  "secret",
  "default",
  "internet",
  "computer",
  "samsung",
];

/** What is wrong with it, for the person who chose it; null: nothing. */
export function passwordMistake(password: string, email: string): WordedRefusal | null {
  if (password.length < PASSWORD_MIN_LENGTH)
    return sayRefusal("password_short", { limit: PASSWORD_MIN_LENGTH });
  if (password.length > PASSWORD_MAX_LENGTH)
    return sayRefusal("password_long", { limit: PASSWORD_MAX_LENGTH });
  const plain = password.trim().toLowerCase();
  if (plain === email || plain === email.split("@")[0]) return sayRefusal("password_is_email");
  if (isCommon(plain)) return sayRefusal("password_common");
  return null;
}

function isCommon(plain: string): boolean {
  // One character over and over, digits in a row, or a word of the list with numbers and signs
  // around it.
  if (new Set(plain).size <= 2) return true;
  if (isRun(plain)) return true;
  const core = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  return COMMON.some(
    (word) =>
      plain === word ||
      core === word ||
      plain.replaceAll(word, "").replaceAll(/[^\p{L}]/gu, "") === "",
  );
}

/** Each character follows the one before, up or down: 1234567890, 9876543210, abcdefghij. */
function isRun(plain: string): boolean {
  const codes = [...plain].map((character) => character.codePointAt(0) ?? 0);
  return [1, -1].some((step) =>
    codes.every(
      (code, index) =>
        index === 0 ||
        code - (codes[index - 1] ?? 0) === step ||
        (code === 48 && codes[index - 1] === 57),
    ),
  );
}
