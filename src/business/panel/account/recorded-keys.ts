/** Commands on keys that leave their line in the account's log. */
import { memberNames } from "../../../accounts/members.store.ts";
import type { AccountAction } from "../../../contract/enums/account-action.ts";
import type { Db, Tx } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { rateLimitsOf } from "../../../kernel/rate-limits.ts";
import { countWorkingKeys } from "../../../keys/change.store.ts";
import { findGroupNames } from "../../../keys/groups.store.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { findKeyByHash } from "../../../keys/store.ts";
import { budgetState } from "../../../ledger/budgets.store.ts";
import { recordAct, type Actor } from "../../account-log/account-actions.store.ts";
import { changedFields, type Facts } from "../../account-log/changed-fields.ts";
import { recordedDb } from "../../account-log/recorded-db.ts";
import type { KeyScope } from "./key-scope.ts";
import { noSuchKey } from "./list-account-keys.ts";

interface Seen {
  readonly key: KeyRecord;
  readonly facts: Facts;
}

/**
 * For a command on the key of this hash. A developer's command is undone, and refused as one on a key
 * that never was, where the key was taken from it before the command had hold of it.
 */
export function recordedKeyDb(
  db: Db,
  actor: Actor,
  action: Exclude<AccountAction, "key.create" | "key.freeze_all">,
  { hash, ownerId }: { readonly hash: string } & Pick<KeyScope, "ownerId">,
): Db {
  // As the commands take it.
  const named = hash.trim().toLowerCase();
  const see = (tx: Tx): Promise<Seen | null> => seeKey(tx, actor.accountId, named);
  return recordedDb<Seen | null>(db, actor, {
    look: see,
    async tell(tx, before) {
      const after = await see(tx);
      if (ownerId !== null && after?.key.ownerId !== ownerId) throw noSuchKey();
      const changed =
        before === null || after === null ? null : changedFields(before.facts, after.facts);
      if (after === null || changed === null) return null;
      return { action, subjectId: named, subject: titleOf(after.key), ...changed };
    },
  });
}

/** For the transaction that makes one. */
export async function recordNewKey(tx: Tx, actor: Actor, { hash }: KeyRecord): Promise<void> {
  const made = await seeKey(tx, actor.accountId, hash);
  if (made === null) return;
  const { key, facts } = made;
  const about = { subjectId: hash, subject: titleOf(key), before: null, after: facts };
  await recordAct(tx, actor, { action: "key.create", ...about });
}

/** For the command that freezes all of them. */
export function recordedFreezeDb(db: Db, actor: Actor): Db {
  const count = (tx: Tx): Promise<number> => countWorkingKeys(tx, actor.accountId);
  return recordedDb<number>(db, actor, {
    look: count,
    async tell(tx, before) {
      const working = await count(tx);
      if (working === before) return null;
      const about = { subjectId: null, subject: null, before: { working: before } };
      return { action: "key.freeze_all", ...about, after: { working } };
    },
  });
}

function titleOf({ name, mask }: KeyRecord): string {
  return `${name} (${mask})`;
}

async function seeKey(tx: Tx, accountId: Uuid, hash: string): Promise<Seen | null> {
  const key = await findKeyByHash(tx, hash);
  if (key === null || key.accountId !== accountId) return null;
  const { name, expiresAt, models, ips, groupId, ownerId = null, rolledTo = null } = key;
  const heirs = await findKeyNames(tx, rolledTo === null ? [] : [rolledTo]);
  const groups = await findGroupNames(tx, groupId === null ? [] : [groupId]);
  const [owner] = ownerId === null ? [] : await memberNames(tx, accountId, [ownerId]);
  const facts = {
    name,
    limit: await limitText(tx, key.keyId),
    expiresAt: expiresAt?.toISOString() ?? null,
    models,
    ips,
    ...rateLimitsOf(key),
    groupId,
    group: groups.get(groupId ?? "") ?? null,
    ownerId,
    owner: owner?.email ?? null,
    frozen: (key.frozenAt ?? null) !== null,
    deleted: key.deletedAt !== null,
    rolledTo: heirs.get(rolledTo ?? "")?.mask ?? null,
  };
  return { key, facts };
}

/** Roubles and the period; null: none. Of a key or a group, by the id of its budget. */
export async function limitText(tx: Tx, budgetId: Uuid): Promise<string | null> {
  const budget = (await budgetState(tx, [budgetId])).get(budgetId);
  if (budget === undefined || budget.limitNano === null) return null;
  return `${formatRoubles(budget.limitNano)} ${budget.period}`;
}
