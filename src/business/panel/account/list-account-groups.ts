/** The groups of the member's account by name, and one of them. */
import type { PanelGroup, PanelGroupList } from "../../../contract/panel/panel-group.ts";
import type { Db } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { findGroup, listGroups } from "../../../keys/groups.store.ts";
import { postAll } from "../../../ledger/journals.store.ts";
import { groupView, groupViews } from "./group-view.ts";

/** Without deleted ones. */
export async function listAccountGroups(db: Db, accountId: Uuid): Promise<PanelGroupList> {
  await postAll(db);
  return { data: await groupViews(db, accountId, await listGroups(db, accountId)) };
}

/** A deleted one, too. Throws the same Fault("not_found") for another account's and for none. */
export async function readAccountGroup(
  db: Db,
  accountId: Uuid,
  groupId: Uuid,
): Promise<PanelGroup> {
  const group = await findGroup(db, accountId, groupId);
  if (group === null) throw new Fault("not_found", { message: "This account has no such group." });
  await postAll(db);
  return groupView(db, group);
}
