/**
 * What a browser keeps after a member logged in with it: no right of any kind, only that its
 * guesses are counted apart from strangers'.
 */
import { timingSafeEqual } from "node:crypto";
import type { Uuid } from "../../kernel/ids.ts";
import { newOpaqueToken, type TokenHash } from "../../kernel/opaque-token.ts";

/** Made by chance, and signed for this member alone. */
export function newDeviceToken(hashToken: TokenHash, memberId: Uuid): string {
  const device = newOpaqueToken();
  return `${device}.${signatureOf(hashToken, memberId, device).toString("base64url")}`;
}

/** The device's name; null: this was not made for this member. */
export function readDeviceToken(
  hashToken: TokenHash,
  memberId: Uuid,
  token: string,
): string | null {
  const [device = "", signature = ""] = token.split(".");
  const [sent, right] = [
    Buffer.from(signature, "base64url"),
    signatureOf(hashToken, memberId, device),
  ];
  return sent.length === right.length && timingSafeEqual(sent, right) ? device : null;
}

function signatureOf(hashToken: TokenHash, memberId: Uuid, device: string): Buffer {
  return hashToken("device", `${memberId} ${device}`);
}
