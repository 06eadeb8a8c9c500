/**
 * With what an operator sees the panel as a member of an account: signed for one session and a time,
 * so that every process knows it and none keeps anything of it.
 */
import { timingSafeEqual } from "node:crypto";
import { isUuid, type Uuid } from "../../kernel/ids.ts";
import type { TokenHash } from "../../kernel/opaque-token.ts";

export interface SeeAsGrant {
  readonly accountId: Uuid;
  readonly until: Date;
}

export const SEE_AS_MS = 30 * 60_000;

/** What `hashToken` is told of it. */
const PURPOSE = "see-as";

export function newSeeAsGrant(
  hashToken: TokenHash,
  sessionId: Uuid,
  { accountId, until }: SeeAsGrant,
): string {
  const claim = `${accountId}.${until.getTime()}`;
  return `${claim}.${signatureOf(hashToken, sessionId, claim).toString("base64url")}`;
}

/** Null: its time is over, or it was not made here for this session. */
export function readSeeAsGrant(
  hashToken: TokenHash,
  { sessionId, now }: { readonly sessionId: Uuid; readonly now: Date },
  grant: string,
): SeeAsGrant | null {
  const [accountId = "", until = "", signature = "", ...more] = grant.split(".");
  const [sent, right] = [
    Buffer.from(signature, "base64url"),
    signatureOf(hashToken, sessionId, `${accountId}.${until}`),
  ];
  if (more.length > 0 || sent.length !== right.length || !timingSafeEqual(sent, right)) return null;
  const end = Number(until);
  return isUuid(accountId) && end > now.getTime() ? { accountId, until: new Date(end) } : null;
}

function signatureOf(hashToken: TokenHash, sessionId: Uuid, claim: string): Buffer {
  return hashToken(PURPOSE, `${sessionId} ${claim}`);
}
