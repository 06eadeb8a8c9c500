/** What a session's pages know of the member who is logged in, and of its account. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { findMember, type MemberProfile } from "../../accounts/members.store.ts";
import type { SessionStage } from "../../contract/enums/session-stage.ts";
import { Fault } from "../../kernel/faults.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { authenticateMember } from "./authenticate-member.ts";
import type { MembersDeps } from "./members-deps.ts";

export interface SessionView {
  readonly member: MemberProfile;
  readonly stage: SessionStage;
  readonly blocked: boolean;
}

/** Throws Fault("session_required") when the member is gone. */
export async function readSession(
  deps: Pick<MembersDeps, "db">,
  caller: MemberCaller,
): Promise<SessionView> {
  const [member, books] = await Promise.all([
    findMember(deps.db, caller.memberId),
    balance(deps.db, caller.accountId),
  ]);
  if (member === null) throw new Fault("session_required");
  // With the member's own role, not with what it is good for while the account is blocked: it was
  // not taken away.
  return { member, stage: caller.stage, blocked: books?.state === "blocked" };
}

/** The same, for a token that was given out just now. */
export async function readSessionOf(
  deps: Pick<MembersDeps, "db" | "hashToken">,
  token: string,
): Promise<SessionView> {
  return readSession(deps, await authenticateMember(deps, token));
}

/**
 * The same for a visitor who opens a page, with the token of the cookie; null: not logged in, which
 * is nothing wrong.
 */
export async function readVisitor(
  deps: Pick<MembersDeps, "db" | "hashToken">,
  token: string | null,
): Promise<SessionView | null> {
  if (token === null) return null;
  try {
    return await readSessionOf(deps, token);
  } catch (error) {
    if (error instanceof Fault && error.code === "session_required") return null;
    throw error;
  }
}
