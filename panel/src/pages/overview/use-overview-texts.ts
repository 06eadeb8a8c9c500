/** The texts of the overview in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { overviewEn } from "../../i18n/texts/overview.en.ts";
import { overviewRu } from "../../i18n/texts/overview.ru.ts";
import type { OverviewTexts } from "../../i18n/texts/overview.ru.ts";

const TEXTS = { ru: overviewRu, en: overviewEn };

export function useOverviewTexts(): OverviewTexts {
  return useTexts(TEXTS);
}
