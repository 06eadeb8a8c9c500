/** Whether a session may call a route of the panel. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { MEMBER_ROLES, type MemberRole } from "../../contract/enums/member-role.ts";
import { Fault } from "../../kernel/faults.ts";
import { nothingHere } from "../nothing-here.ts";

/**
 * The least that a member must be; `unfinished`: any session, one that is not logged in to the end
 * too; `operator`: of the business itself.
 */
export type MemberNeeds = MemberRole | "operator" | "unfinished";

/** Throws the fault that refuses. To strangers a route of operators is not there. */
export function checkMemberAccess(member: MemberCaller, needs: MemberNeeds): void {
  if (needs === "unfinished") return;
  if (member.stage !== "full") throw new Fault("login_unfinished");
  if (needs === "operator") {
    if (!member.operator) throw nothingHere();
    return;
  }
  if (MEMBER_ROLES.indexOf(member.role) < MEMBER_ROLES.indexOf(needs)) {
    throw new Fault("permission_denied", {
      message: "Your role in this account does not allow that. Ask its owner.",
    });
  }
}
