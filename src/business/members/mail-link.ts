/**
 * Mails a member a link that does one thing once: confirms the e-mail, or sets a new password. It
 * voids the one of before.
 */
import type { MemberProfile } from "../../accounts/members.store.ts";
import { putToken, type TokenPurpose } from "../../accounts/tokens.store.ts";
import type { Tx } from "../../db/database.ts";
import { newOpaqueToken } from "../../kernel/opaque-token.ts";
import type { MembersDeps } from "./members-deps.ts";

export async function mailLink(
  tx: Tx,
  deps: Pick<MembersDeps, "hashToken" | "mail">,
  member: Pick<MemberProfile, "memberId" | "email" | "language">,
  purpose: TokenPurpose,
): Promise<void> {
  const token = newOpaqueToken();
  await putToken(tx, {
    tokenHash: deps.hashToken(purpose, token),
    purpose,
    memberId: member.memberId,
  });
  await deps.mail(tx, member, { kind: purpose, token });
}
