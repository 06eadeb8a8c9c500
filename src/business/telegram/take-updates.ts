/**
 * Reads what people write to the bot: one process among all, by a lease in the database, which also
 * knows how far it came, so that each update is taken once.
 */
import { findMember } from "../../accounts/members.store.ts";
import type { Language } from "../../contract/enums/language.ts";
import type { Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { TelegramUpdate } from "../../upstreams/telegram/read-update.ts";
import type { TelegramBot } from "../../upstreams/telegram/telegram-bot.ts";
import { botAnswer } from "./bot-texts.ts";
import { leaseBot, nameBot, releaseBot, takeUpdate } from "./bots.store.ts";
import { linkChat, unlinkChat, useCode } from "./chats.store.ts";
import { CODE_PURPOSE } from "./link-chat.ts";
import { loseChat } from "./lose-chat.ts";
import { countAnswers, dropOfChat, enqueueMessage, redirectMessages } from "./messages.store.ts";
import type { TelegramDeps } from "./telegram-deps.ts";

export interface UpdatesDeps extends Omit<TelegramDeps, "bot"> {
  readonly bot: TelegramBot;
  /** This process. */
  readonly ownerId: Uuid;
  onError(what: string, error: unknown): void;
  /** Of Telegram's long poll. */
  readonly waitSeconds?: number;
}

export interface UpdatesWork {
  /** One long poll, where no other process reads. */
  tick(): Promise<void>;
  /** Breaks the poll off and lets another process go on. */
  stop(): Promise<void>;
}

const WAIT_SECONDS = 25;
/** Longer than a poll with all its phases: a process that dies leaves it to the others then. */
const LEASE_SECONDS = 90;
/** After an answer that was none, where Telegram does not say how long. */
const PAUSE_SECONDS = 5;
/** Answers in one chat: a stranger does not make the bot write without end. */
const MOST_ANSWERS = 10;
const ANSWERS_SECONDS = 60;
const START = /^\/start(?:@\w+)?(?:\s+([\w-]{1,64}))?\s*$/;
const STOP = /^\/stop(?:@\w+)?\s*$/;

export function createUpdatesWork(deps: UpdatesDeps): UpdatesWork {
  const { db, bot, ownerId } = deps;
  const stopping = new AbortController();
  let restUntilMs = 0;

  async function apply(tx: Tx, { what }: TelegramUpdate): Promise<void> {
    if (what.kind === "other") return;
    const { chatId, title } = what.chat;
    if (what.kind === "left")
      return loseChat(deps, tx, chatId, "the bot was blocked or taken out of the chat");
    const answer = async (language: Language, which: Parameters<typeof botAnswer>[1]) => {
      if ((await countAnswers(tx, chatId, ANSWERS_SECONDS)) >= MOST_ANSWERS) return;
      const text = botAnswer(language, which, deps.baseUrl());
      await enqueueMessage(tx, deps.seal, { memberId: null, chatId, text });
    };
    const language: Language = what.language?.startsWith("ru") === true ? "ru" : "en";
    if (STOP.test(what.text)) {
      await unlinkChat(tx, chatId);
      await dropOfChat(tx, chatId, "unlinked");
      return answer(language, { kind: "unlinked" });
    }
    const start = START.exec(what.text);
    // In groups people write to each other.
    if (start === null && chatId < 0n) return;
    const code = start?.[1];
    if (code === undefined) return answer(language, { kind: "introduction" });
    const memberId = await useCode(tx, deps.hashToken(CODE_PURPOSE, code));
    const member = memberId === null ? null : await findMember(tx, memberId);
    if (member === null) return answer(language, { kind: "bad-code" });
    await linkChat(tx, { memberId: member.memberId, chatId, title });
    await redirectMessages(tx, member.memberId, chatId);
    await answer(member.language, { kind: "linked", email: member.email });
  }

  async function take(update: TelegramUpdate): Promise<boolean> {
    return db.transaction(async (tx) => {
      const updateId = BigInt(update.updateId);
      if (!(await takeUpdate(tx, { botId: bot.botId, ownerId, updateId }))) return false;
      await apply(tx, update);
      return true;
    });
  }

  return {
    async tick() {
      if (stopping.signal.aborted || performance.now() < restUntilMs) return;
      const lease = await leaseBot(db, bot.botId, ownerId, LEASE_SECONDS);
      if (lease === null) return;
      if (lease.username === null) {
        const named = await bot.readBot(stopping.signal);
        if (named.kind === "bot") await nameBot(db, bot.botId, named.username);
      }
      const waitSeconds = deps.waitSeconds ?? WAIT_SECONDS;
      const outcome = await bot.readUpdates(lease.nextUpdate, waitSeconds, stopping.signal);
      if (stopping.signal.aborted) return;
      if (outcome.kind === "failed") {
        restUntilMs = performance.now() + (outcome.retrySeconds ?? PAUSE_SECONDS) * 1_000;
        return deps.onError("Telegram gave no updates", new Error(outcome.reason));
      }
      // Taken by another process meanwhile, the rest is its own.
      for (const update of outcome.updates) if (!(await take(update))) return;
    },
    async stop() {
      stopping.abort();
      await releaseBot(db, bot.botId, ownerId);
    },
  };
}
