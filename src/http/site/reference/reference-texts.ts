/** The words of the API reference in the language of a page. */
import type { Site } from "../site-place.ts";
import { referenceEn } from "../texts/reference.en.ts";
import { referenceRu, type ReferenceTexts } from "../texts/reference.ru.ts";

export function referenceTextsOf({ language }: Pick<Site, "language">): ReferenceTexts {
  return language === "ru" ? referenceRu : referenceEn;
}
