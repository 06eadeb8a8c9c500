/** The texts of requests and receipts in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { requestsEn } from "../../i18n/texts/requests.en.ts";
import { requestsRu } from "../../i18n/texts/requests.ru.ts";
import type { RequestsTexts } from "../../i18n/texts/requests.ru.ts";

const TEXTS = { ru: requestsRu, en: requestsEn };

export function useReceiptTexts(): RequestsTexts {
  return useTexts(TEXTS);
}
