/** The texts of what operators look at as a whole. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorBusinessEn } from "../../i18n/texts/operator-business.en.ts";
import { operatorBusinessRu } from "../../i18n/texts/operator-business.ru.ts";
import type { OperatorBusinessTexts } from "../../i18n/texts/operator-business.ru.ts";

const TEXTS = { ru: operatorBusinessRu, en: operatorBusinessEn };

export function useBusinessTexts(): OperatorBusinessTexts {
  return useTexts(TEXTS);
}
