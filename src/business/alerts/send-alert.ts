/**
 * Writes what a rule sends: a mail and a message for each member that it names, and a webhook; all of
 * it with the rule's firing, or not at all.
 */
import { colleagues, type MemberProfile } from "../../accounts/members.store.ts";
import { insertDelivery } from "./deliveries.store.ts";
import type { Rule } from "./rules.store.ts";
import type { MailTo } from "../../contract/enums/alert-terms.ts";
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { Tx } from "../../db/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { findKeyByHash } from "../../keys/store.ts";
import { findGroup } from "../../keys/groups.store.ts";
import { enqueueMail } from "../mail/outbox.store.ts";
import { chatsOf } from "../telegram/chats.store.ts";
import { enqueueMessage } from "../telegram/messages.store.ts";
import type { AlertDeps } from "./alert-deps.ts";
import { alertText } from "./alert-text.ts";

interface FiredAlert {
  readonly valueNano: Nano;
  /** At this moment: that of a limit moves with it. */
  readonly thresholdNano: Nano;
  readonly test: boolean;
}

/** Returns how many deliveries were written. */
export async function sendAlert(
  deps: Pick<AlertDeps, "seal" | "clock" | "baseUrl">,
  tx: Tx,
  rule: Rule,
  { valueNano, thresholdNano, test }: FiredAlert,
): Promise<number> {
  const { accountId, ruleId, kind, groupId, webhookUrl } = rule;
  const key = rule.keyHash === null ? null : await findKeyByHash(tx, rule.keyHash);
  const group = groupId === null ? null : await findGroup(tx, accountId, groupId);
  const about = { accountId, ruleId, kind, thresholdNano, valueNano, test };
  const members = await colleagues(tx, accountId);
  const words = ({ language, accountName }: MemberProfile): ReturnType<typeof alertText> =>
    alertText(language, {
      rule: { ...rule, thresholdNano },
      valueNano,
      test,
      accountName,
      key: key === null ? null : { name: key.name, mask: key.mask },
      group: group === null ? null : { name: group.name },
      baseUrl: deps.baseUrl(),
    });
  const recipients = members.filter((member) => isMeant(rule.mailTo, rule, member));
  for (const member of recipients) {
    const { email } = member;
    const { subject, text } = words(member);
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
  const readers = members.filter((member) => isMeant(rule.telegramTo, rule, member));
  const chats = await chatsOf(
    tx,
    readers.map(({ memberId }) => memberId),
  );
  let written = recipients.length;
  for (const member of readers) {
    const { memberId, email } = member;
    const chatId = chats.get(memberId)?.chatId;
    if (chatId === undefined) continue;
    const { subject, text } = words(member);
    const message = { memberId, chatId, text: `${subject}\n\n${text}` };
    const messageId = await enqueueMessage(tx, deps.seal, message);
    await insertDelivery(tx, {
      ...about,
      deliveryId: newUuid(),
      target: email,
      by: { channel: "telegram", messageId },
    });
    written += 1;
  }
  if (webhookUrl === null) return written;
  const at = deps.clock.now();
  const body = JSON.stringify(webhookBody(rule, { valueNano, thresholdNano, test, at }));
  await insertDelivery(tx, {
    ...about,
    deliveryId: newUuid(),
    target: webhookUrl,
    by: { channel: "webhook", body },
  });
  return written + 1;
}

/** No member is written to at an address that was never confirmed. */
function isMeant(
  to: MailTo,
  { memberIds }: Pick<Rule, "memberIds">,
  member: MemberProfile,
): boolean {
  if (!member.verified || to === "nobody") return false;
  return to === "owners" ? member.role === "owner" : memberIds.includes(member.memberId);
}

function webhookBody(rule: Rule, fired: FiredAlert & { readonly at: Date }): object {
  return {
    type: `alert.${rule.kind}`,
    timestamp: fired.at.toISOString(),
    data: {
      alertId: rule.ruleId,
      test: fired.test,
      keyHash: rule.keyHash,
      groupId: rule.groupId,
      value: formatRoubles(fired.valueNano),
      threshold: formatRoubles(fired.thresholdNano),
      factor: rule.factor,
      percent: rule.percent,
      currency: CURRENCY,
    },
  };
}
