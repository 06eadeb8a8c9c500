/** The texts of an upstream's list of models. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorListsEn } from "../../i18n/texts/operator-lists.en.ts";
import { operatorListsRu } from "../../i18n/texts/operator-lists.ru.ts";
import type { OperatorListsTexts } from "../../i18n/texts/operator-lists.ru.ts";

const TEXTS = { ru: operatorListsRu, en: operatorListsEn };

export function useListTexts(): OperatorListsTexts {
  return useTexts(TEXTS);
}
