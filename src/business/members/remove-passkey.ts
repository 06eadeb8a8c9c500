/** Removes a passkey of a member, unless it is the last factor and the account wants one of all. */
import { holdFactors } from "../../accounts/factors.store.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { deletePasskey } from "../../accounts/passkeys.store.ts";
import { deleteRecoveryCodes } from "../../accounts/totp.store.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { PasskeyDeps } from "./passkey-deps.ts";
import { recordPasskey } from "./record-passkey.ts";

/**
 * Throws Fault("not_found") for an id that is no passkey of this member; "conflict" where it is the
 * last factor and the account wants one of every member.
 */
export async function removePasskey(
  deps: PasskeyDeps,
  caller: MemberCaller,
  passkeyId: Uuid,
): Promise<void> {
  const { memberId } = caller;
  await deps.db.transaction(async (tx) => {
    const factors = await holdFactors(tx, memberId);
    const name = await deletePasskey(tx, memberId, passkeyId);
    if (factors === null || name === null) throw new Fault("not_found");
    const last = !factors.totp && factors.passkeys === 1;
    // What was deleted is there again with that.
    if (last && factors.required) throw new Fault("conflict", sayRefusal("factor_wanted"));
    if (last) await deleteRecoveryCodes(tx, memberId);
    await deps.mail(tx, caller, { kind: "passkey-changed", added: false, name });
    const passkey = { passkeyId, name };
    const act = { action: "passkey.remove", passkey, before: null, after: null } as const;
    await recordPasskey(tx, deps, caller, act);
  });
}
