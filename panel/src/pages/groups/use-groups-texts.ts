/** The texts of groups of keys in the language of the moment. */
import { useTexts } from "../../i18n/locale.tsx";
import { groupsEn } from "../../i18n/texts/groups.en.ts";
import { groupsRu } from "../../i18n/texts/groups.ru.ts";
import type { GroupsTexts } from "../../i18n/texts/groups.ru.ts";

const TEXTS = { ru: groupsRu, en: groupsEn };

export function useGroupsTexts(): GroupsTexts {
  return useTexts(TEXTS);
}
