/** API key secrets: how they are made, recognised, masked and hashed (contract §3). */
import { hash as oneShotHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "tg_live_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** By byte: 1 for what is in the alphabet. */
const ALPHABET_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  ALPHABET.includes(String.fromCharCode(byte)) ? 1 : 0,
);
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** Of every secret, in characters. */
export const SECRET_LENGTH = PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
const SECRET = /^tg_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
const MASK = /^tg_live_[0-9A-Za-z]{4}(?:…|\.\.\.)[0-9A-Za-z]{4}$/;
const HASH = /^[0-9a-f]{64}$/i;

/** CRC-32 of the random part in base62, six characters, most significant first. */
function checksum(random: string): string {
  let rest = crc32(random);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** A new secret: 32 unbiased base62 characters (190 bits) and their checksum. */
export function newKeySecret(): string {
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 below 256: bytes above it would bias the first letters.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += ALPHABET.charAt(byte % 62);
    }
  }
  return PREFIX + random + checksum(random);
}

/**
 * What a credential string looks like; only `secret` can be a key of ours. A typo fails the
 * checksum without a database read.
 */
export type CredentialKind = "secret" | "bad-checksum" | "mask" | "hash" | "other";

export function classifyCredential(text: string): CredentialKind {
  const match = SECRET.exec(text);
  if (match !== null) return checksum(match[1] ?? "") === match[2] ? "secret" : "bad-checksum";
  if (MASK.test(text)) return "mask";
  if (HASH.test(text)) return "hash";
  return "other";
}

/** The form that may be shown: `tg_live_Ab3d…x9Qz`. */
export function maskKeySecret(secret: string): string {
  return `${secret.slice(0, PREFIX.length + 4)}…${secret.slice(-4)}`;
}

/** SHA-256 of the secret, hex: the only thing stored. */
export function hashKeySecret(secret: string): string {
  return oneShotHash("sha256", secret, "hex");
}

/**
 * Whether a text that is in bytes holds a key secret. Masks, which begin alike, are passed over
 * quickly: where many are, none of them is made into a text.
 */
export function holdsKeySecret(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(PREFIX); at >= 0; at = bytes.indexOf(PREFIX, at + 1)) {
    let end = at + PREFIX.length;
    while (end < at + SECRET_LENGTH && ALPHABET_BYTES[bytes[end] ?? 0] === 1) end += 1;
    if (end === at + SECRET_LENGTH) return true;
  }
  return false;
}

/** Replaces every key secret in a text by its mask; the last guard before a log line. */
export function redactKeySecrets(text: string): string {
  return text.replaceAll(/tg_live_[0-9A-Za-z]{38}/g, (found) => maskKeySecret(found));
}
