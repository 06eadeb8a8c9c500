/**
 * The first step of a log-in: an e-mail and its password become a session, finished or with
 * something still to be asked.
 */
import {
  findMember,
  findPasswordHash,
  holdMember,
  type MemberProfile,
} from "../../accounts/members.store.ts";
import { deleteSessionByToken, type StoredStage } from "../../accounts/sessions.store.ts";
import { Fault } from "../../kernel/faults.ts";
import { readEmail } from "../accounts/read-email.ts";
import { countGuess } from "./count-guess.ts";
import { newDeviceToken } from "./device-token.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";
import { beginSession, SESSION_TOKEN, type BegunSession } from "./new-session.ts";

export interface LogInRequest {
  readonly email: string;
  readonly password: string;
  readonly visitor: Visitor;
  /** Of a session that the browser has already: it ends. */
  readonly token: string | null;
}

type Deps = Pick<MembersDeps, "db" | "clock" | "hashToken" | "passwords" | "throttle" | "mail">;

/**
 * Throws Fault("wrong_credentials") for an unknown e-mail and a wrong password alike, after the
 * same work; "email_unverified" only to who knows the password; "rate_limit_exceeded".
 */
export async function logIn(deps: Deps, request: LogInRequest): Promise<BegunSession> {
  const { db, passwords } = deps;
  const { visitor } = request;
  const email = readEmail(request.email);
  const found = await findPasswordHash(db, email);
  const wasRight = await countGuess(deps, {
    at: "logIn",
    whom: email,
    memberId: found?.memberId ?? null,
    visitor,
  });
  const right = await passwords.verify(request.password, found?.passwordHash ?? null);
  if (!right || found === null) throw new Fault("wrong_credentials");
  await wasRight();
  return db.transaction<BegunSession>(async (tx) => {
    const held = await holdMember(tx, found.memberId, found.passwordHash);
    const member = held ? await findMember(tx, found.memberId) : null;
    if (member === null) throw new Fault("wrong_credentials");
    if (!member.verified) throw new Fault("email_unverified");
    if (request.token !== null)
      await deleteSessionByToken(tx, deps.hashToken(SESSION_TOKEN, request.token));
    const stage = firstStage(member);
    const token = await beginSession(tx, deps, { member, stage, visitor });
    // The password alone does not make this browser a device of the member's.
    return {
      token,
      device: stage === "totp" ? null : newDeviceToken(deps.hashToken, member.memberId),
    };
  });
}

/** What is still asked of a member who was right about the first thing. */
export function firstStage(member: MemberProfile): StoredStage {
  // A passkey alone is asked for where the account insists: elsewhere the password still opens.
  if (member.totp || (member.totpRequired && member.passkeys > 0)) return "totp";
  return member.mustChangePassword ? "password" : "full";
}
