/** What members do with their account's alerts: make, change and test the rules. */
import {
  sayFieldRefusal,
  sayRefusal,
  type ParamsOf,
} from "../../contract/sentences/say-refusal.ts";
import type { PanelRefusals } from "../../contract/panel/panel-refusal.ts";
import type { Alert, AlertChange, NewAlert } from "../../contract/panel/alert.ts";
import { colleagues } from "../../accounts/members.store.ts";
import { countTests } from "./deliveries.store.ts";
import { addSpend, forgetSpend, lockLook } from "./looks.store.ts";
import {
  changeRule,
  findRule,
  insertRule,
  rulesOf,
  type Rule,
  type RuleSettings,
} from "./rules.store.ts";
import type { Tx } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { isUuid, newUuid } from "../../kernel/ids.ts";
import { formatRoubles, parseRoubles } from "../../kernel/money.ts";
import { findGroup } from "../../keys/groups.store.ts";
import { findKeyByHash } from "../../keys/store.ts";
import { budgetState } from "../../ledger/budgets.store.ts";
import type { UrlVerdict } from "../../net/check-url.ts";
import { makeSecret } from "../../serving/webhooks/secrets.store.ts";
import { newWebhookSecret } from "../../serving/webhooks/sign-webhook.ts";
import { checkRevision, revisionOf } from "../revision.ts";
import type { AlertDeps } from "./alert-deps.ts";
import { exampleValue } from "./example-value.ts";
import { isTwin, type Comparable } from "./is-twin.ts";
import { spendBefore } from "./ledger-moves.store.ts";
import { armOrQuiet, beginLooking } from "./look-at-account.ts";
import { sendAlert } from "./send-alert.ts";

export interface ManageDeps extends AlertDeps {
  checkUrl(text: string): UrlVerdict;
}

/** Of one account. */
export const MOST_RULES = 50;
/** Deliveries of tests, in an hour: they write to people. */
const MOST_TESTS = 50;

export async function listAlerts(deps: Pick<AlertDeps, "db">, accountId: Uuid): Promise<Alert[]> {
  return (await rulesOf(deps.db, accountId)).map(alertView);
}

/**
 * Throws Fault("invalid_request") with the field that cannot be, Fault("already_exists") for one
 * that would only send everything twice.
 */
export async function createAlert(
  deps: ManageDeps,
  accountId: Uuid,
  wish: NewAlert,
): Promise<Alert> {
  return underLook(deps, accountId, async (tx, throughNo) => {
    if ((await rulesOf(tx, accountId)).length >= MOST_RULES) {
      throw new Fault("conflict", sayRefusal("alerts_most", { limit: MOST_RULES }));
    }
    const { kind, ...given } = wish;
    const wished = {
      threshold: null,
      percent: null,
      factor: null,
      keyHash: null,
      groupId: null,
      enabled: true,
      mailTo: "owners",
      telegramTo: given.mailTo ?? "owners",
      memberIds: [],
      webhookUrl: null,
      ...given,
    } as const;
    const settings = await readSettings(
      deps,
      tx,
      { accountId, kind },
      { ...wished, memberIds: [...wished.memberIds] },
    );
    await refuseTwin(tx, accountId, { kind, ...settings });
    await beginSubject(tx, { accountId, throughNo, kind, subjectId: settings.subjectId });
    const ruleId = newUuid();
    await insertRule(tx, { ...settings, ruleId, accountId, kind });
    await armOrQuiet(tx, accountId, ruleId);
    return viewOf(tx, accountId, ruleId);
  });
}

/**
 * Null: there is no such alert. Throws as `createAlert` does, and Fault("conflict") for a change of
 * another revision.
 */
