/** Groups of keys as the panel shows them: with what was spent in each, and what its limit leaves. */
import type { PanelGroup } from "../../../contract/panel/panel-group.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { GroupRecord } from "../../../keys/groups.store.ts";
import { budgetState } from "../../../ledger/budgets.store.ts";
import { moneyOf } from "./key-view.ts";
import { groupRevision } from "./revision.ts";
import { groupsSpend, moscowNow } from "./spend.store.ts";

/** All of one account, in the order given. */
export async function groupViews(
  q: Queryable,
  accountId: Uuid,
  groups: readonly GroupRecord[],
): Promise<PanelGroup[]> {
  if (groups.length === 0) return [];
  const { today } = await moscowNow(q);
  const budgets = await budgetState(
    q,
    groups.map(({ groupId }) => groupId),
  );
  const spend = await groupsSpend(q, accountId, { monthStart: `${today.slice(0, 8)}01`, today });
  return groups.map((group) => {
    return {
      id: group.groupId,
      name: group.name,
      state: group.deletedAt !== null ? "deleted" : group.frozenAt === null ? "active" : "frozen",
      createdAt: group.createdAt.toISOString(),
      frozenAt: group.frozenAt?.toISOString() ?? null,
      models: group.models === null ? null : [...group.models],
      keys: Number(group.keys),
      revision: groupRevision(group, budgets.get(group.groupId)),
      ...moneyOf(budgets.get(group.groupId), spend.get(group.groupId)),
    };
  });
}

export async function groupView(q: Queryable, group: GroupRecord): Promise<PanelGroup> {
  const [view] = await groupViews(q, group.accountId, [group]);
  return view as PanelGroup;
}
