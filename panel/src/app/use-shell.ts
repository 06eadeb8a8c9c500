/** The texts of the frame around every page. */
import { useTexts } from "../i18n/locale.tsx";
import { shellEn } from "../i18n/texts/shell.en.ts";
import { shellRu } from "../i18n/texts/shell.ru.ts";
import type { ShellTexts } from "../i18n/texts/shell.ru.ts";

const TEXTS = { ru: shellRu, en: shellEn };

export function useShell(): ShellTexts {
  return useTexts(TEXTS);
}
