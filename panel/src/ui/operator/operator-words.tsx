/**
 * What the gateway says of a failure or of its books, in the language of the page; its own words,
 * by which logs are searched, are at hand.
 */
import type { ReactNode } from "react";
import { useLocale } from "../../i18n/locale.tsx";
import { operatorSentence } from "../../i18n/operator-sentence.ts";
import { useTaskTexts } from "../tasks/use-task-texts.ts";

/** Of a sentence, or of a code that a task failed with. */
export function OperatorWords({ words }: { readonly words: string }): ReactNode {
  const { language } = useLocale();
  const failures: Readonly<Record<string, string>> = useTaskTexts().failures;
  const said = failures[words] ?? operatorSentence(language, words);
  return said === null ? words : <span title={words}>{said}</span>;
}
