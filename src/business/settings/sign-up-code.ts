/** The form of a sign-up code: short enough to be read out, too long to be guessed. */
import { randomInt } from "node:crypto";

/** Without those that are taken for one another. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 3;
const GROUP_LENGTH = 4;

/** What `hashToken` is told of it. */
export const SIGN_UP_CODE = "sign-up code";

/** 59 bits of chance, `k7mq-2x9d-wtab`. */
export function newSignUpCode(): string {
  const letter = (): string => LETTERS.charAt(randomInt(LETTERS.length));
  return Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, letter).join(""),
  ).join("-");
}

/** As it is hashed, however it was typed. */
export function plainSignUpCode(typed: string): string {
  return typed.toLowerCase().replaceAll(/[\s-]/g, "");
}
