/** What went wrong, in words of the language of the moment. */
import { ApiError } from "../api/api-error.ts";
import { useTexts } from "./locale.tsx";
import { faultsEn } from "./texts/faults.en.ts";
import { faultsRu } from "./texts/faults.ru.ts";
import type { FaultsTexts } from "./texts/faults.ru.ts";

const TEXTS = { ru: faultsRu, en: faultsEn };

export interface Faults {
  readonly texts: FaultsTexts;
  /** A sentence about an error: what happened and what to do. */
  sentence(error: unknown): string;
  /** What is wrong with one field of the form that was sent; undefined where nothing is. */
  ofField(error: unknown, param: string): string | undefined;
}

export function useFaults(): Faults {
  const texts = useTexts(TEXTS);
  return {
    texts,
    sentence(error) {
      if (!(error instanceof ApiError)) return texts.brokenText;
      const told = texts.byCode[error.code] ?? error.message;
      return error.retryAfterSeconds === null ? told : `${told} ${texts.retryIn(error.retryAfterSeconds)}`;
    },
    ofField(error, param) {
      if (!(error instanceof ApiError)) return undefined;
      const mistake = error.errors.find((one) => one.param === param);
      return mistake === undefined ? undefined : (texts.byMistake[mistake.code] ?? mistake.message);
    },
  };
}