export async function changeAlert(
  deps: ManageDeps,
  accountId: Uuid,
  alertId: string,
  { revision, ...change }: AlertChange,
): Promise<Alert | null> {
  if (!isUuid(alertId)) return null;
  return underLook(deps, accountId, async (tx, throughNo) => {
    const rule = await findRule(tx, accountId, alertId);
    if (rule === null) return null;
    checkRevision(revision, ruleRevision(rule));
    const { thresholdNano, percent, factor, subjectId, enabled } = rule;
    const before = {
      percent,
      factor,
      keyHash: rule.keyHash,
      groupId: rule.groupId,
      enabled,
      mailTo: rule.mailTo,
      telegramTo: rule.telegramTo,
      memberIds: [...rule.memberIds],
      webhookUrl: rule.webhookUrl,
      threshold: thresholdNano === null ? null : formatRoubles(thresholdNano),
    };
    const settings = await readSettings(deps, tx, rule, { ...before, ...change });
    // One that has a twin from before may still be switched off and on.
    if (!isTwin(rule, { kind: rule.kind, ...settings }))
      await refuseTwin(tx, accountId, { kind: rule.kind, ...settings });
    await beginSubject(tx, {
      accountId,
      throughNo,
      kind: rule.kind,
      subjectId: settings.subjectId,
    });
    await changeRule(tx, rule, settings);
    // Who only changes where it is sent to has crossed nothing.
    const watches =
      settings.thresholdNano !== thresholdNano ||
      settings.percent !== percent ||
      settings.factor !== factor ||
      settings.subjectId !== subjectId;
    if (watches || settings.enabled !== enabled) await armOrQuiet(tx, accountId, alertId);
    return viewOf(tx, accountId, alertId);
  });
}

/**
 * Sends what it would send when it fires, with an example for what is measured; it stays as armed
 * as it was. How many deliveries; null: there is no such alert.
 */
export async function testAlert(
  deps: ManageDeps,
  accountId: Uuid,
  alertId: string,
): Promise<number | null> {
  if (!isUuid(alertId)) return null;
  return underLook(deps, accountId, async (tx) => {
    const rule = await findRule(tx, accountId, alertId);
    if (rule === null) return null;
    if ((await countTests(tx, accountId)) >= MOST_TESTS) {
      throw new Fault("rate_limit_exceeded", {
        ...sayRefusal("tests_most"),
        retryAfterSeconds: 600,
      });
    }
    const budget = rule.kind === "limit_used" ? await budgetState(tx, [rule.subjectId]) : null;
    const limitNano = budget?.get(rule.subjectId)?.limitNano ?? null;
    return sendAlert(deps, tx, rule, { ...exampleValue(rule, limitNano), test: true });
  });
}

/** Alone with the account's rules: no other process counts or fires meanwhile. */
async function underLook<T>(
  deps: AlertDeps,
  accountId: Uuid,
  work: (tx: Tx, throughNo: bigint) => Promise<T>,
): Promise<T> {
  return deps.db.transaction(async (tx) => {
    await beginLooking(tx, accountId);
    const look = await lockLook(tx, accountId);
    assert(look !== null, "somebody looks at the account by now");
    return work(tx, look.throughNo);
  });
}

/**
 * A key is counted from the first rule about its spend on; what it spent before is read once. What is
 * used of limits is not counted here.
 */
async function beginSubject(
  tx: Tx,
  {
    accountId,
    throughNo,
    kind,
    subjectId,
  }: Pick<Rule, "accountId" | "kind" | "subjectId"> & {
    readonly throughNo: bigint;
  },
): Promise<void> {
  if (subjectId === accountId || kind === "limit_used") return;
  const counted = (await rulesOf(tx, accountId)).some(
    (rule) => rule.subjectId === subjectId && rule.kind !== "limit_used",
  );
  if (counted) return;
  await forgetSpend(tx, { accountId, subjectId });
  await addSpend(tx, await spendBefore(tx, accountId, throughNo, subjectId));
}

/** Under the account's look, so that of two creations at once one sees the other. */
async function refuseTwin(tx: Tx, accountId: Uuid, wished: Comparable): Promise<void> {
  if ((await rulesOf(tx, accountId)).some((rule) => isTwin(rule, wished))) {
    throw new Fault("already_exists");
  }
}

type Wished = Required<Omit<NewAlert, "kind">>;

/**
 * `of`: the rule as it is, where there is one: a key or member that is gone since is no reason to
 * refuse another change.
 */
