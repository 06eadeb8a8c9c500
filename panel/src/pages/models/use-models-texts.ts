/** The texts of models and prices in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { modelsEn } from "../../i18n/texts/models.en.ts";
import { modelsRu } from "../../i18n/texts/models.ru.ts";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";

const TEXTS = { ru: modelsRu, en: modelsEn };

export function useModelsTexts(): ModelsTexts {
  return useTexts(TEXTS);
}
