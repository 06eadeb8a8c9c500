/**
 * What an authenticator signs: made by chance, for one purpose, one browser and a few minutes, and
 * signed by us, so that every process knows it and none keeps anything of it. It is good once: who
 * takes it notes that for all.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { TokenHash } from "../../kernel/opaque-token.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import type { MembersDeps } from "./members-deps.ts";

/** Shorter than its note is kept (`throttle.ts`). */
export const CHALLENGE_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const END_BYTES = 6;
const MAC_BYTES = 32;

export interface ChallengeOf {
  readonly purpose: "add" | "log-in";
  /** The session of the member who adds; what the browser that logs in keeps. */
  readonly browser: string;
}

type Deps = Pick<MembersDeps, "hashToken" | "clock" | "throttle">;

/** Base64url, as WebAuthn has it in JSON. */
export function newChallenge(
  { hashToken, clock }: Pick<Deps, "hashToken" | "clock">,
  of: ChallengeOf,
): string {
  const end = Buffer.alloc(END_BYTES);
  end.writeUIntBE(clock.now().getTime() + CHALLENGE_MS, 0, END_BYTES);
  const claim = Buffer.concat([randomBytes(NONCE_BYTES), end]);
  return Buffer.concat([claim, macOf(hashToken, of, claim)]).toString("base64url");
}

/** Throws Fault("conflict") for one that is not ours, too old, of another browser, or was taken. */
export async function takeChallenge(deps: Deps, of: ChallengeOf, sent: string): Promise<void> {
  const right = isChallenge(deps, of, sent);
  if (right && (await deps.throttle.tryTake({ kind: "passkeyChallenge", whom: sent }))) return;
  throw new Fault("conflict", sayRefusal("passkey_too_late"));
}

function isChallenge({ hashToken, clock }: Deps, of: ChallengeOf, sent: string): boolean {
  const bytes = Buffer.from(sent, "base64url");
  // Of one spelling alone: what is noted as taken is the text.
  if (bytes.length !== NONCE_BYTES + END_BYTES + MAC_BYTES || bytes.toString("base64url") !== sent)
    return false;
  const claim = bytes.subarray(0, NONCE_BYTES + END_BYTES);
  return (
    timingSafeEqual(bytes.subarray(claim.length), macOf(hashToken, of, claim)) &&
    claim.readUIntBE(NONCE_BYTES, END_BYTES) > clock.now().getTime()
  );
}

function macOf(hashToken: TokenHash, { purpose, browser }: ChallengeOf, claim: Buffer): Buffer {
  return hashToken(`passkey ${purpose}`, `${browser} ${claim.toString("hex")}`);
}

/** What the browser says that it had signed; empty: it says nothing that could be read. */
export function challengeIn(clientDataJSON: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    if (typeof data !== "object" || data === null || !("challenge" in data)) return "";
    return typeof data.challenge === "string" ? data.challenge : "";
  } catch {
    return "";
  }
}
