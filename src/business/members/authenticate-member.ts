/** Whose session a token is of, asked of the database at every request. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { findSession, noteSessionSeen } from "../../accounts/sessions.store.ts";
import { Fault } from "../../kernel/faults.ts";
import { balance } from "../../ledger/accounts.store.ts";
import type { MembersDeps } from "./members-deps.ts";
import { SESSION_TOKEN } from "./new-session.ts";

/**
 * @param token of the cookie; null: there was none. Throws Fault("session_required"). Members of a
 * blocked account may look, and nothing else.
 */
export async function authenticateMember(
  deps: Pick<MembersDeps, "db" | "hashToken">,
  token: string | null,
): Promise<MemberCaller> {
  const { db, hashToken } = deps;
  const session = token === null ? null : await findSession(db, hashToken(SESSION_TOKEN, token));
  if (session === null) throw new Fault("session_required");
  const { unnoted, ...caller } = session;
  if (unnoted) await noteSessionSeen(db, caller.sessionId);
  const books = await balance(db, caller.accountId);
  if (books?.state !== "blocked") return caller;
  // To a developer the rest of the account is not shown for that.
  return caller.role === "developer"
    ? { ...caller, looksOnly: true }
    : { ...caller, role: "viewer" };
}
