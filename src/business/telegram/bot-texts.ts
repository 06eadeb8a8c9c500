/** What the bot answers in a chat, and the mail about a chat that is gone, in Russian and English. */
import type { Language } from "../../contract/enums/language.ts";

type BotAnswer =
  | { readonly kind: "linked"; readonly email: string }
  | { readonly kind: "bad-code" }
  | { readonly kind: "unlinked" }
  | { readonly kind: "introduction" };

export function botAnswer(language: Language, answer: BotAnswer, baseUrl: string): string {
  const page = `${baseUrl}/panel/alerts`;
  const ru = language === "ru";
  switch (answer.kind) {
    case "linked":
      return ru
        ? `Готово: сюда будут приходить оповещения для ${answer.email}.\n\nОтключить: /stop\nНастроить: ${page}`
        : `Done: the alerts for ${answer.email} will come here.\n\nTo end that: /stop\nTo change them: ${page}`;
    case "bad-code":
      return ru
        ? `Этот код не подходит: он уже использован или устарел. Получите новый: ${page}`
        : `This code is of no use: it was used before, or is too old. Get another: ${page}`;
    case "unlinked":
      return ru
        ? `Больше оповещений здесь не будет. Подключить снова: ${page}`
        : `No more alerts will come here. To get them again: ${page}`;
    case "introduction":
      return ru
        ? `Я присылаю оповещения о расходах. Чтобы получать их здесь, откройте ${page} и подключите Telegram.`
        : `I send alerts about spend. To get them here, open ${page} and link Telegram.`;
  }
}

/** To the member whose chat cannot be written to any more. */
export function unlinkedMail(
  language: Language,
  { title, baseUrl }: { readonly title: string; readonly baseUrl: string },
): { readonly subject: string; readonly text: string } {
  const page = `${baseUrl}/panel/alerts`;
  return language === "ru"
    ? {
        subject: "Оповещения в Telegram отключены",
        text: `Мы больше не можем писать в чат «${title}» в Telegram: бота заблокировали или удалили из чата. Оповещения туда больше не приходят.\n\nЕсли это вышло случайно, разблокируйте бота и подключите Telegram снова: ${page}\n`,
      }
    : {
        subject: "Alerts by Telegram have ended",
        text: `We cannot write to the Telegram chat "${title}" any more: the bot was blocked there, or taken out. No more alerts go there.\n\nIf that was a mistake, unblock the bot and link Telegram again: ${page}\n`,
      };
}
