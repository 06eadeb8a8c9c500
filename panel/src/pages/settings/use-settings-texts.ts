/** The texts of the settings. */
import { useTexts } from "../../i18n/locale.tsx";
import { settingsEn } from "../../i18n/texts/settings.en.ts";
import { settingsRu } from "../../i18n/texts/settings.ru.ts";
import type { SettingsTexts } from "../../i18n/texts/settings.ru.ts";

const TEXTS = { ru: settingsRu, en: settingsEn };

export function useSettingsTexts(): SettingsTexts {
  return useTexts(TEXTS);
}
