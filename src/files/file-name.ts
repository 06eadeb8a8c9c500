/**
 * The name of a stored file: the last part of its URL and its key in the storage. Who knows it may
 * read the file: it cannot be guessed.
 */
import { randomBytes } from "node:crypto";
import { assert } from "../kernel/assert.ts";

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
/**
 * The largest multiple of 36 that a byte holds: bytes from there on would make the first letters
 * likelier.
 */
const UNBIASED = 252;
const EXTENSION = /^[0-9a-z]{1,8}$/;
const NAME = /^[0-9a-z]{32}\.[0-9a-z]{1,8}$/;

/**
 * 32 random characters (165 bits) and the extension that goes with the type of the bytes, without
 * its dot.
 */
export function newFileName(extension: string): string {
  assert(EXTENSION.test(extension), `"${extension}" is no extension for a stored file`);
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      if (byte < UNBIASED && random.length < RANDOM_LENGTH)
        random += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return `${random}.${extension}`;
}

/** Whether a stored file could have this name; nothing else is looked up. */
export function isFileName(text: string): boolean {
  return NAME.test(text);
}
