/** What a session's pages know of the member who is logged in, and of its account. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { findMember, type MemberProfile } from "../../accounts/members.store.ts";
import type { SessionStage } from "../../contract/enums/session-stage.ts";
import { Fault } from "../../kernel/faults.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { findAccount } from "../../accounts/store.ts";
import { authenticateMember, type SessionCookies } from "./authenticate-member.ts";
import type { MembersDeps } from "./members-deps.ts";

export interface SessionView {
  readonly member: MemberProfile;
  readonly stage: SessionStage;
  readonly blocked: boolean;
  /** An operator sees the account as its members do, until then; null: it is the member's own. */
  readonly seeing: { readonly until: Date } | null;
}

/** Throws Fault("session_required") when the member is gone. */
export async function readSession(
  deps: Pick<MembersDeps, "db">,
  caller: MemberCaller,
): Promise<SessionView> {
  const { seeing = null } = caller;
  const [profile, books] = await Promise.all([
    findMember(deps.db, caller.memberId),
    balance(deps.db, caller.accountId),
  ]);
  if (profile === null) throw new Fault("session_required");
  const member = seeing === null ? profile : await asSeen(deps, profile, caller);
  // With the member's own role, not with what it is good for while the account is blocked: it was
  // not taken away.
  return { member, stage: caller.stage, blocked: books?.state === "blocked", seeing };
}

/** The operator with nothing but what is shown; throws Fault("session_required") without an account. */
async function asSeen(
  { db }: Pick<MembersDeps, "db">,
  profile: MemberProfile,
  { accountId, role, operator }: MemberCaller,
): Promise<MemberProfile> {
  const account = await findAccount(db, accountId);
  if (account === null) throw new Fault("session_required");
  return {
    ...profile,
    accountId,
    accountName: account.name,
    totpRequired: false,
    role,
    operator,
  };
}

/** The same, for a token that was given out just now. */
export async function readSessionOf(
  deps: Pick<MembersDeps, "db" | "hashToken" | "clock">,
  token: string,
): Promise<SessionView> {
  return readSession(deps, await authenticateMember(deps, { token, seeAs: null }));
}

/** The same for a visitor who opens a page; null: not logged in, which is nothing wrong. */
export async function readVisitor(
  deps: Pick<MembersDeps, "db" | "hashToken" | "clock">,
  cookies: SessionCookies,
): Promise<SessionView | null> {
  if (cookies.token === null) return null;
  try {
    return await readSession(deps, await authenticateMember(deps, cookies));
  } catch (error) {
    if (error instanceof Fault && error.code === "session_required") return null;
    throw error;
  }
}
