/** What a browser needs to make a passkey of the member, or to ask a visitor for one. */
import { findMember, findPasswordHash } from "../../accounts/members.store.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { passkeysOf } from "../../accounts/passkeys.store.ts";
import type { PasskeyCreation, PasskeyRequest } from "../../contract/panel/passkeys.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { newOpaqueToken } from "../../kernel/opaque-token.ts";
import { readSettings } from "../settings/read-settings.ts";
import { checkRoom } from "./add-passkey.ts";
import { CHALLENGE_MS, newChallenge } from "./passkey-challenge.ts";
import { partyOf, type PasskeyDeps } from "./passkey-deps.ts";
import { PASSKEY_ALGORITHMS } from "./verify-passkey.ts";

/**
 * Asks for the password again: a browser that was left open must not be enough to get in for ever.
 * Throws Fault("wrong_credentials"), "rate_limit_exceeded", "conflict" where there is no room.
 */
export async function beginPasskey(
  deps: PasskeyDeps,
  { memberId, sessionId, email }: MemberCaller,
  password: string,
): Promise<PasskeyCreation> {
  const { db } = deps;
  const { id } = partyOf(deps);
  await deps.throttle.take({ kind: "password", whom: memberId });
  const found = await findPasswordHash(db, email);
  if (!(await deps.passwords.verify(password, found?.passwordHash ?? null)))
    throw new Fault("wrong_credentials", { ...sayRefusal("password_wrong"), param: "password" });
  const [member, passkeys, { brand }] = await Promise.all([
    findMember(db, memberId),
    passkeysOf(db, memberId),
    readSettings(db),
  ]);
  checkRoom(passkeys.length);
  return {
    rp: { id, name: brand.name },
    user: {
      id: Buffer.from(memberId).toString("base64url"),
      name: email,
      displayName: member?.name ?? email,
    },
    challenge: newChallenge(deps, { purpose: "add", browser: sessionId }),
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({
      type: "public-key",
      id: credentialId.toString("base64url"),
      transports: [...transports],
    })),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    attestation: "none",
  };
}

/**
 * For any visitor: it says nothing of members, and keeps nothing. Throws Fault("conflict") where
 * there can be no passkeys.
 * @param browser what it keeps of an earlier one, so that two tabs do not take it from each other;
 * null: nothing.
 */
export function beginPasskeyLogIn(
  deps: PasskeyDeps,
  browser: string | null,
): { readonly request: PasskeyRequest; readonly browser: string } {
  const { id } = partyOf(deps);
  const kept = browser ?? newOpaqueToken();
  const challenge = newChallenge(deps, { purpose: "log-in", browser: kept });
  const request = {
    rpId: id,
    challenge,
    timeout: CHALLENGE_MS,
    userVerification: "required",
  } as const;
  return { request, browser: kept };
}
