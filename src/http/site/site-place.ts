/** Where the public pages are, and what each of them is drawn with. */
import type { Language } from "../../contract/enums/language.ts";
import type { Installation } from "../../contract/panel/installation.ts";
import type { PanelModelList } from "../../contract/panel/panel-model.ts";
import { siteEn } from "./texts/site.en.ts";
import { siteRu, type SiteTexts } from "./texts/site.ru.ts";

/** What is the same for all pages of one language. */
export interface Site {
  readonly language: Language;
  readonly t: SiteTexts;
  readonly installation: Installation;
  readonly list: PanelModelList;
  /** Where the outside reaches us, without a slash at its end. */
  readonly origin: string;
  /** Of the style: the palette. */
  readonly tokens: string;
}

export function textsOf(language: Language): SiteTexts {
  return language === "ru" ? siteRu : siteEn;
}

/** `/ru/models/vendor/model`. */
export function modelPath(language: Language, id: string): string {
  return `/${language}${modelRest(id)}`;
}

/** The same behind the language. */
export function modelRest(id: string): string {
  return `/models/${id.split("/").map(encodeURIComponent).join("/")}`;
}
