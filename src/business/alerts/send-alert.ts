/**
 * Writes what a rule sends: a mail for each member that it names, and a webhook; all of it with the
 * rule's firing, or not at all.
 */
import { colleagues, type MemberProfile } from "../../accounts/members.store.ts";
import { insertDelivery } from "./deliveries.store.ts";
import type { Rule } from "./rules.store.ts";
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { Tx } from "../../db/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { findKeyByHash } from "../../keys/store.ts";
import { enqueueMail } from "../mail/outbox.store.ts";
import type { AlertDeps } from "./alert-deps.ts";
import { alertText } from "./alert-text.ts";

/** Returns how many deliveries were written. */
export async function sendAlert(
  deps: Pick<AlertDeps, "seal" | "clock" | "baseUrl">,
  tx: Tx,
  rule: Rule,
  { valueNano, test }: { readonly valueNano: Nano; readonly test: boolean },
): Promise<number> {
  const { accountId, ruleId, kind, thresholdNano, webhookUrl } = rule;
  const key = rule.keyHash === null ? null : await findKeyByHash(tx, rule.keyHash);
  const about = { accountId, ruleId, kind, thresholdNano, valueNano, test };
  const recipients = (await colleagues(tx, accountId)).filter((member) => isMeant(rule, member));
  for (const { email, language, accountName } of recipients) {
    const { subject, text } = alertText(language, {
      rule,
      valueNano,
      test,
      accountName,
      key: key === null ? null : { name: key.name, mask: key.mask },
      baseUrl: deps.baseUrl(),
    });
    const mailId = await enqueueMail(tx, deps.seal, {
      to: email,
      kind: "alert",
      subject,
      text,
      html: null,
    });
    await insertDelivery(tx, {
      ...about,
      deliveryId: newUuid(),
      target: email,
      by: { channel: "mail", mailId },
    });
  }
  if (webhookUrl === null) return recipients.length;
  const body = JSON.stringify(webhookBody(rule, { valueNano, test, at: deps.clock.now() }));
  await insertDelivery(tx, {
    ...about,
    deliveryId: newUuid(),
    target: webhookUrl,
    by: { channel: "webhook", body },
  });
  return recipients.length + 1;
}

/** No member is written to at an address that was never confirmed. */
function isMeant({ mailTo, memberIds }: Rule, member: MemberProfile): boolean {
  if (!member.verified || mailTo === "nobody") return false;
  return mailTo === "owners" ? member.role === "owner" : memberIds.includes(member.memberId);
}

function webhookBody(
  rule: Rule,
  fired: { readonly valueNano: Nano; readonly test: boolean; readonly at: Date },
): object {
  return {
    type: `alert.${rule.kind}`,
    timestamp: fired.at.toISOString(),
    data: {
      alertId: rule.ruleId,
      test: fired.test,
      keyHash: rule.keyHash,
      value: formatRoubles(fired.valueNano),
      threshold: formatRoubles(rule.thresholdNano),
      factor: rule.factor,
      currency: CURRENCY,
    },
  };
}
