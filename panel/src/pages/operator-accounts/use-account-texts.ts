/** The texts of accounts for operators. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorAccountsEn } from "../../i18n/texts/operator-accounts.en.ts";
import { operatorAccountsRu } from "../../i18n/texts/operator-accounts.ru.ts";
import type { OperatorAccountsTexts } from "../../i18n/texts/operator-accounts.ru.ts";

const TEXTS = { ru: operatorAccountsRu, en: operatorAccountsEn };

export function useAccountTexts(): OperatorAccountsTexts {
  return useTexts(TEXTS);
}
