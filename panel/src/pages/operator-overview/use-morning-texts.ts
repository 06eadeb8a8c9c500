/** The texts of the operator's first page. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorMorningEn } from "../../i18n/texts/operator-morning.en.ts";
import { operatorMorningRu } from "../../i18n/texts/operator-morning.ru.ts";
import type { OperatorMorningTexts } from "../../i18n/texts/operator-morning.ru.ts";

const TEXTS = { ru: operatorMorningRu, en: operatorMorningEn };

export function useMorningTexts(): OperatorMorningTexts {
  return useTexts(TEXTS);
}
