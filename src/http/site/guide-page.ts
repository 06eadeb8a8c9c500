/** The guides: how to begin, what can be asked, money, limits, errors and what to do. */
import { FAULTS } from "../../kernel/faults.ts";
import { docsPage } from "./docs-frame.ts";
import { API_FAULTS, GUIDES, type GuideName } from "./guide-place.ts";
import { guideSample } from "./guide-samples.ts";
import { guideTextsOf } from "./guide-texts.ts";
import { inlineText, type InlineLook } from "./inline-text.ts";
import { markup, type Markup } from "./markup.ts";
import type { SitePage } from "./page-frame.ts";
import { table } from "./page-parts.ts";
import type { Site } from "./site-place.ts";
import { taskTableList } from "./task-table-page.ts";
import type { GuideSection } from "./texts/guide.ts";
import type { GuideTexts } from "./texts/guides.ru.ts";

export function guidePage(site: Site, name: GuideName): SitePage {
  const texts = guideTextsOf(site);
  const { title, description, lead, sections } = texts[name];
  const more = name === "errors" ? errors(texts.errors, site) : null;
  const tables = name === "tasks" ? taskTableList(site) : null;
  const extra = [
    ...(more === null ? [] : [{ id: "codes", title: texts.errors.codes }]),
    ...(tables === null ? [] : [{ id: "tables", title: texts.tables }]),
  ];
  return docsPage(site, {
    title,
    description,
    rest: GUIDES.find(([guide]) => guide === name)?.[1] ?? "/docs",
    lead: inlineText(lead, lookOf(site)),
    anchors: [...sections, ...extra],
    body: markup`${sections.map((one) => section(one, site))}${more}${tables}`,
  });
}

/** Links of our texts lead to pages in the language of the page. */
function lookOf({ language }: Site): InlineLook {
  return { linkTo: (target) => (target.startsWith("/") ? `/${language}${target}` : target) };
}

function section(
  { id, title, texts, points, rows, sample: shown }: GuideSection,
  site: Site,
): Markup {
  const look = lookOf(site);
  const { name, meaning } = guideTextsOf(site);
  const columns = [{ title: name }, { title: meaning }] as const;
  return markup`<section class="guide" id="${id}"><h2>${title}</h2>${texts.map((one) => markup`<p>${inlineText(one, look)}</p>`)}${
    points === undefined
      ? null
      : markup`<ul class="points">${points.map((one) => markup`<li>${inlineText(one, look)}</li>`)}</ul>`
  }${
    rows === undefined
      ? null
      : table(
          title,
          columns,
          rows.map((cells) => ({ cells: cells.map((one) => inlineText(one, look)) })),
          { captionUnseen: true, stacked: true },
        )
  }${shown === undefined ? null : guideSample(shown, site)}</section>
`;
}

function errors(
  { status, code: name, codes, what, remedy, again, byCode }: GuideTexts["errors"],
  site: Site,
): Markup {
  const look = lookOf(site);
  const rows = API_FAULTS.map((fault) => {
    const [happened, help] = byCode[fault];
    const { status: number, retryable } = FAULTS[fault];
    return {
      cells: [
        markup`<code>${fault}</code>`,
        markup`${number}`,
        inlineText(happened, look),
        markup`${inlineText(help, look)}${retryable ? markup` <span class="tag">${again}</span>` : null}`,
      ],
    };
  });
  const columns = [
    { title: name },
    { title: status, figure: true },
    { title: what },
    { title: remedy },
  ] as const;
  return markup`<section id="codes"><h2>${codes}</h2>${table(codes, columns, rows, { captionUnseen: true, stacked: true })}</section>`;
}
