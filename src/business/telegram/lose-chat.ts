/**
 * Lets go of a chat that the bot cannot write to any more: those who linked it learn it by mail, or
 * they would wait for alerts that never come.
 */
import { findMember } from "../../accounts/members.store.ts";
import type { Tx } from "../../db/database.ts";
import { enqueueMail } from "../mail/outbox.store.ts";
import { unlinkedMail } from "./bot-texts.ts";
import { unlinkChat } from "./chats.store.ts";
import { dropOfChat } from "./messages.store.ts";
import type { TelegramDeps } from "./telegram-deps.ts";

/** One mail for each member whose chat it was; none where it was unlinked before. */
export async function loseChat(
  { seal, baseUrl }: Pick<TelegramDeps, "seal" | "baseUrl">,
  tx: Tx,
  chatId: bigint,
  reason: string,
): Promise<void> {
  for (const { memberId, title } of await unlinkChat(tx, chatId)) {
    const member = await findMember(tx, memberId);
    if (member === null || !member.verified) continue;
    const { subject, text } = unlinkedMail(member.language, { title, baseUrl: baseUrl() });
    const mail = { to: member.email, kind: "telegram-unlinked", subject, text, html: null };
    await enqueueMail(tx, seal, mail);
  }
  await dropOfChat(tx, chatId, reason);
}
