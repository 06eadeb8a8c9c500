/** A body that the document shows as an example, in words of the page's language. */
import { markup, type Markup } from "../markup.ts";
import { sample } from "../page-parts.ts";
import type { Site } from "../site-place.ts";
import { referenceTextsOf } from "./reference-texts.ts";

/** What examples say to models; they are in Russian in the document. */
const IN_ENGLISH: Readonly<Record<string, string>> = {
  "Привет!": "Hello!",
  "Здравствуй!": "Good day!",
  "столица Франции": "the capital of France",
  Париж: "Paris",
  Лондон: "London",
  "Жили-были": "Once upon a time",
};

/** Null: there is none. */
export function requestExample(example: unknown, site: Site): Markup | null {
  if (example === undefined) return null;
  const { language, t } = site;
  const shown = language === "en" ? inEnglish(example) : example;
  return markup`<h3>${referenceTextsOf(site).example}</h3>${sample(markup`${JSON.stringify(shown, null, 2)}`, t)}`;
}

function inEnglish(value: unknown): unknown {
  if (typeof value === "string") return IN_ENGLISH[value] ?? value;
  if (Array.isArray(value)) return value.map(inEnglish);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inEnglish(inner)]));
}
