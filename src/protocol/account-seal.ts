/**
 * Seals for one account what its caller is given and brings back with the next request: no other
 * account can open it, and no caller can read it or make it up.
 */
import type { Seal } from "../kernel/seal.ts";

export interface AccountSeal {
  readonly seal: Seal;
  readonly accountId: string;
}

/** What is sealed here begins so; nothing that a vendor seals does. */
export const OUR_SEAL = "tgs1.";

/** `purpose` names what the text is: it opens as nothing else. */
export function sealText({ seal, accountId }: AccountSeal, purpose: string, text: string): string {
  return OUR_SEAL + seal.seal(text, `${purpose}:${accountId}`).toString("base64url");
}

/** Null for what was not sealed here, for this account and this purpose, or is not whole. */
export function openText(
  { seal, accountId }: AccountSeal,
  purpose: string,
  sealed: string,
): string | null {
  if (!sealed.startsWith(OUR_SEAL)) return null;
  const bytes = Buffer.from(sealed.slice(OUR_SEAL.length), "base64url");
  return seal.open(bytes, `${purpose}:${accountId}`);
}
