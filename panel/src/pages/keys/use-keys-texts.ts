/** The texts of API keys in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { keysEn } from "../../i18n/texts/keys.en.ts";
import { keysRu } from "../../i18n/texts/keys.ru.ts";
import type { KeysTexts } from "../../i18n/texts/keys.ru.ts";

const TEXTS = { ru: keysRu, en: keysEn };

export function useKeysTexts(): KeysTexts {
  return useTexts(TEXTS);
}