async function readSettings(
  deps: ManageDeps,
  tx: Tx,
  of: Pick<Rule, "accountId" | "kind"> & Partial<Rule>,
  wished: Wished,
): Promise<RuleSettings> {
  const { accountId, kind } = of;
  const { percent, factor, keyHash, enabled, mailTo, telegramTo, webhookUrl } = wished;
  const chosen = mailTo === "members" || telegramTo === "members";
  const memberIds = chosen ? [...new Set(wished.memberIds)] : [];
  if ((kind === "limit_used") !== (percent !== null))
    refuse("percent", "percent_of_limit", { wanted: kind === "limit_used" ? "given" : "absent" });
  const thresholdNano =
    kind === "limit_used" || wished.threshold === null ? null : parseRoubles(wished.threshold);
  if (kind !== "limit_used" && (thresholdNano === null || thresholdNano <= 0n))
    refuse("threshold", "threshold_above_zero");
  if ((kind === "spend_spike") !== (factor !== null)) {
    const wanted = kind === "spend_spike" ? "given" : "absent";
    refuse("factor", "factor_of_spike", { wanted });
  }
  if (kind === "balance_below" && keyHash !== null) refuse("keyHash", "balance_of_account");
  const groupId = groupOf(kind, wished);
  const unchanged = keyHash === (of.keyHash ?? null) && groupId === (of.groupId ?? null);
  const subjectId = unchanged
    ? (of.subjectId ?? accountId)
    : await subjectOf(tx, accountId, { keyHash, groupId });
  if (chosen) {
    const known = new Set([
      ...(await colleagues(tx, accountId)).map((member) => member.memberId),
      ...(of.memberIds ?? []),
    ]);
    if (memberIds.length === 0 || !memberIds.every((id) => known.has(id)))
      refuse("memberIds", "members_expected");
  }
  const verdict = webhookUrl === null ? null : deps.checkUrl(webhookUrl);
  if (verdict !== null && !verdict.ok) {
    const { rule, message: reported } = verdict;
    refuse("webhookUrl", "webhook_address", { rule, reported });
  }
  if (webhookUrl !== null)
    await makeSecret(tx, deps.seal, { accountId, purpose: "alerts" }, newWebhookSecret());
  return {
    thresholdNano,
    percent,
    factor,
    subjectId,
    keyHash,
    groupId,
    enabled,
    mailTo,
    telegramTo,
    memberIds,
    webhookUrl,
  };
}

/** A limit is that of one group or of one key; what a group spends is watched by its limit alone. */
function groupOf(
  kind: Rule["kind"],
  { keyHash, groupId }: Pick<Wished, "keyHash" | "groupId">,
): Uuid | null {
  if (kind === "limit_used" ? (keyHash === null) === (groupId === null) : groupId !== null)
    refuse("groupId", "limit_of_one");
  if (groupId !== null && !isUuid(groupId)) return refuse("groupId", "no_such_group");
  return groupId;
}

async function subjectOf(
  tx: Tx,
  accountId: Uuid,
  { keyHash, groupId }: Pick<Rule, "keyHash" | "groupId">,
): Promise<Uuid> {
  if (groupId !== null) {
    const group = await findGroup(tx, accountId, groupId);
    return group === null || group.deletedAt !== null
      ? refuse("groupId", "no_such_group")
      : group.groupId;
  }
  if (keyHash === null) return accountId;
  const key = await findKeyByHash(tx, keyHash);
  if (key === null || key.accountId !== accountId || key.deletedAt !== null)
    return refuse("keyHash", "no_such_key");
  return key.keyId;
}

function refuse<Reason extends keyof PanelRefusals>(
  param: string,
  reason: Reason,
  ...given: ParamsOf<Reason>
): never {
  throw new Fault("invalid_request", sayFieldRefusal(param, reason, ...given));
}

async function viewOf(tx: Tx, accountId: Uuid, ruleId: Uuid): Promise<Alert> {
  const rule = await findRule(tx, accountId, ruleId);
  assert(rule !== null, "the rule was written in this transaction");
  return alertView(rule);
}

function alertView(rule: Rule): Alert {
  const {
    ruleId,
    kind,
    thresholdNano,
    percent,
    factor,
    keyHash,
    groupId,
    enabled,
    mailTo,
    telegramTo,
    memberIds,
    webhookUrl,
    quiet,
    firedAt,
    createdAt,
  } = rule;
  return {
    alertId: ruleId,
    kind,
    threshold: thresholdNano === null ? null : formatRoubles(thresholdNano),
    percent,
    factor,
    keyHash,
    groupId,
    enabled,
    mailTo,
    telegramTo,
    memberIds: [...memberIds],
    webhookUrl,
    past: quiet,
    fired: quiet && firedAt !== null,
    lastFiredAt: firedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    revision: ruleRevision(rule),
  };
}

/** Whether it is on is not in it: that has a switch of its own. */
function ruleRevision(rule: Rule): string {
  const { thresholdNano, percent, factor, keyHash, groupId } = rule;
  const { mailTo, telegramTo, memberIds, webhookUrl } = rule;
  return revisionOf([
    thresholdNano === null ? null : formatRoubles(thresholdNano),
    percent,
    factor,
    keyHash,
    groupId,
    mailTo,
    telegramTo,
    memberIds,
    webhookUrl,
  ]);
}
