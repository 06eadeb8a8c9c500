/** What has changed, version by version, as CHANGELOG.md tells it: in English. */
import { docsPage } from "./docs-frame.ts";
import { CHANGELOG_REST } from "./docs-map.ts";
import { guideTextsOf } from "./guide-texts.ts";
import { inlineText, type InlineLook } from "./inline-text.ts";
import { markup, type Markup } from "./markup.ts";
import type { SitePage } from "./page-frame.ts";
import type { Site } from "./site-place.ts";

/** Of the files beside it only those of the web have a place here. */
const LOOK: InlineLook = {
  linkTo: (target) => (/^https?:\/\//.test(target) ? target : null),
  plain: russianMarked,
};

interface Version {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Markup[];
}

/** @param source the file; empty: there is none. */
export function changelogPage(site: Site, source: string): SitePage {
  const { title, description, lead, none } = guideTextsOf(site).changelog;
  const versions = readVersions(source);
  const foreign = site.language === "en" ? null : markup` lang="en"`;
  return docsPage(site, {
    title,
    description,
    rest: CHANGELOG_REST,
    lead,
    anchors: versions,
    body:
      versions.length === 0
        ? markup`<p>${none}</p>`
        : markup`<div class="page"${foreign}>${versions.map(
            (version) =>
              markup`<section class="guide" id="${version.id}"><h2>${version.title}</h2>${version.blocks}</section>
`,
          )}</div>`,
  });
}

/** A version begins with `## `; what stands before the first is for those who write the file. */
function readVersions(source: string): readonly Version[] {
  const [, ...parts] = source.split(/^## /m);
  return parts.map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return {
      id: `v-${title.toLowerCase().replaceAll(/[^a-z0-9.]+/g, "-")}`,
      title,
      blocks: blocksOf(lines),
    };
  });
}

/** Headings, lists and paragraphs; a line goes on with the one before it until a blank one. */
function blocksOf(lines: readonly string[]): readonly Markup[] {
  const text = lines.join("\n").trim();
  if (text === "") return [];
  return text.split(/\n{2,}/).map((block) => {
    if (block.startsWith("### ")) return markup`<h3>${block.slice(4)}</h3>`;
    if (!block.startsWith("- ")) return markup`<p>${inlineText(oneLine(block), LOOK)}</p>`;
    const items = block.slice(2).split(/\n- /);
    return markup`<ul class="points">${items.map((item) => markup`<li>${inlineText(oneLine(item), LOOK)}</li>`)}</ul>`;
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Words of the Russian pages that an English text quotes are said to be Russian. */
function russianMarked(text: string): readonly (Markup | string)[] {
  return text
    .split(/([А-Яа-яЁё]+)/)
    .map((part, at) => (at % 2 === 1 ? markup`<span lang="ru">${part}</span>` : part));
}
