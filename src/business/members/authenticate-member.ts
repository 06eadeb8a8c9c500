/** Whose session a token is of, asked of the database at every request. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { findSession, noteSessionSeen } from "../../accounts/sessions.store.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { balance } from "../../ledger/accounts.store.ts";
import type { MembersDeps } from "./members-deps.ts";
import { SESSION_TOKEN } from "./new-session.ts";
import { readSeeAsGrant } from "./see-as-grant.ts";

/** What of a browser says whose session it is. */
export interface SessionCookies {
  /** Null: there is none. */
  readonly token: string | null;
  /** With what an operator sees the panel as a customer, good or not; null: nothing. */
  readonly seeAs: string | null;
}

/**
 * Throws Fault("session_required"). Members of a blocked account may look, and nothing else. An
 * operator who sees as a customer has no more than a viewer of that account.
 */
export async function authenticateMember(
  deps: Pick<MembersDeps, "db" | "hashToken" | "clock">,
  { token, seeAs }: SessionCookies,
): Promise<MemberCaller> {
  const { db, hashToken } = deps;
  const session = token === null ? null : await findSession(db, hashToken(SESSION_TOKEN, token));
  if (session === null) throw new Fault("session_required");
  const { unnoted, ...own } = session;
  if (unnoted) await noteSessionSeen(db, own.sessionId);
  const caller = seeAs === null ? own : seeingCaller(deps, own, seeAs);
  const books = await balance(db, caller.accountId);
  if (books?.state !== "blocked") return caller;
  // To a developer the rest of the account is not shown for that.
  return caller.role === "developer"
    ? { ...caller, looksOnly: true }
    : { ...caller, role: "viewer" };
}

/**
 * Whatever is wrong with the grant, nothing is answered: the page that brought it shows a customer's
 * panel, and what it asks for next may not be the operator's own. Throws Fault("permission_denied").
 */
function seeingCaller(
  { hashToken, clock }: Pick<MembersDeps, "hashToken" | "clock">,
  own: MemberCaller,
  seeAs: string,
): MemberCaller {
  const { sessionId, operator, stage } = own;
  const grant = readSeeAsGrant(hashToken, { sessionId, now: clock.now() }, seeAs);
  if (grant === null || !operator || stage !== "full")
    throw new Fault("permission_denied", sayRefusal("see_as_over"));
  const { accountId, until } = grant;
  return { ...own, accountId, role: "viewer", operator: false, seeing: { until } };
}
