/**
 * What operators read of the gateway's own words, in the language of the page: why a try failed, and
 * what was expected of the books and what was found. By code and what it names; null where there is
 * none, as of rows from before there were codes, whose words are shown as they are.
 */
import type { Language } from "../../../src/contract/enums/language.ts";
import type {
  FindingParams,
  FindingSentences,
  LedgerFindings,
  TaskFindings,
} from "../../../src/contract/operator/book-finding.ts";
import type { ReasonSentences } from "../../../src/contract/operator/upstream-reason.ts";
import type { CodedWords } from "../../../src/contract/panel/operator-requests.ts";
import {
  ENGLISH_LEDGER_FINDINGS,
  ENGLISH_TASK_FINDINGS,
} from "../../../src/contract/sentences/english-findings.ts";
import { ENGLISH_REASONS } from "../../../src/contract/sentences/english-reasons.ts";
import type { Figures } from "../../../src/contract/figures.ts";
import { LEDGER_FINDINGS_RU, TASK_FINDINGS_RU } from "./findings-ru.ts";
import { PAGE_FIGURES } from "./page-figures.ts";
import { REASONS_RU } from "./reasons-ru.ts";

/** A code that one of the languages has no words for does not compile. */
const REASONS: Readonly<Record<Language, ReasonSentences>> = {
  ru: REASONS_RU,
  en: ENGLISH_REASONS,
};
const LEDGER: Readonly<Record<Language, FindingSentences<LedgerFindings>>> = {
  ru: LEDGER_FINDINGS_RU,
  en: ENGLISH_LEDGER_FINDINGS,
};
const TASKS: Readonly<Record<Language, FindingSentences<TaskFindings>>> = {
  ru: TASK_FINDINGS_RU,
  en: ENGLISH_TASK_FINDINGS,
};

type Say = (params: CodedWords["params"], figures: Figures) => string;
type Sides = Readonly<Record<"expected" | "found", Say>>;

/** One of several upstreams, and why it was no help. */
interface UpstreamWords {
  readonly upstream: string;
  readonly reason: string;
  readonly coded?: CodedWords;
}

/** Of a reason that is one, or of each upstream its own. */
export type CodedReasons = CodedWords | readonly UpstreamWords[];

export function reasonSentence(language: Language, coded: CodedReasons | null): string | null {
  if (!isList(coded)) return sentenceOf(language, coded);
  return coded
    .map(
      ({ upstream, reason, coded: own = null }) =>
        `${upstream}: ${sentenceOf(language, own) ?? reason}`,
    )
    .join("; ");
}

function isList(coded: CodedReasons | null): coded is readonly UpstreamWords[] {
  return Array.isArray(coded);
}

function sentenceOf(language: Language, coded: CodedWords | null): string | null {
  // The compiler does not see that the params are those of the code; so of the findings.
  const say = coded === null ? null : ofCode<Say>(REASONS[language], coded.code);
  return coded === null || say === null ? null : say(coded.params, PAGE_FIGURES[language]);
}

/** `code`: the place of the ledger, or the kind of a task's finding. */
export function findingSentence(
  language: Language,
  books: "ledger" | "tasks",
  side: "expected" | "found",
  { code, params }: { readonly code: string; readonly params: FindingParams | undefined },
): string | null {
  const sides = ofCode<Sides>((books === "ledger" ? LEDGER : TASKS)[language], code);
  return params === undefined || sides === null
    ? null
    : sides[side](params, PAGE_FIGURES[language]);
}

function ofCode<Reported>(sentences: object, code: string): Reported | null {
  return Object.hasOwn(sentences, code)
    ? ((sentences as Readonly<Record<string, Reported>>)[code] ?? null)
    : null;
}
