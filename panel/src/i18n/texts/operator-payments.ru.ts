/** Payments of all accounts for operators, in Russian. */

export const operatorPaymentsRu = {
  title: "Платежи",
  lead: "Пополнения всех аккаунтов через платёжный сервис. Зачисленное вручную видно в журнале аккаунта.",
  caption: "Платежи",
  number: "Номер",
  numberHint: "сервиса или наш",
  state: "Состояние",
  states: {
    created: "начинается",
    pending: "ждёт оплаты",
    succeeded: "зачислен",
    canceled: "не оплачен",
    failed: "не прошёл",
  },
  at: (zone: string) => `Начат, ${zone}`,
  account: "Аккаунт",
  by: "Кто",
  somebody: "бывший участник",
  method: "Способ",
  methods: { bank_card: "карта", sbp: "СБП" } as Readonly<Record<string, string>>,
  sandbox: "тестовый",
  providerNumber: "Номер у платёжного сервиса",
  noNumber: "ещё нет",
  amount: "Сумма",
  refunded: (amount: string) => `возвращено ${amount}`,
  refundedNote:
    "Деньги вернул платёжный сервис. Баланс за этим не следует сам: исправьте его на странице аккаунта.",
  reasons: {
    expired: "время на оплату вышло",
    canceled_by_payer: "отменён плательщиком",
    declined: "банк отклонил",
    provider_refused: "сервис не принял",
    mismatch: "оплачен не так, как начат",
  } as Readonly<Record<string, string>>,
  mismatchNote:
    "Сумма или валюта не те, что были начаты. Ничего не зачислено: сверьте с кабинетом платёжного сервиса.",
  totals: "Итого по фильтрам",
  totalPayments: "Платежи",
  totalSucceeded: (shown: string) => `зачислено ${shown}`,
  totalCredited: "Зачислено",
  totalRefunded: "Возвращено",
  totalOpen: "Ждут оплаты",
  ofNewest: "новейшие из всех",
  emptyTitle: "Платежей ещё не было",
  emptyText: "Здесь появится каждое пополнение через платёжный сервис и то, чем оно закончилось.",
  notFoundTitle: "Таких платежей нет",
  notFoundText: "Смягчите условия или сбросьте фильтры.",
};

export type OperatorPaymentsTexts = typeof operatorPaymentsRu;
