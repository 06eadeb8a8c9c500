/**
 * Credit to try with, for who opened an account here: once for each mailbox, because the ledger takes
 * a reference once over all accounts and processes.
 */
import { hash } from "node:crypto";
import { mailIdentity } from "../../accounts/mail-identity.ts";
import type { Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { parseRoubles, type Nano } from "../../kernel/money.ts";
import { topUpIn } from "../accounts/top-up.ts";
import { readSettings } from "../settings/read-settings.ts";

/** To be called in the transaction that confirms the e-mail. Null: none was given. */
export async function giveTrial(
  tx: Tx,
  { accountId, email }: { readonly accountId: Uuid; readonly email: string },
): Promise<Nano | null> {
  const { signUp } = await readSettings(tx);
  const amountNano = parseRoubles(signUp.trial);
  if (amountNano === null || amountNano <= 0n) return null;
  const outcome = await topUpIn(tx, {
    accountId,
    amountNano,
    reference: `trial:${hash("sha256", mailIdentity(email), "hex")}`,
    creditClass: "trial",
    note: "Trial at sign-up",
  });
  return outcome.kind === "credited" ? amountNano : null;
}
