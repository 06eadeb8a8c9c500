/** The words that several pages of operators share. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorEn } from "../../i18n/texts/operator.en.ts";
import { operatorRu } from "../../i18n/texts/operator.ru.ts";
import type { OperatorTexts } from "../../i18n/texts/operator.ru.ts";

const TEXTS = { ru: operatorRu, en: operatorEn };

export function useOperatorTexts(): OperatorTexts {
  return useTexts(TEXTS);
}
