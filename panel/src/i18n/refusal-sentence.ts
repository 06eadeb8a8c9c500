/**
 * What forms and the playground are refused for, in the language of the page: by the reason that the
 * API gives and what it names, never by its English sentence.
 */
import type { Language } from "../../../src/contract/enums/language.ts";
import type { PanelErrorBody } from "../../../src/contract/panel/panel-error.ts";
import type { RefusalSentences } from "../../../src/contract/panel/panel-refusal.ts";
import { ENGLISH_REFUSALS } from "../../../src/contract/sentences/english-refusals.ts";
import type { Figures } from "../../../src/contract/figures.ts";
import { PAGE_FIGURES } from "./page-figures.ts";
import { REFUSALS_RU } from "./refusals-ru.ts";

/** A reason that one of the languages has no words for does not compile. */
const SENTENCES: Readonly<Record<Language, RefusalSentences>> = {
  ru: REFUSALS_RU,
  en: ENGLISH_REFUSALS,
};

export interface Refusal {
  readonly reason: string | null;
  readonly params: PanelErrorBody["error"]["params"];
}

/** Null: it says no more than its code does, and the page has words for that. */
export function refusalSentence(language: Language, { reason, params }: Refusal): string | null {
  const sentences = SENTENCES[language];
  if (reason === null || !Object.hasOwn(sentences, reason)) return null;
  // The compiler does not see that the params are those of the reason.
  const say = sentences[reason as keyof RefusalSentences] as (
    named: Refusal["params"],
    figures: Figures,
  ) => string;
  return say(params, PAGE_FIGURES[language]);
}
