/**
 * Begins and advances sessions: each step has a token of its own, and a device that is new is told
 * to the member by mail.
 */
import type { MemberProfile } from "../../accounts/members.store.ts";
import {
  advanceSession,
  insertSession,
  noteDevice,
  type StoredStage,
} from "../../accounts/sessions.store.ts";
import type { Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newUuid } from "../../kernel/ids.ts";
import { newOpaqueToken } from "../../kernel/opaque-token.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";

/** What `hashToken` is told of a session's token. */
export const SESSION_TOKEN = "session";

/** A session that has another token from now on. */
export interface BegunSession {
  /** For the cookie. */
  readonly token: string;
  /** For the browser to keep besides; null: it keeps what it has. */
  readonly device: string | null;
}

type Deps = Pick<MembersDeps, "hashToken" | "mail" | "clock">;

/** Returns the token for the cookie. */
export async function beginSession(
  tx: Tx,
  deps: Deps,
  begin: {
    readonly member: MemberProfile;
    readonly stage: StoredStage;
    readonly visitor: Visitor;
  },
): Promise<string> {
  const { member, stage, visitor } = begin;
  const token = newOpaqueToken();
  const tokenHash = deps.hashToken(SESSION_TOKEN, token);
  await insertSession(tx, {
    sessionId: newUuid(),
    tokenHash,
    memberId: member.memberId,
    stage,
    ...visitor,
  });
  if (stage !== "totp") await tellNewDevice(tx, deps, member, visitor);
  return token;
}

/**
 * The session goes on with another token, which is returned; null: it is over, or was advanced by
 * another request.
 */
export async function goOn(
  tx: Tx,
  deps: Pick<MembersDeps, "hashToken">,
  step: { readonly sessionId: Uuid; readonly from: StoredStage; readonly to: StoredStage },
): Promise<string | null> {
  const token = newOpaqueToken();
  return (await advanceSession(tx, { ...step, tokenHash: deps.hashToken(SESSION_TOKEN, token) }))
    ? token
    : null;
}

/** Remembers where the member logs in; the first time of all is no news to it. */
export async function tellNewDevice(
  tx: Tx,
  deps: Deps,
  member: MemberProfile,
  visitor: Visitor,
): Promise<void> {
  if ((await noteDevice(tx, { memberId: member.memberId, ...visitor })) !== "new") return;
  const at = new Intl.DateTimeFormat(member.language, {
    dateStyle: "long",
    timeStyle: "long",
    timeZone: member.timezone,
  }).format(deps.clock.now());
  await deps.mail(tx, member, { kind: "new-device", at, ...visitor });
}
