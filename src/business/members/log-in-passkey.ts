/**
 * A log-in by a passkey: the person was verified by its authenticator, so it is both factors, and a
 * whole session at once.
 */
import { findMember, type MemberProfile } from "../../accounts/members.store.ts";
import { countOnPasskey, findPasskey, type Passkey } from "../../accounts/passkeys.store.ts";
import { deleteSessionByToken } from "../../accounts/sessions.store.ts";
import type { PasskeyAssertion } from "../../contract/panel/passkeys.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { countGuess } from "./count-guess.ts";
import { newDeviceToken } from "./device-token.ts";
import type { Visitor } from "./members-deps.ts";
import { beginSession, SESSION_TOKEN, type BegunSession } from "./new-session.ts";
import { challengeIn, takeChallenge } from "./passkey-challenge.ts";
import { partyOf, type PasskeyDeps } from "./passkey-deps.ts";
import { recordPasskey } from "./record-passkey.ts";
import { readAssertion } from "./verify-passkey.ts";

export interface PasskeyLogIn {
  readonly credential: PasskeyAssertion;
  readonly visitor: Visitor;
  /** What the browser keeps of the beginning; null: nothing. */
  readonly browser: string | null;
  /** Of a session that it has already, also one before its code: it ends. */
  readonly token: string | null;
}

/**
 * Throws Fault("wrong_credentials") for a passkey that is not known or not good, "conflict" for a
 * challenge that was not made for this browser a moment ago, "email_unverified",
 * "rate_limit_exceeded".
 */
export async function logInPasskey(
  deps: PasskeyDeps,
  request: PasskeyLogIn,
): Promise<BegunSession> {
  const { credential, visitor, browser } = request;
  const party = partyOf(deps);
  const passkey = await findPasskey(deps.db, Buffer.from(credential.id, "base64url"));
  const memberId = passkey?.memberId ?? null;
  const whom = memberId ?? credential.id;
  const wasRight = await countGuess(deps, { at: "passkey", whom, memberId, visitor });
  const challenge = challengeIn(credential.response.clientDataJSON);
  await takeChallenge(deps, { purpose: "log-in", browser: browser ?? "" }, challenge);
  if (passkey === null || credential.response.userHandle !== handleOf(passkey)) throw notGood();
  const { publicKey } = passkey;
  const counter = await readAssertion(credential, { party, challenge, publicKey });
  if (counter === null) throw notGood();
  const session = await deps.db.transaction(async (tx) => {
    const counted = await countOnPasskey(tx, passkey.passkeyId, counter);
    const member = await findMember(tx, passkey.memberId);
    if (counted.kind === "gone" || member === null) throw notGood();
    if (counted.kind === "backwards") {
      await report(tx, deps, { member, passkey, visitor, stored: counted.stored, counter });
      return null;
    }
    return begin(tx, deps, { ...request, passkey, member });
  });
  // After its report is committed.
  if (session === null) throw new Fault("wrong_credentials", sayRefusal("passkey_copied"));
  await wasRight();
  return session;
}

async function begin(
  tx: Tx,
  deps: PasskeyDeps,
  logIn: PasskeyLogIn & { readonly passkey: Passkey; readonly member: MemberProfile },
): Promise<BegunSession> {
  const { passkey, member, visitor } = logIn;
  if (!member.verified) throw new Fault("email_unverified");
  if (logIn.token !== null)
    await deleteSessionByToken(tx, deps.hashToken(SESSION_TOKEN, logIn.token));
  const stage = member.mustChangePassword ? "password" : "full";
  const token = await beginSession(tx, deps, { member, stage, visitor });
  const after = { address: visitor.address };
  const act = { action: "passkey.log_in", passkey, before: null, after } as const;
  await recordPasskey(tx, deps, member, act);
  return { token, device: newDeviceToken(deps.hashToken, member.memberId) };
}

/** Two authenticators have its key, or one was set back: its member and operators hear of it. */
async function report(
  tx: Tx,
  deps: PasskeyDeps,
  seen: {
    readonly member: MemberProfile;
    readonly passkey: Passkey;
    readonly visitor: Visitor;
    readonly stored: number;
    readonly counter: number;
  },
): Promise<void> {
  const { member, passkey, visitor, stored, counter } = seen;
  const { address } = visitor;
  await recordPasskey(tx, deps, member, {
    action: "passkey.refused",
    passkey,
    before: { counter: stored },
    after: { counter, address },
  });
  const { name } = passkey;
  await deps.mail(tx, member, { kind: "passkey-copied", name, address });
}

/** As its authenticator was told it when the passkey was made. */
function handleOf({ memberId }: Passkey): string {
  return Buffer.from(memberId).toString("base64url");
}

function notGood(): Fault {
  return new Fault("wrong_credentials", sayRefusal("passkey_unknown"));
}
