/**
 * What is wrong with an order of a task, and what its values must keep, in the language of the
 * page.
 */
import type { Language } from "../../../src/contract/enums/language.ts";
import type { PanelErrorBody } from "../../../src/contract/panel/panel-error.ts";
import type { TaskMistakes } from "../../../src/contract/tasks/task-mistake.ts";
import { TASK_SENTENCES_RU } from "./task-sentences-ru.ts";

type Reported = Omit<PanelErrorBody["error"]["errors"][number], "param">;

/**
 * The API's own sentence is the English one; it also says what a server has found that knows more
 * codes than this page.
 */
export function mistakeSentence(language: Language, { code, params, message }: Reported): string {
  if (language === "en" || !Object.hasOwn(TASK_SENTENCES_RU, code)) return message;
  // The compiler does not see that the params are those of the code.
  const say = TASK_SENTENCES_RU[code as keyof TaskMistakes] as (
    named: Reported["params"],
  ) => string;
  return say(params);
}
