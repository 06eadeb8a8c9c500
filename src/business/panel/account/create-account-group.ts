/** Makes a group of keys, with its budget, in the member's account. */
import type { PanelGroup } from "../../../contract/panel/panel-group.ts";
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { Db } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../../kernel/ids.ts";
import { countGroups, insertGroupOnce } from "../../../keys/groups.store.ts";
import { openBudget } from "../../../ledger/budgets.store.ts";
import { readGroupSettings, type GroupSettings } from "../../keys/read-key-settings.ts";
import { readAccountGroup } from "./list-account-groups.ts";

/** Deleted ones do not count. A little above it where several are made at one moment. */
const MOST_GROUPS = 200;

export interface NewGroupRequest extends GroupSettings {
  readonly accountId: Uuid;
  /** Of the form that asks for it: the same one again makes no second group. */
  readonly once: Uuid | null;
}

/** Faults: `invalid_request`; `conflict` for a form that was sent before, or one group too many. */
export async function createAccountGroup(db: Db, request: NewGroupRequest): Promise<PanelGroup> {
  const { name, limit, models } = readGroupSettings(request);
  const { accountId, once } = request;
  const groupId = newUuid();
  await db.transaction<Uuid>(async (tx) => {
    if ((await countGroups(tx, accountId)) >= MOST_GROUPS)
      throw new Fault("conflict", sayRefusal("groups_most", { limit: MOST_GROUPS }));
    if (!(await insertGroupOnce(tx, { groupId, accountId, name, models, once })))
      throw new Fault("conflict", sayRefusal("group_made"));
    await openBudget(tx, {
      budgetId: groupId,
      accountId,
      limitNano: limit?.amountNano ?? null,
      period: limit?.period ?? "total",
    });
    return groupId;
  });
  return readAccountGroup(db, accountId, groupId);
}
