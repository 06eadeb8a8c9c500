/** The words that every page uses, in the language of the moment. */
import { useTexts } from "./locale.tsx";
import { wordsEn } from "./texts/words.en.ts";
import { wordsRu } from "./texts/words.ru.ts";
import type { WordsTexts } from "./texts/words.ru.ts";

const TEXTS = { ru: wordsRu, en: wordsEn };

export function useWords(): WordsTexts {
  return useTexts(TEXTS);
}
