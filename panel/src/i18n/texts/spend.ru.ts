/** Texts of the picture of what was spent, in Russian. */

export const spendRu = {
  byDay: "Траты по дням",
  split: "Разбить",
  splits: { none: "всего", key: "по ключам", model: "по моделям" },
  day: "День",
  all: "Всего",
  rest: "Остальное",
  summary: (days: string, total: string) => `Траты по дням, дней: ${days}. Всего ${total}.`,
  axis: (figure: string) => `${figure} ₽`,
  nothing: "За это время трат не было.",
  spent: "Потрачено",
  partOf: { key: "Ключ", model: "Модель" },
  keyGone: "ключ удалён",
};

export type SpendTexts = typeof spendRu;
