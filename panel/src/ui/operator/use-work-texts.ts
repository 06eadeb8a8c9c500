/** The texts of requests and tasks of all accounts. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorWorkEn } from "../../i18n/texts/operator-work.en.ts";
import { operatorWorkRu } from "../../i18n/texts/operator-work.ru.ts";
import type { OperatorWorkTexts } from "../../i18n/texts/operator-work.ru.ts";

const TEXTS = { ru: operatorWorkRu, en: operatorWorkEn };

export function useWorkTexts(): OperatorWorkTexts {
  return useTexts(TEXTS);
}
