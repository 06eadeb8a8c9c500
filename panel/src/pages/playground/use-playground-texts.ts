/** The texts of the playground in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { playgroundEn } from "../../i18n/texts/playground.en.ts";
import { playgroundRu } from "../../i18n/texts/playground.ru.ts";
import type { PlaygroundTexts } from "../../i18n/texts/playground.ru.ts";

const TEXTS = { ru: playgroundRu, en: playgroundEn };

export function usePlaygroundTexts(): PlaygroundTexts {
  return useTexts(TEXTS);
}
