/** The texts of the page of the installation's settings. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorSettingsEn } from "../../i18n/texts/operator-settings.en.ts";
import { operatorSettingsRu } from "../../i18n/texts/operator-settings.ru.ts";
import type { OperatorSettingsTexts } from "../../i18n/texts/operator-settings.ru.ts";

const TEXTS = { ru: operatorSettingsRu, en: operatorSettingsEn };

export function useInstallationTexts(): OperatorSettingsTexts {
  return useTexts(TEXTS);
}
