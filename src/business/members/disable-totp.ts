/** Turns a member's second factor off, for the member who knows the password and has a code. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { holdFactors, type Factors } from "../../accounts/factors.store.ts";
import { findMember, findPasswordHash } from "../../accounts/members.store.ts";
import { deleteRecoveryCodes, deleteTotp } from "../../accounts/totp.store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { MembersDeps } from "./members-deps.ts";
import { takeCode, wrongCode } from "./take-code.ts";

/**
 * Throws Fault("wrong_credentials") with the field that is wrong, "rate_limit_exceeded", "conflict"
 * where it is the last factor of an account that wants one of every member.
 */
export async function disableSecondFactor(
  deps: MembersDeps,
  caller: MemberCaller,
  sent: { readonly password: string; readonly code: string },
): Promise<void> {
  const { memberId, email } = caller;
  const member = await findMember(deps.db, memberId);
  if (member !== null) checkNotWanted({ required: member.totpRequired, passkeys: member.passkeys });
  await deps.throttle.take({ kind: "password", whom: memberId });
  const found = await findPasswordHash(deps.db, email);
  if (!(await deps.passwords.verify(sent.password, found?.passwordHash ?? null))) {
    throw new Fault("wrong_credentials", { ...sayRefusal("password_wrong"), param: "password" });
  }
  await deps.throttle.take({ kind: "code", whom: memberId });
  await deps.db.transaction(async (tx) => {
    const factors = await holdFactors(tx, memberId);
    if (factors === null) throw new Fault("session_required");
    checkNotWanted(factors);
    if (!(await takeCode(tx, deps, memberId, sent.code))) throw wrongCode();
    await deleteTotp(tx, memberId);
    // They open in place of a passkey, too.
    if (factors.passkeys === 0) await deleteRecoveryCodes(tx, memberId);
    await deps.mail(tx, caller, { kind: "totp-changed", on: false });
  });
}

/** Throws Fault("conflict") where it is the last one that its account wants. */
function checkNotWanted({ required, passkeys }: Pick<Factors, "required" | "passkeys">): void {
  if (required && passkeys === 0) throw new Fault("conflict", sayRefusal("factor_wanted"));
}
