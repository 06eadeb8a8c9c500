/** The texts of alerts in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { alertsEn } from "../../i18n/texts/alerts.en.ts";
import { alertsRu } from "../../i18n/texts/alerts.ru.ts";
import type { AlertsTexts } from "../../i18n/texts/alerts.ru.ts";

const TEXTS = { ru: alertsRu, en: alertsEn };

export function useAlertsTexts(): AlertsTexts {
  return useTexts(TEXTS);
}
