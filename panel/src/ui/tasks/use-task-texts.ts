/** The texts of tasks, wherever a task is shown. */
import { useTexts } from "../../i18n/locale.tsx";
import { tasksEn } from "../../i18n/texts/tasks.en.ts";
import { tasksRu } from "../../i18n/texts/tasks.ru.ts";
import type { TasksTexts } from "../../i18n/texts/tasks.ru.ts";

const TEXTS = { ru: tasksRu, en: tasksEn };

export function useTaskTexts(): TasksTexts {
  return useTexts(TEXTS);
}
