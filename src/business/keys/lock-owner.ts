/** The member whose a key shall be, kept as it is until the transaction ends. */
import { holdColleague } from "../../accounts/members.store.ts";
import type { Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";

/**
 * To be asked after the group and before the key is locked. Throws the same Fault("not_found") for
 * another account's member and for one that never was.
 */
export async function lockOwner(tx: Tx, accountId: Uuid, ownerId: Uuid): Promise<void> {
  if (!(await holdColleague(tx, accountId, ownerId)))
    throw new Fault("not_found", { message: "This account has no such member." });
}
