/** Texts of the picture of what was spent, in English. */
import type { SpendTexts } from "./spend.ru.ts";

export const spendEn: SpendTexts = {
  byDay: "Spend by day",
  split: "Split",
  splits: { none: "in all", key: "by key", model: "by model" },
  day: "Day",
  all: "In all",
  rest: "The rest",
  summary: (days, total) => `Spend by day, days: ${days}. In all ${total}.`,
  axis: (figure) => `₽${figure}`,
  nothing: "Nothing was spent in this time.",
  spent: "Spent",
  partOf: { key: "Key", model: "Model" },
  keyGone: "deleted key",
};
