/** What is wrong with a catalogue file, in the language of the page. */
import type {
  CatalogueMistake,
  CodedMistake,
} from "../../../src/contract/catalogue/catalogue-mistake.ts";
import { CATALOGUE_SENTENCES_RU } from "./catalogue-sentence-ru.ts";
import type { Language } from "../../../src/contract/enums/language.ts";

/**
 * The API's own sentence is the English one; it also says what a server has found that knows more
 * codes than this page.
 */
export function catalogueSentence(
  language: Language,
  { code, params, message }: CatalogueMistake,
): string {
  if (language === "en") return message;
  // The compiler does not see that the params are those of the code.
  const say = CATALOGUE_SENTENCES_RU[code] as
    | ((named: CodedMistake["params"]) => string)
    | undefined;
  return say?.(params) ?? message;
}
