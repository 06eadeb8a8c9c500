/** Who of the business does something, as the audit log names them. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { NewAction } from "./audit.store.ts";

export type Operator = Pick<MemberCaller, "memberId" | "email">;

/** The log's first columns. */
export type Actor = Pick<NewAction, "memberId" | "actor">;

/** As long as the longest e-mail. */
const LONGEST_ACTOR = 254;

export function actorOf({ memberId, email }: Operator): Actor {
  return { memberId, actor: email };
}

/** The server's command line has no log-in: all that is known is the system's user. */
export function commandActor(user: string): Actor {
  return { memberId: null, actor: `cli:${user}`.slice(0, LONGEST_ACTOR) };
}

/** The server itself, for what it does when it is started. */
export function startActor(user: string): Actor {
  return { memberId: null, actor: `start:${user}`.slice(0, LONGEST_ACTOR) };
}
