/**
 * A member chooses another password: every other session of it ends, and links that were asked for
 * before lead nowhere.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { changePassword, findPasswordHash } from "../../accounts/members.store.ts";
import { deleteSessionsOf } from "../../accounts/sessions.store.ts";
import { deleteTokensOf } from "../../accounts/tokens.store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { MembersDeps } from "./members-deps.ts";
import { checkNewPassword } from "./new-password.ts";
import { goOn } from "./new-session.ts";

/**
 * Also what finishes a log-in by a one-time password. Returns the session's new token. Throws
 * Fault("wrong_credentials"), "invalid_request".
 */
export async function changeOwnPassword(
  deps: MembersDeps,
  caller: MemberCaller,
  sent: { readonly current: string; readonly next: string },
): Promise<string> {
  const { memberId, sessionId, email, stage } = caller;
  if (stage === "totp" || stage === "enrol") throw new Fault("login_unfinished");
  checkNewPassword(sent.next, email, "next");
  if (sent.next === sent.current)
    throw new Fault("invalid_request", { ...sayRefusal("password_same"), param: "next" });
  await deps.throttle.take({ kind: "password", whom: memberId });
  const was = (await findPasswordHash(deps.db, email))?.passwordHash ?? null;
  if (was === null || !(await deps.passwords.verify(sent.current, was))) throw wrongCurrent();
  const passwordHash = await deps.passwords.hash(sent.next);
  return deps.db.transaction(async (tx) => {
    if (!(await changePassword(tx, { memberId, was, passwordHash }))) throw wrongCurrent();
    await deleteSessionsOf(tx, memberId, sessionId);
    await deleteTokensOf(tx, memberId, "reset");
    const token = await goOn(tx, deps, { sessionId, from: stage, to: "full" });
    if (token === null) throw new Fault("session_required");
    // A member who came with a one-time password was asked to; it is no news.
    if (stage === "full") await deps.mail(tx, caller, { kind: "password-changed" });
    return token;
  });
}

function wrongCurrent(): Fault {
  return new Fault("wrong_credentials", {
    ...sayRefusal("current_password_wrong"),
    param: "current",
  });
}
