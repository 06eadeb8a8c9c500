/** Commands on groups of keys that leave their line in the account's log. */
import type { AccountAction } from "../../../contract/enums/account-action.ts";
import type { Db, Tx } from "../../../db/database.ts";
import { isUuid, type Uuid } from "../../../kernel/ids.ts";
import { findGroup } from "../../../keys/groups.store.ts";
import type { Actor } from "../../account-log/account-actions.store.ts";
import { changedFields, type Facts } from "../../account-log/changed-fields.ts";
import { recordedDb } from "../../account-log/recorded-db.ts";
import { limitText } from "./recorded-keys.ts";

type GroupAction = Extract<AccountAction, `group.${string}`>;

interface Seen {
  readonly name: string;
  readonly facts: Facts;
}

/** For a command on this group; null: on the one that it makes and whose id it returns. */
export function recordedGroupDb(
  db: Db,
  actor: Actor,
  action: GroupAction,
  groupId: Uuid | null,
): Db {
  const see = async (tx: Tx, id: unknown): Promise<Seen | null> =>
    typeof id === "string" && isUuid(id) ? seeGroup(tx, actor.accountId, id) : null;
  return recordedDb<Seen | null>(db, actor, {
    look: (tx) => see(tx, groupId),
    async tell(tx, before, result) {
      const id = groupId ?? result;
      const after = await see(tx, id);
      if (after === null || typeof id !== "string") return null;
      const about = { action, subjectId: id, subject: after.name };
      if (groupId === null) return { ...about, before: null, after: after.facts };
      const changed = before === null ? null : changedFields(before.facts, after.facts);
      return changed === null ? null : { ...about, ...changed };
    },
  });
}

async function seeGroup(tx: Tx, accountId: Uuid, groupId: Uuid): Promise<Seen | null> {
  const group = await findGroup(tx, accountId, groupId);
  if (group === null) return null;
  const { name, models, frozenAt, deletedAt } = group;
  const limit = await limitText(tx, groupId);
  const states = { frozen: frozenAt !== null, deleted: deletedAt !== null };
  return { name, facts: { name, limit, models, ...states } };
}
