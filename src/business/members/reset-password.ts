/**
 * Sets a new password for the reader of the member's mail: all its sessions end, and the e-mail
 * counts as confirmed.
 */
import { changePassword, findMember } from "../../accounts/members.store.ts";
import { deleteSessionsOf } from "../../accounts/sessions.store.ts";
import { deleteTokensOf, findToken, useToken } from "../../accounts/tokens.store.ts";
import { confirmEmail } from "./confirm-email.ts";
import { deadLink } from "./dead-link.ts";
import { newDeviceToken } from "./device-token.ts";
import type { MembersDeps } from "./members-deps.ts";
import { checkNewPassword } from "./new-password.ts";

/**
 * A second factor stays on. Returns what the browser keeps (device-token.ts). Throws Fault("gone")
 * for a token that is unknown, used, too old, or another purpose's; "invalid_request".
 */
export async function resetPassword(
  deps: MembersDeps,
  request: { readonly token: string; readonly password: string },
): Promise<string> {
  const { db, passwords } = deps;
  const tokenHash = deps.hashToken("reset", request.token);
  // A guessed link is not worth a hash.
  const memberId = await findToken(db, tokenHash, "reset");
  const member = memberId === null ? null : await findMember(db, memberId);
  if (memberId === null || member === null) throw deadLink();
  checkNewPassword(request.password, member.email);
  const passwordHash = await passwords.hash(request.password);
  await db.transaction(async (tx) => {
    if ((await useToken(tx, tokenHash, "reset")) === null) throw deadLink();
    await changePassword(tx, { memberId, was: null, passwordHash });
    await confirmEmail(tx, member);
    for (const purpose of ["reset", "verify"] as const) await deleteTokensOf(tx, memberId, purpose);
    await deleteSessionsOf(tx, memberId, null);
    await deps.mail(tx, member, { kind: "password-changed" });
  });
  // The reader of the member's mail gets a device cookie: strangers who guess cannot slow that
  // browser down.
  return newDeviceToken(deps.hashToken, memberId);
}
