/** The operator's first page, in Russian: what to do, and what the day has brought. */
import { plural } from "../plural.ts";

export const operatorMorningRu = {
  title: (day: string) => `Сегодня, ${day}`,
  lead: (hours: string) => `Рядом — те же часы вчера и неделю назад, до ${hours} по Москве.`,
  leadFirstHour: "Сравнение появится после первого часа суток.",
  toDo: "Что сделать",
  nothingToDo: "Делать нечего: всё отвечает, всё сходится, всё зачислено.",
  mismatch: "Балансы счетов не сходятся с записями о движении денег.",
  open: (names: string) => `Отключены предохранителем: ${names}. Запросы идут другими маршрутами.`,
  failing: (name: string, share: string, calls: string) =>
    `${name} отвечает ошибкой на ${share} из ${calls} обращений за 15 минут.`,
  unmatched: (count: number) =>
    `${count} ${plural("ru", count, { one: "платёж оплачен", few: "платежа оплачены", many: "платежей оплачено", other: "платежа оплачено" })} не так, как ${plural("ru", count, { one: "был начат", other: "были начаты" })}: ничего не зачислено.`,
  late: (count: number) =>
    `О ${count} ${plural("ru", count, { one: "платеже", other: "платежах" })} давно не спрашивали платёжный сервис.`,
  parked: (count: number) =>
    `${count} ${plural("ru", count, { one: "квитанция не записана", few: "квитанции не записаны", many: "квитанций не записано", other: "квитанции не записано" })}: деньги учтены, подробности лежат в usage.parked.`,
  stuck: (count: number) =>
    `${count} ${plural("ru", count, { one: "задача застряла", few: "задачи застряли", many: "задач застряло", other: "задачи застряло" })}.`,
  belowCost: (names: string) => `Продаётся ниже себестоимости: ${names}.`,
  out: (names: string) => `Выведено оператором: ${names}.`,
  look: "Разобрать",
  toPrices: "К ценам",
  toPayments: "К платежам",
  marginMade: "Из чего сложилась маржа",
  revenue: "Выручка",
  cost: "Себестоимость",
  unknownCost: "Себестоимость неизвестна",
  margin: "Маржа",
  loss: "Отдано без оплаты",
  waterfall: "Выручка, себестоимость и маржа за сегодня",
  noCost: "Себестоимость не задана в каталоге: маржу посчитать не из чего.",
  toYesterday: (change: string) => `${change} ко вчера`,
  toWeek: (change: string) => `${change} к неделе назад`,
  yesterdayWas: (figure: string) => `вчера ${figure}`,
  weekAgoWas: (figure: string) => `неделю назад ${figure}`,
  points: (figure: string) => `${figure} п.п.`,
  pace: "Выручка за день",
  paceSummary: (today: string, yesterday: string) =>
    `Выручка нарастающим итогом по часам: сегодня ${today}, вчера за весь день ${yesterday}`,
  today: "сегодня",
  yesterday: "вчера",
  weekAgo: "неделю назад",
  wholeDays: (yesterday: string, weekAgo: string) =>
    `За весь день: вчера\u00A0${yesterday}, неделю\u00A0назад\u00A0${weekAgo}`,
  topUps: "Пополнения",
  refunded: (amount: string) => `возвращено ${amount}`,
  given: (amount: string) => `подарено ${amount}`,
  topUpCount: (count: number) =>
    `${count} ${plural("ru", count, { one: "пополнение", few: "пополнения", many: "пополнений", other: "пополнения" })}`,
  liabilities: "Долг клиентам",
  heldOf: (amount: string) => `из них удержано ${amount}`,
  newAccounts: "Новые аккаунты",
  ofAccounts: (total: string, blocked: string) => `всего ${total}, заблокировано ${blocked}`,
  active: "Активные аккаунты",
  requests: "Запросы и задачи",
  errors: "Ошибки",
  failedOf: (count: string) => `не удалось: ${count}`,
  first: "До первого токена, p50",
  whole: "Ответ целиком, p50",
  p95: (figure: string) => `p95 ${figure}`,
  byNewest: (count: string) => `По ${count} последним запросам за сегодня`,
  topAccounts: "Больше всего потратили",
  topModels: "Модели по выручке",
  account: "Аккаунт",
  model: "Модель",
  available: "Доступно",
  vsYesterday: "Ко вчера",
  vsWeek: "К неделе назад",
  marginShare: "%",
  toMargin: "Маржа",
  allAccounts: "Все аккаунты",
  nothingToday: "Сегодня ещё ничего не списано",
  unknown: "неизвестно",
};

export type OperatorMorningTexts = typeof operatorMorningRu;
