/**
 * Secrets that say nothing by themselves (sessions, links in mails): made by chance, and known to
 * us by their HMAC alone.
 */
import { createHmac, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** 256 bits, as 43 characters that need no escaping in cookies and addresses. */
export function newOpaqueToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** `purpose` keeps a token of one kind from being one of another. 32 bytes. */
export type TokenHash = (purpose: string, token: string) => Buffer;

/**
 * HMAC-SHA256: a stranger who reads the database can neither use what is kept there nor put a token
 * of his own in.
 */
export function createTokenHash(secret: string): TokenHash {
  return (purpose, token) => createHmac("sha256", secret).update(`${purpose}\0${token}`).digest();
}
