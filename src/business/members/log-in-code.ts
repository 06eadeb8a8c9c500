/** The second step of a log-in: a code of the second factor. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { findMember } from "../../accounts/members.store.ts";
import { noteWrongCode } from "../../accounts/sessions.store.ts";
import { Fault } from "../../kernel/faults.ts";
import { countGuess } from "./count-guess.ts";
import { newDeviceToken } from "./device-token.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";
import { goOn, tellNewDevice, type BegunSession } from "./new-session.ts";
import { takeCode, wrongCode } from "./take-code.ts";

/** After so many the log-in begins anew. */
const MOST_WRONG_CODES = 5;

/** Throws Fault("wrong_credentials"), "rate_limit_exceeded", "conflict" where no code is asked. */
export async function logInCode(
  deps: MembersDeps,
  caller: MemberCaller,
  request: { readonly code: string; readonly visitor: Visitor },
): Promise<BegunSession> {
  const { db } = deps;
  const { visitor } = request;
  const { memberId, sessionId } = caller;
  if (caller.stage !== "totp") throw new Fault("conflict", sayRefusal("no_code_asked"));
  const wasRight = await countGuess(deps, { at: "code", whom: memberId, memberId, visitor });
  const token = await db.transaction(async (tx) => {
    const member = await findMember(tx, memberId);
    if (member === null || !(await takeCode(tx, deps, memberId, request.code))) return null;
    const next = await goOn(tx, deps, {
      sessionId,
      from: "totp",
      to: member.mustChangePassword ? "password" : "full",
    });
    // Its end rolls the code back.
    if (next === null) throw new Fault("session_required");
    await tellNewDevice(tx, deps, member, visitor);
    return next;
  });
  if (token === null) {
    await noteWrongCode(db, sessionId, MOST_WRONG_CODES);
    throw wrongCode();
  }
  await wasRight();
  return { token, device: newDeviceToken(deps.hashToken, memberId) };
}
