/** What went wrong, in words of the language of the moment. */
import type { PlaygroundTaskQuote } from "../../../src/contract/panel/playground.ts";
import { ApiError } from "../api/api-error.ts";
import { useLocale, useTexts } from "./locale.tsx";
import { refusalSentence } from "./refusal-sentence.ts";
import { faultsEn } from "./texts/faults.en.ts";
import { faultsRu } from "./texts/faults.ru.ts";
import type { FaultsTexts, Params, Sentence } from "./texts/faults.ru.ts";

const TEXTS = { ru: faultsRu, en: faultsEn };

type QuotedRefusal = NonNullable<PlaygroundTaskQuote["refusal"]>;

export interface Faults {
  readonly texts: FaultsTexts;
  /** A sentence about an error: what happened and what to do. */
  sentence(error: unknown): string;
  /** The same of a refusal that came in another way than as an answer's error. */
  reason(refusal: QuotedRefusal): string;
  /**
   * What a provider said of a request, in its own words, which no page has; null: the sentence says
   * it all.
   */
  detail(error: ApiError): string | null;
  /** What is wrong with one field of the form that was sent; undefined where nothing is. */
  ofField(error: unknown, param: string): string | undefined;
}

/**
 * Where the API's own words tell more than the code: of the request itself, or of what a provider
 * refused in it.
 */
const WORDED_IN_DETAIL: ReadonlySet<string> = new Set([
  "invalid_request",
  "context_length_exceeded",
]);

/** Undefined: the server knows more codes than this page. */
function sayBy(
  sentences: Readonly<Record<string, Sentence>>,
  { code, params }: { readonly code: string; readonly params: Params },
): string | undefined {
  return Object.hasOwn(sentences, code) ? sentences[code]?.(params) : undefined;
}

export function useFaults(): Faults {
  const texts = useTexts(TEXTS);
  const { language } = useLocale();
  return {
    texts,
    sentence(error) {
      if (!(error instanceof ApiError)) return texts.brokenText;
      // Its reason before its kind: "changed before you" is wrong of most conflicts. A reason that
      // is told at a field is not told twice.
      const reason = refusalSentence(language, error);
      const above = reason !== null && isAtField(error) ? texts.byCode.invalid_request({}) : reason;
      const worded = above ?? sayBy(texts.byCode, error) ?? error.message;
      return error.retryAfterSeconds === null
        ? worded
        : `${worded} ${texts.retryIn(error.retryAfterSeconds)}`;
    },
    detail: ({ code, reason, params, message }) =>
      message === "" ||
      !WORDED_IN_DETAIL.has(code) ||
      refusalSentence(language, { reason, params }) !== null
        ? null
        : message,
    reason: (refusal) =>
      refusalSentence(language, refusal) ?? sayBy(texts.byCode, refusal) ?? refusal.message,
    ofField(error, param) {
      if (!(error instanceof ApiError)) return undefined;
      // A mistake of `ips[1]` is told at the field of all addresses.
      const mistake = error.errors.find(
        (one) =>
          one.param === param ||
          one.param.startsWith(`${param}[`) ||
          one.param.startsWith(`${param}.`),
      );
      if (mistake === undefined) return undefined;
      const { code, params, message } = mistake;
      return (
        refusalSentence(language, { reason: code, params }) ??
        sayBy(texts.byMistake, mistake) ??
        message
      );
    },
  };
}

/** What was sent beside the fields of a form: the member cannot mend it there. */
const NO_FIELDS: ReadonlySet<string> = new Set(["", "ref", "token", "model", "x-tollgate-key"]);

function isAtField(error: ApiError): boolean {
  return error.errors.some(({ param }) => !NO_FIELDS.has(param));
}
