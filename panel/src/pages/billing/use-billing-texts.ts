/** The texts of money in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { billingEn } from "../../i18n/texts/billing.en.ts";
import { billingRu } from "../../i18n/texts/billing.ru.ts";
import type { BillingTexts } from "../../i18n/texts/billing.ru.ts";

const TEXTS = { ru: billingRu, en: billingEn };

export function useBillingTexts(): BillingTexts {
  return useTexts(TEXTS);
}
