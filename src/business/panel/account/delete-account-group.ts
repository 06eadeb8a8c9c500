/** Deletes a group of the member's account, exactly: its keys go on in none. Again is as once. */
import type { Db } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import { findGroup, lockGroup, markGroupDeleted } from "../../../keys/groups.store.ts";
import { closeGroup } from "../../../ledger/budget-groups.store.ts";
import { recallForCommand } from "../../../ledger/recall.ts";
import type { GroupName } from "./change-account-group.ts";

/**
 * What was admitted before stays in it and ends there. Throws Fault("not_found") for a group that
 * is not the account's.
 */
export async function deleteAccountGroup(db: Db, { accountId, groupId }: GroupName): Promise<void> {
  await db.transaction(async (tx) => {
    await lockGroup(tx, accountId, groupId);
    const group = await findGroup(tx, accountId, groupId);
    if (group === null)
      throw new Fault("not_found", { message: "This account has no such group." });
    if (group.deletedAt !== null) return;
    await markGroupDeleted(tx, group);
    await closeGroup(tx, accountId, groupId);
  });
  // Also of one that was deleted before: that command may not have come so far.
  await recallForCommand(db, accountId);
}
