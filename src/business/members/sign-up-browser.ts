/**
 * What a browser keeps that signed up: with the link of the mail it logs that browser in, and no
 * other one. It is of this very sign-up: another one with the same e-mail has another password.
 */
import { timingSafeEqual } from "node:crypto";
import { newOpaqueToken, type TokenHash } from "../../kernel/opaque-token.ts";

/** The same for every e-mail, known here or not. */
export function newSignUpToken(
  hashToken: TokenHash,
  signUp: { readonly email: string; readonly passwordHash: string },
): string {
  const nonce = newOpaqueToken();
  return `${nonce}.${signatureOf(hashToken, signUp, nonce).toString("base64url")}`;
}

export function isSignUpToken(
  hashToken: TokenHash,
  signUp: { readonly email: string; readonly passwordHash: string },
  token: string,
): boolean {
  const [nonce = "", signature = ""] = token.split(".");
  const [sent, right] = [
    Buffer.from(signature, "base64url"),
    signatureOf(hashToken, signUp, nonce),
  ];
  return sent.length === right.length && timingSafeEqual(sent, right);
}

function signatureOf(
  hashToken: TokenHash,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
  nonce: string,
): Buffer {
  return hashToken("sign-up browser", `${email} ${passwordHash} ${nonce}`);
}
