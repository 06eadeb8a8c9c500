/** A link came back: the e-mail is confirmed, and its member may log in. */
import { deleteTokensOf, useToken } from "../../accounts/tokens.store.ts";
import { findMember, markVerified } from "../../accounts/members.store.ts";
import { deadLink } from "./dead-link.ts";
import type { MembersDeps } from "./members-deps.ts";

/**
 * Returns the e-mail. Throws Fault("gone") for a token that is unknown, used, too old, or another
 * purpose's.
 */
export async function verifyEmail(
  deps: Pick<MembersDeps, "db" | "hashToken">,
  token: string,
): Promise<string> {
  return deps.db.transaction(async (tx) => {
    const memberId = await useToken(tx, deps.hashToken("verify", token), "verify");
    const member = memberId === null ? null : await findMember(tx, memberId);
    if (memberId === null || member === null) throw deadLink();
    await markVerified(tx, memberId);
    await deleteTokensOf(tx, memberId, "verify");
    return member.email;
  });
}
