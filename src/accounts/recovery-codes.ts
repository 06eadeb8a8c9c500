/**
 * Recovery codes: each opens once in place of a code of the second factor, for a member who has
 * lost the phone.
 */
import { hash, randomBytes } from "node:crypto";

const CODES = 10;
/**
 * Crockford's Base32, whose letters are not mistaken for digits: 32 of them, so that every byte
 * counts evenly.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 16;

/** `abcd-efgh-jkmn-pqrs`, 80 bits each. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const letters = [...randomBytes(LENGTH)]
      .map((byte) => ALPHABET.charAt(byte % ALPHABET.length))
      .join("");
    return letters.match(/.{4}/g)?.join("-") ?? letters;
  });
}

/** SHA-256 of its letters; dashes, spaces and capitals are as people type them. */
export function hashRecoveryCode(code: string): Buffer {
  return hash("sha256", code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""), "buffer");
}
