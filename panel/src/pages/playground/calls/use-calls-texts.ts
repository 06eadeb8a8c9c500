/** The texts of the forms of calls in the language of the moment. */
import { useTexts } from "../../../i18n/locale.tsx";
import { playgroundCallsEn } from "../../../i18n/texts/playground-calls.en.ts";
import { playgroundCallsRu } from "../../../i18n/texts/playground-calls.ru.ts";
import type { CallsTexts } from "../../../i18n/texts/playground-calls.ru.ts";

const TEXTS = { ru: playgroundCallsRu, en: playgroundCallsEn };

export function useCallsTexts(): CallsTexts {
  return useTexts(TEXTS);
}
