/** A group that keys may be brought into, kept as it is until the transaction ends. */
import type { Tx } from "../../db/database.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { findGroup, lockGroup, type GroupRecord } from "../../keys/groups.store.ts";

/**
 * To be among the first statements, before any key is locked. Throws the same Fault("not_found") for
 * another account's group and for one that never was, Fault("conflict") for one that was deleted.
 */
export async function lockLiveGroup(tx: Tx, accountId: Uuid, groupId: Uuid): Promise<GroupRecord> {
  await lockGroup(tx, accountId, groupId);
  const group = await findGroup(tx, accountId, groupId);
  if (group === null) throw new Fault("not_found", { message: "This account has no such group." });
  if (group.deletedAt !== null) throw new Fault("conflict", sayRefusal("group_deleted"));
  return group;
}
