/** The texts of payments for operators. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorPaymentsEn } from "../../i18n/texts/operator-payments.en.ts";
import { operatorPaymentsRu } from "../../i18n/texts/operator-payments.ru.ts";
import type { OperatorPaymentsTexts } from "../../i18n/texts/operator-payments.ru.ts";

const TEXTS = { ru: operatorPaymentsRu, en: operatorPaymentsEn };

export function usePaymentTexts(): OperatorPaymentsTexts {
  return useTexts(TEXTS);
}
