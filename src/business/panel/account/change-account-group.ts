/**
 * Changes a group of keys: its name, limit and models, whether it is switched on. Exact as with
 * keys: when the command is over, no process admits anything by what it leased before.
 */
import type { PanelGroup } from "../../../contract/panel/panel-group.ts";
import type { Db } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { changeGroup, setGroupFrozen } from "../../../keys/groups.store.ts";
import {
  budgetState,
  closeBudget,
  reopenBudget,
  updateBudget,
} from "../../../ledger/budgets.store.ts";
import { recallForCommand } from "../../../ledger/recall.ts";
import { lockLiveGroup } from "../../keys/lock-live-group.ts";
import { readGroupSettings, type GroupSettings } from "../../keys/read-key-settings.ts";
import { readAccountGroup } from "./list-account-groups.ts";
import { checkRevision } from "../../revision.ts";
import { groupRevision } from "./revision.ts";

export interface GroupName {
  readonly accountId: Uuid;
  readonly groupId: Uuid;
}

/**
 * What is left out stays as it is. Faults: `not_found` for a group that is not the account's,
 * `conflict` for one that was deleted or whose settings are of another revision, `invalid_request`.
 */
export async function changeAccountGroup(
  db: Db,
  { accountId, groupId }: GroupName,
  { revision, ...wishes }: Partial<GroupSettings> & { readonly revision?: string },
): Promise<PanelGroup> {
  await db.transaction(async (tx) => {
    const { name, models } = await lockLiveGroup(tx, accountId, groupId);
    const budget = (await budgetState(tx, [groupId])).get(groupId);
    checkRevision(revision, groupRevision({ name, models }, budget));
    const { limit, ...settings } = readGroupSettings({ name, models, limit: null, ...wishes });
    await changeGroup(tx, { accountId, groupId }, settings);
    if (wishes.limit === undefined) return;
    await updateBudget(tx, {
      budgetId: groupId,
      limitNano: limit?.amountNano ?? null,
      period: limit?.period ?? "total",
    });
  });
  if (wishes.limit !== undefined) await recallForCommand(db, accountId);
  return readAccountGroup(db, accountId, groupId);
}

/** Again is as once. Faults: `not_found`, `conflict`. */
export async function setAccountGroupFrozen(
  db: Db,
  { accountId, groupId }: GroupName,
  frozen: boolean,
): Promise<PanelGroup> {
  await db.transaction(async (tx) => {
    await lockLiveGroup(tx, accountId, groupId);
    await setGroupFrozen(tx, { accountId, groupId }, frozen);
    if (frozen) await closeBudget(tx, groupId);
    else await reopenBudget(tx, groupId);
  });
  if (frozen) await recallForCommand(db, accountId);
  return readAccountGroup(db, accountId, groupId);
}
