/**
 * Takes out of an upstream's words what is the operator's affair: the credential that was used, and
 * the upstream's name of the model.
 */
import { credentialForms } from "./credential-forms.ts";

/** Applied to every text of an upstream before anything is cut off it. */
export type HideWords = (text: string) => string;

export interface OperatorWords {
  /** The very one that the call was made with. */
  readonly credential: string;
  /** As the upstream calls it. */
  readonly upstreamModel: string;
  /** What it is called instead; null leaves the upstream's name. */
  readonly soldModel: string | null;
}

export const HIDES_NOTHING: HideWords = (text) => text;

const REMOVED = "[removed]";
/**
 * A shorter credential (that of the sandbox is a word) is taken out only where it stands by itself.
 */
const SHORT_CREDENTIAL = 12;
/**
 * What may surround the name of a model in a longer one: `openai/gpt-x`, `gpt-x-2026-01-01`,
 * `gpt-x:free`.
 */
const BEFORE_NAME = String.raw`(?<![\w/.:@-])(?:[\w.-]+[/:@])*`;
const AFTER_NAME = String.raw`(?:[-/:@.][\w.-]*\w)?(?![\w-])`;
/**
 * A name without any of these may be an ordinary word, so it is replaced only where it is quoted or
 * called a model.
 */
const ODD_LETTER = /[\d/:@._-]/;

/** What hides the words of one call. Made ready only when there is a text, which is rare. */
export function hideOperatorWords(words: OperatorWords): HideWords {
  let rules: readonly (readonly [RegExp, string])[] | null = null;
  return (text) => {
    rules ??= [...credentialRules(words.credential), ...modelRules(words)];
    let rest = text;
    for (const [pattern, instead] of rules) rest = rest.replaceAll(pattern, () => instead);
    return rest;
  };
}

function credentialRules(credential: string): (readonly [RegExp, string])[] {
  return credentialForms(credential).map((form) => {
    const escaped = RegExp.escape(form);
    return [
      new RegExp(
        form.length < SHORT_CREDENTIAL ? String.raw`(?<![\w-])${escaped}(?![\w-])` : escaped,
        "gi",
      ),
      REMOVED,
    ] as const;
  });
}

function modelRules({ upstreamModel, soldModel }: OperatorWords): (readonly [RegExp, string])[] {
  if (soldModel === null || upstreamModel === "") return [];
  // Upstreams often speak of `vendor/model` by its last part.
  const names = [upstreamModel, upstreamModel.slice(upstreamModel.lastIndexOf("/") + 1)].filter(
    (name) => name !== "",
  );
  return names.map((name) => {
    const escaped = RegExp.escape(name);
    const pattern = ODD_LETTER.test(name)
      ? `${BEFORE_NAME}${escaped}${AFTER_NAME}`
      : String.raw`(?<=["'\`]|\bmodel:? )${escaped}(?=["'\`]|(?<=\bmodel:? ${escaped})(?![\w-]))`;
    return [new RegExp(pattern, "gi"), soldModel] as const;
  });
}
