/** Around each page of the documentation: the menu, what is on the page, and where to go on. */
import { docsGroups } from "./docs-map.ts";
import { guideTextsOf } from "./guide-texts.ts";
import { markup, type Markup } from "./markup.ts";
import type { SitePage } from "./page-frame.ts";
import type { Site } from "./site-place.ts";

interface Anchor {
  readonly id: string;
  readonly title: Markup | string;
}

interface DocsPage extends Pick<SitePage, "title" | "description" | "rest" | "body"> {
  readonly lead: Markup | string;
  /** What of the page a reader can go to. */
  readonly anchors: readonly Anchor[];
}

/** Fewer are seen at once. */
const LEAST_ANCHORS = 3;

export function docsPage(
  site: Site,
  { title, description, rest, lead, anchors, body }: DocsPage,
): SitePage {
  return {
    title,
    description,
    rest,
    body: markup`<div class="docs">${menu(site, rest)}<div class="page"><div><h1>${title}</h1><p class="quiet">${lead}</p></div>
${anchors.length < LEAST_ANCHORS ? null : contents(site, anchors)}
${body}
${neighbours(site, rest)}</div></div>`,
  };
}

/** Folded on a phone; open beside the page where there is room, by the style alone. */
function menu(site: Site, rest: string): Markup {
  const { language } = site;
  const { menu: name } = guideTextsOf(site);
  const shown = (within: string | undefined): boolean =>
    within === undefined || rest === within || rest.startsWith(`${within}/`);
  return markup`<details class="docs-menu"><summary>${name}</summary><nav aria-label="${name}">${docsGroups(
    site,
  ).map(
    ({ title, entries }) =>
      markup`<p>${title}</p><ul>${entries
        .filter(({ within }) => shown(within))
        .map(
          (entry) =>
            markup`<li${entry.within === undefined ? null : markup` class="in"`}><a href="/${language}${entry.rest}"${entry.rest === rest ? markup` aria-current="page"` : null}>${entry.label ?? entry.title}</a></li>`,
        )}</ul>`,
  )}</nav></details>`;
}

/** As the menu: folded on a phone, where a page is read from its top. */
function contents(site: Site, anchors: readonly Anchor[]): Markup {
  const { contents: name } = guideTextsOf(site);
  return markup`<details class="toc"><summary>${name}</summary><nav aria-label="${name}"><ol>${anchors.map(
    ({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>`,
  )}</ol></nav></details>`;
}

function neighbours(site: Site, rest: string): Markup {
  const { language } = site;
  const t = guideTextsOf(site);
  const all = docsGroups(site).flatMap(({ entries }) => entries);
  const at = all.findIndex((entry) => entry.rest === rest);
  const before = all[at - 1];
  const after = all[at + 1];
  const link = (entry: typeof before, rel: string, word: string): Markup | null =>
    entry === undefined
      ? null
      : markup`<a class="${rel}" rel="${rel}" href="/${language}${entry.rest}"><span class="small quiet">${word}</span><br>${entry.title}</a>`;
  return markup`<nav class="turn" aria-label="${t.neighbours}">${link(before, "prev", t.before)}${link(after, "next", t.after)}</nav>`;
}
