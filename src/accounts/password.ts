/**
 * Passwords of members: one-time ones are made here, all are kept as Argon2id hashes (RFC 9106) in
 * the PHC string form.
 */
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

interface Cost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const COST: Cost = { memoryKib: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** Without letters and digits that look alike. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const ONE_TIME_LENGTH = 24;

const derive = promisify(argon2);

/** 24 characters, about 139 bits; to be shown once and changed at the first log-in. */
export function newOneTimePassword(): string {
  let password = "";
  while (password.length < ONE_TIME_LENGTH) {
    for (const byte of randomBytes(ONE_TIME_LENGTH)) {
      // Bytes above the largest multiple of the alphabet's length would make the first letters
      // likelier.
      if (byte < 256 - (256 % ALPHABET.length) && password.length < ONE_TIME_LENGTH)
        password += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return password;
}

/** `$argon2id$v=19$m=19456,t=2,p=1$SALT$TAG`, with a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await deriveTag(password, salt, COST, TAG_BYTES);
  return `$argon2id$v=19$m=${COST.memoryKib},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * True when the password is the one behind the hash; false also for a text that is not such a hash.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const match = PHC.exec(stored);
  if (match === null) return false;
  const [memoryKib, passes, parallelism] = match.slice(1, 4).map(Number);
  const [salt, tag] = match.slice(4, 6).map((part) => Buffer.from(part, "base64"));
  if (
    memoryKib === undefined ||
    passes === undefined ||
    parallelism === undefined ||
    salt === undefined ||
    tag === undefined
  )
    return false;
  return timingSafeEqual(
    await deriveTag(password, salt, { memoryKib, passes, parallelism }, tag.length),
    tag,
  );
}

function deriveTag(password: string, salt: Buffer, cost: Cost, tagBytes: number): Promise<Buffer> {
  // NFC: the same letters typed on another keyboard are the same password.
  const message = password.normalize("NFC");
  return derive("argon2id", {
    message,
    nonce: salt,
    parallelism: cost.parallelism,
    tagLength: tagBytes,
    memory: cost.memoryKib,
    passes: cost.passes,
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
