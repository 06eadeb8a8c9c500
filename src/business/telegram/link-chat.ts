/** What a member does about the chat in which alerts reach it: links one by a code, and unlinks it. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { TelegramChat, TelegramCode } from "../../contract/panel/alert.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newOpaqueToken } from "../../kernel/opaque-token.ts";
import { botName } from "./bots.store.ts";
import { chatsOf, forgetCode, putCode, unlinkMember } from "./chats.store.ts";
import { dropOfMember } from "./messages.store.ts";
import type { TelegramDeps } from "./telegram-deps.ts";

/** What `/start` codes are hashed for. */
export const CODE_PURPOSE = "telegram-link";
/** As long as it takes to open another program. */
const CODE_SECONDS = 900;

export async function readChat(
  { db, bot }: Pick<TelegramDeps, "db" | "bot">,
  memberId: Uuid,
): Promise<TelegramChat> {
  const chat = (await chatsOf(db, [memberId])).get(memberId) ?? null;
  return {
    available: bot !== null,
    bot: bot === null ? null : await botName(db, bot.botId),
    chat: chat === null ? null : { title: chat.title, linkedAt: chat.linkedAt.toISOString() },
  };
}

/** Throws Fault("conflict") where there is no bot. */
export async function beginLinking(
  { db, bot, hashToken }: Pick<TelegramDeps, "db" | "bot" | "hashToken">,
  memberId: Uuid,
): Promise<TelegramCode> {
  if (bot === null) throw new Fault("conflict", sayRefusal("telegram_off"));
  const code = newOpaqueToken();
  const expiresAt = await putCode(db, memberId, hashToken(CODE_PURPOSE, code), CODE_SECONDS);
  const username = await botName(db, bot.botId);
  return {
    command: `/start ${code}`,
    // https://core.telegram.org/bots/features#deep-linking: up to 64 characters of A-Z, a-z, 0-9, _ and -.
    url: username === null ? null : `https://t.me/${username}?start=${code}`,
    expiresAt: expiresAt.toISOString(),
  };
}

/** What still waits for the chat is not sent. */
export async function endLinking({ db }: Pick<TelegramDeps, "db">, memberId: Uuid): Promise<void> {
  await db.transaction(async (tx) => {
    await forgetCode(tx, memberId);
    await unlinkMember(tx, memberId);
    await dropOfMember(tx, memberId, "unlinked");
  });
}
