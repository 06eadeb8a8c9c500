/** The e-mail of one who signed up is confirmed, by whichever link it was: from here on the member is in. */
import { markVerified, signUpCodeOf, type MemberProfile } from "../../accounts/members.store.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { readSettings } from "../settings/read-settings.ts";
import { spendSignUpCode } from "../settings/sign-up-codes.store.ts";
import { giveTrial } from "./give-trial.ts";

/**
 * Uses up the code of the sign-up and gives the trial, once, in the transaction that confirms. Throws
 * Fault("gone") where a code is asked for and that one is used up by now.
 */
export async function confirmEmail(
  tx: Tx,
  member: Pick<MemberProfile, "memberId" | "accountId" | "email">,
): Promise<{ readonly trialNano: Nano | null }> {
  if (!(await markVerified(tx, member.memberId))) return { trialNano: null };
  await spendCode(tx, member.memberId);
  return { trialNano: await giveTrial(tx, member) };
}

async function spendCode(tx: Tx, memberId: Uuid): Promise<void> {
  const codeId = await signUpCodeOf(tx, memberId);
  if (codeId === null || (await spendSignUpCode(tx, codeId))) return;
  const { signUp } = await readSettings(tx);
  if (signUp.mode === "code") throw new Fault("gone", sayRefusal("sign_up_code_used_up"));
}
