/** Upstreams for operators, in Russian: what their colours say, errors, and taking a route out. */
import { plural } from "../plural.ts";

export const operatorUpstreamsRu = {
  judged: { good: "работает", warn: "иногда ошибается", bad: "часто ошибается" },
  out: "выведен",
  outUntil: (until: string) => `до ${until}`,
  outBy: (who: string, reason: string) => `${who}: «${reason}»`,
  outWithUpstream: "выведен вместе с поставщиком",
  latency: "Ответ, p50 / p95",
  toFirst: "токен",
  noCalls: "нет обращений",
  byTime: "По времени",
  part: (at: string, calls: string, failed: string) =>
    `${at}: обращений ${calls}, ошибок ${failed}`,
  strip: (name: string, calls: string, failed: string) =>
    `${name} за период: обращений ${calls}, ошибок ${failed}`,
  showErrors: (count: string) => `ошибок: ${count}`,
  errorsOf: (name: string) => `Ошибки: ${name}`,
  errorsLead: "Последние обращения, которые не удались, новые сверху.",
  errorsCaption: "Последние ошибки",
  summary: "Что случалось",
  noErrors: "За этот период ошибок запросов нет",
  noErrorsText: "Ошибки задач видны на страницах самих задач.",
  at: (zone: string) => `Когда, ${zone}`,
  what: "Что ответил поставщик",
  account: "Аккаунт",
  instead: "Кто ответил клиенту",
  nobody: "никто",
  balance: "Баланс",
  balanceLow: (below: string) => `меньше ${below}`,
  balanceAt: (at: string) => `на ${at}`,
  balanceLasts: (days: number) =>
    days === 0
      ? "не хватит и на день"
      : days >= 365
        ? "хватит на год и дольше"
        : `хватит примерно на ${days} ${plural("ru", days, { one: "день", few: "дня", other: "дней" })}`,
  balanceUnknown: "пока неизвестен",
  balanceFailures: {
    no_credential: "ключ не задан",
    no_answer: "поставщик не отвечает",
    refused: "поставщик отказал",
    not_understood: "ответ не разобрать",
    unlimited: "без предела",
  },
  credits: "кредитов",
  takeOut: "Вывести",
  putBack: "Вернуть",
  takeOutTitle: (name: string) => `Вывести ${name}?`,
  takeOutText:
    "Ни один процесс не будет к нему обращаться: это начнёт действовать за секунду-две. То, что уже выполняется, закончится.",
  forHowLong: "На сколько",
  times: {
    "15": "15 минут",
    "60": "1 час",
    "240": "4 часа",
    "1440": "сутки",
    "10080": "неделя",
    "43200": "30 дней",
  },
  thenBack: "Потом вернётся сам.",
  reason: "Причина",
  reasonInLog: "Останется в журнале действий.",
  without: (count: number, names: string) =>
    `Без маршрутов ${plural("ru", count, { one: "останется модель", other: "останутся модели" })}: ${names}. Клиенты получат отказ с просьбой повторить позже, задачи будут ждать.`,
  others: "У всех его моделей есть другие маршруты.",
  tookOut: (name: string) => `${name} выведен`,
  putBackDone: (name: string) => `${name} возвращён`,
  showQuiet: (count: number) =>
    `Показать ещё ${count} ${plural("ru", count, { one: "маршрут", few: "маршрута", many: "маршрутов", other: "маршрута" })} без обращений`,
  hideQuiet: "Скрыть маршруты без обращений",
};

export type OperatorUpstreamsTexts = typeof operatorUpstreamsRu;
