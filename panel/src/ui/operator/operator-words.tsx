/**
 * What the gateway says of a failure or of its books, in the language of the page; its own words,
 * by which logs are searched, are at hand.
 */
import type { ReactNode } from "react";
import type { FindingParams } from "../../../../src/contract/operator/book-finding.ts";
import { useLocale } from "../../i18n/locale.tsx";
import {
  findingSentence,
  reasonSentence,
  type CodedReasons,
} from "../../i18n/operator-sentence.ts";
import { useTaskTexts } from "../tasks/use-task-texts.ts";

/**
 * Of a reason with its code, where it was kept with one; or of a code that a task failed with,
 * which is its own words.
 */
export function OperatorWords({
  words,
  coded = null,
}: {
  readonly words: string;
  readonly coded?: CodedReasons | null;
}): ReactNode {
  const { language } = useLocale();
  const failures: Readonly<Record<string, string>> = useTaskTexts().failures;
  return (
    <Sentence words={words} sentence={reasonSentence(language, coded) ?? failures[words] ?? null} />
  );
}

interface Finding {
  readonly code: string;
  readonly expected: string;
  readonly found: string;
  readonly params: FindingParams | undefined;
}

/** One side of what does not agree in the books. */
export function FindingWords({
  books,
  side,
  finding,
}: {
  readonly books: "ledger" | "tasks";
  readonly side: "expected" | "found";
  readonly finding: Finding;
}): ReactNode {
  const { language } = useLocale();
  return (
    <Sentence words={finding[side]} sentence={findingSentence(language, books, side, finding)} />
  );
}

function Sentence({
  words,
  sentence,
}: {
  readonly words: string;
  readonly sentence: string | null;
}): ReactNode {
  return sentence === null || sentence === words ? words : <span title={words}>{sentence}</span>;
}
