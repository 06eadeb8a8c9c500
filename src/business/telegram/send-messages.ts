/**
 * Sends the messages that wait for Telegram: as slowly as it asks for, again and again where it gives
 * no answer, and no more to a chat that refuses the bot.
 */
import { jittered } from "../../kernel/backoff.ts";
import type { SendOutcome, TelegramBot } from "../../upstreams/telegram/telegram-bot.ts";
import { moveChat } from "./chats.store.ts";
import { loseChat } from "./lose-chat.ts";
import {
  claimMessages,
  moveMessages,
  noteFailed,
  noteSent,
  putOff,
  type ClaimedMessage,
} from "./messages.store.ts";
import type { TelegramDeps } from "./telegram-deps.ts";

export interface SendDeps extends Omit<TelegramDeps, "bot" | "hashToken"> {
  readonly bot: TelegramBot;
  /** Once for each try. */
  onTried(outcome: SendOutcome["kind"] | "given-up" | "unreadable"): void;
}

const AT_ONCE = 10;
/** Longer than so many tries may take, one after another. */
const CLAIM_SECONDS = 300;
const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** After the first try, the second, …: about a day in all. */
const BACK_OFF_SECONDS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];

/** Resolves when nothing that is due is left, or it is to stop. */
export async function sendMessages(deps: SendDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const claimed = await claimMessages(deps.db, deps.seal, {
      most: AT_ONCE,
      seconds: CLAIM_SECONDS,
    });
    if (claimed.length === 0) return;
    for (const message of claimed) await sendOne(deps, message, signal);
    if (signal.aborted) return;
  }
}

async function sendOne(
  deps: SendDeps,
  { messageId, chatId, text, attempts }: ClaimedMessage,
  signal: AbortSignal,
): Promise<void> {
  const { db, bot } = deps;
  // Not tried: it goes back as it was.
  if (signal.aborted) return putOff(db, messageId, 0);
  if (text === null) {
    const error = "sealed by another SESSION_SECRET";
    await noteFailed(db, { messageId, error, retrySeconds: null });
    return deps.onTried("unreadable");
  }
  const outcome = await bot.sendMessage(chatId, text, signal);
  switch (outcome.kind) {
    case "sent":
      await noteSent(db, messageId);
      break;
    case "slow-down":
      // The whole chat waits: only the first message of each is ever claimed.
      await putOff(db, messageId, outcome.seconds);
      break;
    case "moved":
      if (attempts > BACK_OFF_SECONDS.length) {
        await noteFailed(db, { messageId, error: "moved again and again", retrySeconds: null });
        return deps.onTried("given-up");
      }
      await db.transaction(async (tx) => {
        await moveChat(tx, chatId, outcome.chatId);
        await moveMessages(tx, chatId, outcome.chatId);
      });
      break;
    case "unreachable":
      await db.transaction((tx) => loseChat(deps, tx, chatId, outcome.reason));
      break;
    case "refused":
      await noteFailed(db, { messageId, error: outcome.reason, retrySeconds: null });
      break;
    case "failed": {
      const pause = BACK_OFF_SECONDS[attempts - 1];
      const retrySeconds = pause === undefined ? null : jittered(pause, Math.random);
      await noteFailed(db, { messageId, error: outcome.reason, retrySeconds });
      if (retrySeconds === null) return deps.onTried("given-up");
    }
  }
  deps.onTried(outcome.kind);
}
