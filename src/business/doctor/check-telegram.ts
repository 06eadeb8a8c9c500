/** Telegram: whether the bot's token is good, its updates can be read, and whether messages wait. */
import { createTelegramBot } from "../../upstreams/telegram/telegram-bot.ts";
import { countLate } from "../telegram/messages.store.ts";
import type { Check, Installation, Scene } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";

/** Two calls, one after the other, within the deadline of a check. */
const TIMEOUTS_MS = { connect: 3_000, firstByte: 3_000, idle: 1_000 };

export const checkTelegram: Check = {
  name: "telegram",
  async run({ installation, outgoing, db }, signal) {
    const { telegram } = installation;
    if (telegram === null)
      return [
        note(
          {
            en: "TELEGRAM_BOT_TOKEN is not set: alerts go by mail and webhook",
            ru: "TELEGRAM_BOT_TOKEN не задан: оповещения идут почтой и вебхуками",
          },
          {
            en: "No member can link a chat, and operators hear of troubles by mail alone.",
            ru: "Никто не может подключить чат, а операторы узнают о неполадках только из почты.",
          },
          {
            en: "Make a bot with @BotFather and set TELEGRAM_BOT_TOKEN, if you want it.",
            ru: "Если это нужно, создайте бота у @BotFather и задайте TELEGRAM_BOT_TOKEN.",
          },
        ),
      ];
    const remarks = [await remarkOnBot(outgoing, telegram, signal)];
    const late = db === null ? 0 : await countLate(db);
    if (late > 0)
      remarks.push(
        warning(
          {
            en: `${late} messages have waited for more than ten minutes`,
            ru: `сообщений, которые ждут дольше десяти минут: ${late}`,
          },
          {
            en: "Members do not get their alerts in Telegram.",
            ru: "Люди не получают оповещений в Telegram.",
          },
          {
            en: "The log of deliveries on the page of alerts has what Telegram answered; does a process with the role worker run?",
            ru: "Что ответил Telegram — в журнале отправок на странице оповещений; работает ли процесс с ролью worker?",
          },
        ),
      );
    return remarks;
  },
};

async function remarkOnBot(
  outgoing: Scene["outgoing"],
  telegram: NonNullable<Installation["telegram"]>,
  signal: AbortSignal,
): Promise<Remark> {
  const { origin } = new URL(telegram.apiUrl);
  const bot = createTelegramBot({ ...telegram, outgoing, timeoutsMs: TIMEOUTS_MS });
  const answer = await bot.readBot(signal);
  if (answer.kind === "failed")
    return fault(
      {
        en: `${origin} does not take the bot's token: ${answer.reason}`,
        ru: `${origin} не принимает токен бота: ${answer.reason}`,
      },
      {
        en: "No alert leaves by Telegram, and no member can link a chat.",
        ru: "Оповещения в Telegram не уходят, и никто не может подключить чат.",
      },
      {
        en: "401 or 404: the token as @BotFather shows it. No answer: the way there from this machine, or your own relay in TELEGRAM_API_URL.",
        ru: "401 или 404: токен — как его показывает @BotFather. Нет ответа: путь туда с этой машины или свой ретранслятор в TELEGRAM_API_URL.",
      },
    );
  if ((await bot.hasWebhook(signal)) === true)
    return fault(
      {
        en: `@${answer.username} has a webhook, so that its updates cannot be read`,
        ru: `у @${answer.username} есть вебхук, поэтому обновления бота не прочитать`,
      },
      {
        en: "No member can link a chat or end it by /stop. Alerts still leave.",
        ru: "Никто не может подключить чат или отключить его командой /stop. Оповещения уходят.",
      },
      {
        en: "Another program uses this bot: make one for this gateway alone, or remove the webhook (deleteWebhook).",
        ru: "Этим ботом пользуется другая программа: создайте для шлюза отдельного или уберите вебхук (deleteWebhook).",
      },
    );
  return fine({
    en: `${origin} takes the token of @${answer.username}`,
    ru: `${origin} принимает токен бота @${answer.username}`,
  });
}
