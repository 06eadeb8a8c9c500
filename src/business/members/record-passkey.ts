/**
 * What was done with a passkey, in the account's log; in the operators' too where the member is one of
 * them, or something is wrong.
 */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { Passkey } from "../../accounts/passkeys.store.ts";
import type { Tx } from "../../db/database.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import type { PasskeyAction, PasskeyDeps } from "./passkey-deps.ts";

export async function recordPasskey(
  tx: Tx,
  { recordOperator }: Pick<PasskeyDeps, "recordOperator">,
  who: Pick<MemberCaller, "accountId" | "memberId" | "email" | "operator">,
  act: {
    readonly action: PasskeyAction;
    readonly passkey: Pick<Passkey, "passkeyId" | "name">;
    readonly before: unknown;
    readonly after: unknown;
  },
): Promise<void> {
  const { action, passkey, before, after } = act;
  const { accountId, memberId, email, operator } = who;
  const about = { action, subject: passkey.name, before, after };
  await recordAct(tx, { accountId, memberId, email }, { ...about, subjectId: passkey.passkeyId });
  if (operator || action === "passkey.refused")
    await recordOperator(tx, { ...about, accountId, memberId, email });
}
