/**
 * Seals what is kept and has to be read again (second factors, mail): without the secret it is
 * noise, and it opens only where it was put.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

export interface Seal {
  /**
   * `place` names what it belongs to, `totp:<member>`: sealed text that was moved elsewhere does
   * not open there.
   */
  seal(text: string, place: string): Buffer;
  /** Null: sealed by another secret, for another place, or broken. */
  open(sealed: Buffer, place: string): string | null;
}

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D) with a fresh nonce each time: nonce, tag, ciphertext. The key comes
 * of the secret by HKDF (RFC 5869).
 */
export function createSeal(secret: string): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "tollgate seal", KEY_BYTES));
  const options = { authTagLength: TAG_BYTES };
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, options).setAAD(Buffer.from(place));
      const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, place) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(
        ALGORITHM,
        key,
        sealed.subarray(0, NONCE_BYTES),
        options,
      ).setAAD(Buffer.from(place));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return (
          decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") +
          decipher.final("utf8")
        );
      } catch {
        return null;
      }
    },
  };
}
