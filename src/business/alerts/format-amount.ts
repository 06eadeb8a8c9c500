/**
 * Writes an amount for people, to the kopeck: `1 234,50 ₽`, `₽1,234.50`. What is less than a kopeck
 * is left out.
 */
import type { Language } from "../../contract/enums/language.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles } from "../../kernel/money.ts";

const SIGNS = { ru: { group: "\u00a0", point: "," }, en: { group: ",", point: "." } };

export function formatAmount(amountNano: Nano, language: Language): string {
  const { group, point } = SIGNS[language];
  const [whole = "0", fraction = ""] = formatRoubles(amountNano).replace("-", "").split(".");
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group);
  const digits = fraction.slice(0, 2).padEnd(2, "0");
  const sum = digits === "00" ? grouped : `${grouped}${point}${digits}`;
  const sign = amountNano < 0n ? "−" : "";
  return language === "ru" ? `${sign}${sum}\u00a0₽` : `${sign}₽${sum}`;
}
