/**
 * What watched a key watches the one that takes its place: alerts follow a roll instead of ending
 * with the old key.
 */
import { carrySpend, lockLook } from "./looks.store.ts";
import { moveRules } from "./rules.store.ts";
import type { Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";

interface NamedKey {
  readonly keyId: Uuid;
  readonly hash: string;
}

/**
 * In the transaction of the roll; the new key was never used yet. What the old one spent up to here
 * counts with the new one's: the day goes on, and steady spend is no spike because its key is new.
 * No process looks at the account meanwhile, so no charge of the new key is passed over.
 */
export async function followRolledKey(
  tx: Tx,
  accountId: Uuid,
  old: NamedKey,
  heir: NamedKey,
): Promise<void> {
  await lockLook(tx, accountId);
  await carrySpend(tx, { accountId, subjectId: old.keyId }, heir.keyId);
  await moveRules(tx, accountId, old.hash, heir);
}
