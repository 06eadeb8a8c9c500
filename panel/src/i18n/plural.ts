/** Picks the form of a word that goes with a count, by the language's own rules. */
import type { Language } from "../../../src/contract/enums/language.ts";

interface Forms {
  /** 1 ключ, 21 ключ; 1 key. */
  readonly one: string;
  /** 2 ключа; Russian only. */
  readonly few?: string;
  /** 5 ключей; Russian only. */
  readonly many?: string;
  /** 1,5 ключа; 2 keys. */
  readonly other: string;
}

/** The word alone, without the count. */
export function plural(language: Language, count: number, forms: Forms): string {
  const form = new Intl.PluralRules(language).select(count);
  return (
    (form === "one" || form === "few" || form === "many" ? forms[form] : undefined) ?? forms.other
  );
}
