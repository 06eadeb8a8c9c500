/**
 * Wants a second factor of every member of an account, or no longer. From the next request on, in
 * every process, a session of a member without one may do nothing but set one up. API keys are not
 * asked.
 */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { hasFactor } from "../../accounts/factors.store.ts";
import { findMember, holdRoles } from "../../accounts/members.store.ts";
import { setTotpRequired } from "../../accounts/totp.store.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import type { MembersDeps } from "./members-deps.ts";

/** Throws Fault("conflict") where who asks for it has none: it would lock itself out first. */
export async function requireSecondFactor(
  { db }: Pick<MembersDeps, "db">,
  caller: MemberCaller,
  required: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    const roles = await holdRoles(tx, caller.accountId);
    // The caller's own role may have changed since the request was let in.
    if (roles.get(caller.memberId) !== "owner") throw new Fault("permission_denied");
    const member = await findMember(tx, caller.memberId);
    if (required && (member === null || !hasFactor(member)))
      throw new Fault("conflict", sayRefusal("own_factor_first"));
    if (member?.totpRequired === required) return;
    await setTotpRequired(tx, caller.accountId, required);
    const about = { subjectId: null, subject: null };
    const change = { before: { required: !required }, after: { required } };
    await recordAct(tx, caller, { action: "account.second_factor", ...about, ...change });
  });
}
