/** The texts of the catalogue for operators. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorCatalogueEn } from "../../i18n/texts/operator-catalogue.en.ts";
import { operatorCatalogueRu } from "../../i18n/texts/operator-catalogue.ru.ts";
import type { OperatorCatalogueTexts } from "../../i18n/texts/operator-catalogue.ru.ts";

const TEXTS = { ru: operatorCatalogueRu, en: operatorCatalogueEn };

export function useCatalogueTexts(): OperatorCatalogueTexts {
  return useTexts(TEXTS);
}
