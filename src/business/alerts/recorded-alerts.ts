/** Commands on alerts that leave their line in the account's log; webhooks are told by their host. */
import { memberNames } from "../../accounts/members.store.ts";
import type { Db, Tx } from "../../db/database.ts";
import { isUuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { findGroup } from "../../keys/groups.store.ts";
import { findKeyByHash } from "../../keys/store.ts";
import { changeSecret } from "../../serving/webhooks/secrets.store.ts";
import { newWebhookSecret } from "../../serving/webhooks/sign-webhook.ts";
import { PREVIOUS_SECONDS, type SecretsDeps } from "../../serving/webhooks/signing-secrets.ts";
import type { AlertSecret } from "../../contract/panel/alert.ts";
import { recordAct, type Actor } from "../account-log/account-actions.store.ts";
import { changedFields, type Facts } from "../account-log/changed-fields.ts";
import { recordedDb } from "../account-log/recorded-db.ts";
import { deleteRule, findRule, type Rule } from "./rules.store.ts";

/** For the command that changes this alert; null: for the one that makes one, and returns it. */
export function recordedAlertDb(db: Db, actor: Actor, alertId: string | null): Db {
  const see = async (tx: Tx, id: unknown): Promise<Rule | null> =>
    typeof id === "string" && isUuid(id) ? findRule(tx, actor.accountId, id) : null;
  return recordedDb<Rule | null>(db, actor, {
    look: (tx) => see(tx, alertId),
    async tell(tx, before, result) {
      const id = alertId ?? (result as { readonly alertId?: string } | null)?.alertId ?? null;
      const after = await see(tx, id);
      if (after === null) return null;
      const about = { subjectId: id, subject: after.kind };
      const facts = await factsOf(tx, after);
      if (alertId === null) return { action: "alert.create", ...about, before: null, after: facts };
      const changed = before === null ? null : changedFields(await factsOf(tx, before), facts);
      return changed === null ? null : { action: "alert.change", ...about, ...changed };
    },
  });
}

/** False: there is no such alert. */
export async function deleteRecordedAlert(db: Db, actor: Actor, alertId: string): Promise<boolean> {
  if (!isUuid(alertId)) return false;
  return db.transaction(async (tx) => {
    const rule = await findRule(tx, actor.accountId, alertId);
    if (rule === null || !(await deleteRule(tx, actor.accountId, alertId))) return false;
    const about = { subjectId: alertId, subject: rule.kind };
    const before = await factsOf(tx, rule);
    await recordAct(tx, actor, { action: "alert.delete", ...about, before, after: null });
    return true;
  });
}

/** The secret that alert webhooks are signed with, changed: it is in this answer alone. */
export async function changeRecordedAlertSecret(
  { db, seal }: SecretsDeps,
  actor: Actor,
): Promise<AlertSecret> {
  const signer = { accountId: actor.accountId, purpose: "alerts" } as const;
  const change = { secret: newWebhookSecret(), previousSeconds: PREVIOUS_SECONDS };
  return db.transaction(async (tx) => {
    const { secret } = await changeSecret(tx, seal, signer, change);
    const about = { subjectId: null, subject: null, before: null, after: null };
    await recordAct(tx, actor, { action: "alert.secret", ...about });
    return { secret };
  });
}

/** Members and the key by their ids, and as they are called at that time. */
async function factsOf(tx: Tx, rule: Rule): Promise<Facts> {
  const { accountId, kind, factor, percent, keyHash, groupId, enabled, memberIds, webhookUrl } =
    rule;
  const key = keyHash === null ? null : await findKeyByHash(tx, keyHash);
  const group = groupId === null ? null : await findGroup(tx, accountId, groupId);
  const people = memberIds.length === 0 ? [] : await memberNames(tx, accountId, memberIds);
  return {
    kind,
    threshold: rule.thresholdNano === null ? null : formatRoubles(rule.thresholdNano),
    percent,
    factor,
    keyHash,
    key: key === null ? null : `${key.name} (${key.mask})`,
    groupId,
    group: group?.name ?? null,
    enabled,
    mailTo: rule.mailTo,
    telegramTo: rule.telegramTo,
    memberIds,
    members: people.map(({ email }) => email).toSorted(),
    webhook: webhookUrl === null ? null : new URL(webhookUrl).host,
  };
}
