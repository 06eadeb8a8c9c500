/** Adds a passkey to a member; with its first factor come recovery codes, as with any. */
import { holdFactors } from "../../accounts/factors.store.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { insertPasskey, type Passkey } from "../../accounts/passkeys.store.ts";
import { hashRecoveryCode, newRecoveryCodes } from "../../accounts/recovery-codes.ts";
import { putRecoveryCodes } from "../../accounts/totp.store.ts";
import type { PasskeyCreated } from "../../contract/panel/passkeys.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { readName } from "../accounts/read-name.ts";
import { challengeIn, takeChallenge } from "./passkey-challenge.ts";
import { partyOf, type PasskeyDeps } from "./passkey-deps.ts";
import { recordPasskey } from "./record-passkey.ts";
import { readCreated } from "./verify-passkey.ts";

const MOST_PASSKEYS = 10;
const LONGEST_NAME = 60;

export interface AddedPasskey {
  readonly passkey: Pick<Passkey, "passkeyId" | "name" | "createdAt" | "usedAt">;
  /** They are nowhere else; null: the member has some. */
  readonly recoveryCodes: readonly string[] | null;
}

/** Throws Fault("conflict") where a member has as many as it may. */
export function checkRoom(passkeys: number): void {
  if (passkeys >= MOST_PASSKEYS)
    throw new Fault("conflict", sayRefusal("passkeys_most", { limit: MOST_PASSKEYS }));
}

/**
 * Throws Fault("conflict") for a challenge that was not made for this session a moment ago, for a
 * credential that is known, and for one too many; "invalid_request" for anything wrong with it.
 */
export async function addPasskey(
  deps: PasskeyDeps,
  caller: MemberCaller,
  sent: { readonly name: string; readonly credential: PasskeyCreated },
): Promise<AddedPasskey> {
  const { memberId, sessionId } = caller;
  const party = partyOf(deps);
  const name = readName(sent.name, LONGEST_NAME);
  const { response } = sent.credential;
  const challenge = challengeIn(response.clientDataJSON);
  await takeChallenge(deps, { purpose: "add", browser: sessionId }, challenge);
  const created = await readCreated(sent.credential, { party, challenge });
  if (created === null) throw new Fault("invalid_request", sayRefusal("passkey_wrong"));
  return deps.db.transaction(async (tx) => {
    const factors = await holdFactors(tx, memberId);
    if (factors === null) throw new Fault("session_required");
    checkRoom(factors.passkeys);
    const passkey = { passkeyId: newUuid(), memberId, name, ...created };
    const { transports = [] } = response;
    const createdAt = await insertPasskey(tx, { ...passkey, transports });
    if (createdAt === null) throw new Fault("conflict", sayRefusal("passkey_known"));
    const first = !factors.totp && factors.passkeys === 0;
    const recoveryCodes = first ? newRecoveryCodes() : null;
    if (recoveryCodes !== null)
      await putRecoveryCodes(tx, memberId, recoveryCodes.map(hashRecoveryCode));
    await deps.mail(tx, caller, { kind: "passkey-changed", added: true, name });
    const act = { action: "passkey.add", passkey, before: null, after: null } as const;
    await recordPasskey(tx, deps, caller, act);
    return { passkey: { ...passkey, createdAt, usedAt: null }, recoveryCodes };
  });
}
