/** Sets a new password for whoever reads the member's mail: all its sessions end, and the e-mail counts as confirmed. */
import { changePassword, findMember, markVerified } from "../../accounts/members.store.ts";
import { deleteSessionsOf, noteDevice } from "../../accounts/sessions.store.ts";
import { deleteTokensOf, findToken, useToken } from "../../accounts/tokens.store.ts";
import { deadLink } from "./dead-link.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";
import { checkNewPassword } from "./new-password.ts";

/** A second factor stays on. Throws Fault("gone") for a token that is unknown, used, too old, or another purpose's; "invalid_request". */
export async function resetPassword(
  deps: MembersDeps,
  request: { readonly token: string; readonly password: string; readonly visitor: Visitor },
): Promise<void> {
  const { db, throttle, passwords } = deps;
  await throttle.takeFrom(request.visitor.address);
  const tokenHash = deps.hashToken("reset", request.token);
  // Nobody's guesses are worth a hash.
  const memberId = await findToken(db, tokenHash, "reset");
  const member = memberId === null ? null : await findMember(db, memberId);
  if (memberId === null || member === null) throw deadLink();
  checkNewPassword(request.password, member.email);
  const passwordHash = await passwords.hash(request.password);
  await db.transaction(async (tx) => {
    if ((await useToken(tx, tokenHash, "reset")) === null) throw deadLink();
    await changePassword(tx, { memberId, was: null, passwordHash });
    await markVerified(tx, memberId);
    for (const purpose of ["reset", "verify"] as const) await deleteTokensOf(tx, memberId, purpose);
    await deleteSessionsOf(tx, memberId, null);
    // From here on this address is one of the member's: somebody who guesses elsewhere cannot slow it down.
    await noteDevice(tx, { memberId, ...request.visitor });
    await deps.mail(tx, member, { kind: "password-changed" });
  });
  await throttle.forget({ kind: "logIn", whom: member.email }, { kind: "logInFrom", whom: member.email, from: request.visitor.address });
}
