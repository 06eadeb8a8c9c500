/** Who of the business does something, as the audit log names them. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { NewAction } from "../../audit/store.ts";

export type Operator = Pick<MemberCaller, "memberId" | "email">;

/** The log's first columns. */
export function actorOf({ memberId, email }: Operator): Pick<NewAction, "memberId" | "actor"> {
  return { memberId, actor: email };
}
