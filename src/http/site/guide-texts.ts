/** The texts of the documentation in the language of a page. */
import type { Site } from "./site-place.ts";
import { guidesEn } from "./texts/guides.en.ts";
import { guidesRu, type GuideTexts } from "./texts/guides.ru.ts";

export function guideTextsOf({ language }: Pick<Site, "language">): GuideTexts {
  return language === "ru" ? guidesRu : guidesEn;
}
