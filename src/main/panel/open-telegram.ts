/**
 * The operator's bot: put together for the panel, and the work that reads what is written to it and
 * sends what waits.
 */
import { sweepCodes } from "../../business/telegram/chats.store.ts";
import { countLate, sweepMessages } from "../../business/telegram/messages.store.ts";
import { sendMessages } from "../../business/telegram/send-messages.ts";
import { createUpdatesWork } from "../../business/telegram/take-updates.ts";
import type { TelegramDeps } from "../../business/telegram/telegram-deps.ts";
import { countBy } from "../../http/count-by.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { createSeal } from "../../kernel/seal.ts";
import { repeat, type Repeater } from "../../process/repeat.ts";
import { createTelegramBot } from "../../upstreams/telegram/telegram-bot.ts";
import type { Parts } from "../parts.ts";

type TelegramParts = Pick<
  Parts,
  "config" | "db" | "metrics" | "sessionSecret" | "baseUrl" | "outgoing" | "ownerId" | "onError"
>;

interface Beats {
  readonly updatesMs: number;
  readonly sendMs: number;
  readonly waitSeconds?: number;
}

const BEATS: Beats = { updatesMs: 2_000, sendMs: 1_000 };
const COUNT_MS = 15_000;
const SWEEP_MS = 3_600_000;
/** As long as mail is remembered. */
const KEPT_DAYS = 30;

export function openTelegram({
  config,
  db,
  sessionSecret,
  baseUrl,
  outgoing,
}: Pick<TelegramParts, "config" | "db" | "sessionSecret" | "baseUrl" | "outgoing">): TelegramDeps {
  const { telegram } = config;
  return {
    db,
    seal: createSeal(sessionSecret),
    hashToken: createTokenHash(sessionSecret),
    bot: telegram === null ? null : createTelegramBot({ ...telegram, outgoing }),
    baseUrl,
  };
}

/** To be stopped: a poll is broken off, and what is being sent is finished or counts as tried. */
export function workTelegram(parts: TelegramParts, beats: Beats = BEATS): Repeater {
  const { db, metrics, ownerId, onError } = parts;
  const deps = openTelegram(parts);
  const { bot } = deps;
  const onTried = countBy(metrics, {
    name: "telegram_messages",
    help: "Tries to send messages by Telegram, by outcome.",
    label: "outcome",
  });
  let late = 0;
  metrics.watch({
    name: "telegram_late",
    help: "Messages that are not out ten minutes after they were written.",
    together: "max",
    read: () => late,
  });
  const sweep = {
    "old messages could not be removed": [
      SWEEP_MS,
      async () => {
        await sweepCodes(db);
        await sweepMessages(db, KEPT_DAYS);
      },
    ],
  } as const;
  // What a bot left behind that is set no more is removed all the same.
  if (bot === null) return repeat(onError, sweep);
  const stopping = new AbortController();
  const updates = createUpdatesWork({
    ...deps,
    bot,
    ownerId,
    onError,
    ...(beats.waitSeconds === undefined ? {} : { waitSeconds: beats.waitSeconds }),
  });
  const repeater = repeat(onError, {
    ...sweep,
    "what was written to the bot could not be read": [beats.updatesMs, () => updates.tick()],
    "waiting messages could not be sent": [
      beats.sendMs,
      () => sendMessages({ ...deps, bot, onTried }, stopping.signal),
    ],
    "waiting messages could not be counted": [COUNT_MS, async () => (late = await countLate(db))],
  });
  return {
    async stop() {
      stopping.abort();
      // First: it breaks off the poll that the repeater would wait for.
      await Promise.all([updates.stop(), repeater.stop()]);
    },
  };
}
