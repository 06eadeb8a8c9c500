/** What every public page has around its own: head, menu and foot, in the installation's name. */
import { hash } from "node:crypto";
import { LANGUAGES, type Language } from "../../contract/enums/language.ts";
import type { Installation } from "../../contract/panel/installation.ts";
import { asMarkup, markup, type Markup } from "./markup.ts";
import { textsOf, type Site } from "./site-place.ts";
import { pageStyle } from "./site-style.ts";

export interface SitePage {
  readonly title: string;
  readonly description: string;
  /** Its path behind the language: empty, or `/models`. */
  readonly rest: string;
  readonly body: Markup;
  /** A search that no other search needs to find. */
  readonly unlisted?: true;
  /** Of sections one below the other, as the first page; else of a page of one thing. */
  readonly airy?: true;
}

export interface DrawnPage {
  readonly text: string;
  /** What the policy calls its style by. */
  readonly styleHash: string;
}

const MARK = asMarkup(
  `<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="var(--accent)"/><path d="M8 23V11m16 12V11M8 14h16M12.5 14v9m7-9v9" stroke="var(--accent-text)" stroke-width="2.4" stroke-linecap="round" fill="none"/></svg>`,
);
const ICON = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#107363"/><path d="M8 23V11m16 12V11M8 14h16M12.5 14v9m7-9v9" stroke="#fff" stroke-width="2.6" stroke-linecap="round" fill="none"/></svg>')}`;
const LOCALES = { ru: "ru_RU", en: "en_GB" } as const;

/** @param scriptPath where what makes the page quicker is; it works without. */
export function drawPage(site: Site, page: SitePage, scriptPath: string): DrawnPage {
  const { language, installation, tokens, t } = site;
  const style = pageStyle(tokens, installation.tint);
  const text = markup`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
${aboutPage(site, page)}
<style>${asMarkup(style)}</style>
<script src="${scriptPath}" defer></script></head>
<body><a class="skip" href="#content">${t.skip}</a>
${head(site, page)}
<main id="content" class="wrap${page.airy === true ? "" : " page"}">${page.body}</main>
${foot(site)}
</body></html>
`.text;
  return { text, styleHash: `'sha256-${hash("sha256", style, "base64")}'` };
}

function aboutPage(
  { language, installation, origin }: Site,
  { title, description, rest, unlisted }: SitePage,
): Markup {
  const { name, favicon, logo } = installation;
  const address = (of: Language): string => `${origin}/${of}${rest}`;
  const full = `${title} — ${name}`;
  return markup`<title>${full}</title>
<meta name="description" content="${description}">
${unlisted === true ? markup`<meta name="robots" content="noindex, follow">` : null}
<link rel="canonical" href="${address(language)}">
${LANGUAGES.map((of) => markup`<link rel="alternate" hreflang="${of}" href="${address(of)}">`)}
<link rel="alternate" hreflang="x-default" href="${rest === "" ? `${origin}/` : address("en")}">
<link rel="icon" href="${favicon?.url ?? ICON}">
<meta property="og:type" content="website"><meta property="og:site_name" content="${name}">
<meta property="og:title" content="${full}"><meta property="og:description" content="${description}">
<meta property="og:url" content="${address(language)}"><meta property="og:locale" content="${LOCALES[language]}">
${logo === null ? null : markup`<meta property="og:image" content="${origin}${logo.url}">`}`;
}

function head({ language, installation, t }: Site, { rest }: SitePage): Markup {
  const other = language === "ru" ? "en" : "ru";
  const here = (path: string): Markup | null =>
    path === rest ? markup` aria-current="page"` : null;
  return markup`<header class="wrap head"><a class="brand" href="/${language}">${brandOf(installation)}</a>
<nav aria-label="${t.menu}"><a href="/${language}/models"${here("/models")}>${t.models}</a><a href="/${language}/docs"${here("/docs")}>${t.guides}</a><a href="/${language}/status"${here("/status")}>${t.status}</a></nav>
<a class="end" href="/${other}${rest}" hreflang="${other}" lang="${other}">${textsOf(language).otherLanguage}</a>
<a class="plain guest" href="/panel/log-in">${t.logIn}</a>
${takesGuests(installation) ? markup`<a class="btn guest" href="/panel/sign-up">${t.start}</a>` : null}
<a class="btn member" href="/panel">${t.panel}</a></header>`;
}

function brandOf({ name, logo }: Installation): Markup {
  if (logo === null) return markup`${MARK}${name}`;
  return markup`<img src="${logo.url}" width="${logo.width}" height="${logo.height}" alt="">${name}`;
}

/** Whether a stranger can open an account here at all. */
export function takesGuests({ signUp }: Installation): boolean {
  return signUp.mode !== "closed";
}

function foot({ language, installation, t }: Site): Markup {
  const { name, support, terms, privacy } = installation;
  const papers = [
    terms === null ? null : markup`<a href="${webLink(terms)}">${t.terms}</a>`,
    privacy === null ? null : markup`<a href="${webLink(privacy)}">${t.privacy}</a>`,
  ].filter((one) => one !== null);
  return markup`<footer><div class="wrap"><div class="about"><p class="brand">${brandOf(installation)}</p>
${support === null ? null : markup`<p class="small quiet">${t.support}: <a href="${supportLink(support)}">${support}</a></p>`}</div>
<nav class="group" aria-label="${t.product}"><h2>${t.product}</h2><a href="/${language}/models">${t.models}</a><a href="/${language}/status">${t.status}</a><a href="/panel">${t.panel}</a></nav>
<nav class="group" aria-label="${t.developers}"><h2>${t.developers}</h2><a href="/${language}/docs">${t.guides}</a><a href="/${language}/docs/errors">${t.errors}</a><a href="/${language}/docs/api">${t.api}</a><a href="/openapi.json">OpenAPI</a><a href="/llms.txt" hreflang="en">llms.txt</a></nav>
${papers.length === 0 ? null : markup`<nav class="group" aria-label="${t.documents}"><h2>${t.documents}</h2>${papers}</nav>`}</div></footer>
<span hidden id="site-words" data-copied="${t.copied}" data-own-key="${t.ownKeyNote}">${name}</span>`;
}

/** The settings take addresses of the web alone; what is none leads nowhere. */
function webLink(address: string): string {
  return /^https?:\/\//i.test(address) ? address : "#";
}

function supportLink(support: string): string {
  return /^https?:\/\//i.test(support) ? support : `mailto:${support}`;
}
