/** The texts of logging in and of what belongs to it. */
import { useTexts } from "../i18n/locale.tsx";
import { authEn } from "../i18n/texts/auth.en.ts";
import { authRu } from "../i18n/texts/auth.ru.ts";
import type { AuthTexts } from "../i18n/texts/auth.ru.ts";

const TEXTS = { ru: authRu, en: authEn };

export function useAuthTexts(): AuthTexts {
  return useTexts(TEXTS);
}
