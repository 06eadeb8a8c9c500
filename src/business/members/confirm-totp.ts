/** Turns a member's second factor on: a code of the new secret came back. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { hashRecoveryCode, newRecoveryCodes } from "../../accounts/recovery-codes.ts";
import { confirmTotp } from "../../accounts/totp.store.ts";
import type { MembersDeps } from "./members-deps.ts";
import { takeDigits, wrongCode } from "./take-code.ts";

/**
 * Returns the recovery codes, which are nowhere else. Throws Fault("wrong_credentials"),
 * "rate_limit_exceeded".
 */
export async function confirmSecondFactor(
  deps: MembersDeps,
  caller: MemberCaller,
  code: string,
): Promise<readonly string[]> {
  const { memberId } = caller;
  await deps.throttle.take({ kind: "code", whom: memberId });
  const codes = newRecoveryCodes();
  const confirmed = await deps.db.transaction(async (tx) => {
    if (
      !(await takeDigits(tx, deps, {
        memberId,
        digits: code.replaceAll(/\s/g, ""),
        state: "begun",
      }))
    )
      return false;
    if (!(await confirmTotp(tx, memberId, codes.map(hashRecoveryCode)))) return false;
    await deps.mail(tx, caller, { kind: "totp-changed", on: true });
    return true;
  });
  if (!confirmed) throw wrongCode();
  return codes;
}
