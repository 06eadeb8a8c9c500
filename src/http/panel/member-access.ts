/** Whether a session may call a route of the panel. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { MEMBER_ROLES, type MemberRole } from "../../contract/enums/member-role.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { nothingHere } from "../nothing-here.ts";

/**
 * The least that a member must be, so that `developer` is every member; `keyholder`: who makes and
 * uses keys, developers their own, managers and owners all; `enrolling`: every member, one who has to
 * set up a second factor first too; `unfinished`: any session, one that is not logged in to the end
 * too; `operator`: of the business itself. A route that developers reach shows them by itself nothing
 * but what is their own.
 */
export type MemberNeeds = MemberRole | "keyholder" | "enrolling" | "operator" | "unfinished";

/**
 * Throws the fault that refuses. To strangers a route of operators is not there.
 * @param seen whether it is shown to operators who see the account as its members do; no route is
 * that does not say so.
 */
export function checkMemberAccess(member: MemberCaller, needs: MemberNeeds, seen = false): void {
  if (member.seeing !== undefined && !seen)
    throw new Fault("permission_denied", sayRefusal("seeing_as"));
  if (needs === "unfinished") return;
  if (needs === "enrolling" && member.stage === "enrol") return;
  if (member.stage !== "full") throw new Fault("login_unfinished");
  if (needs === "operator") {
    if (!member.operator) throw nothingHere();
    return;
  }
  if (!mayBe(member, needs)) {
    throw new Fault("permission_denied", {
      message: "Your role in this account does not allow that. Ask its owner.",
    });
  }
}

function mayBe(
  { role, looksOnly = false }: MemberCaller,
  needs: Exclude<MemberNeeds, "operator" | "unfinished">,
): boolean {
  if (needs === "enrolling") return true;
  if (needs === "keyholder") return role === "developer" ? !looksOnly : atLeast(role, "manager");
  return atLeast(role, needs);
}

function atLeast(role: MemberRole, least: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(least);
}
