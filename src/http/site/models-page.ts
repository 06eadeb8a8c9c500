/** All models with their prices: by kind and by a search, which work without a script. */
import { calculator } from "./calculator.ts";
import { markup, type Markup } from "./markup.ts";
import { kindOf, kindsOf, type ModelKind } from "./model-kind.ts";
import { findable, modelsTable, type Fares } from "./models-table.ts";
import { readHabit, USUAL_HABIT, type Habit } from "./month-cost.ts";
import type { SitePage } from "./page-frame.ts";
import type { Site } from "./site-place.ts";

/** No name is as long; what is longer is cut. */
const LONGEST_SEARCH = 100;

/** As the query has it; what means nothing is left out. */
export interface ModelsQuery extends Partial<Record<keyof Habit, string>> {
  readonly kind?: string;
  readonly q?: string;
}

/** What a query comes to: equal ones are one page. */
export interface ModelsView {
  /** Null: all kinds. */
  readonly kind: ModelKind | null;
  /** Words in lower case. */
  readonly words: readonly string[];
  readonly habit: Habit;
}

export function readModelsView(query: ModelsQuery, { list }: Pick<Site, "list">): ModelsView {
  return {
    kind: kindsOf(list.data).find((kind) => kind === query.kind) ?? null,
    words: (query.q ?? "")
      .slice(0, LONGEST_SEARCH)
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ""),
    habit: readHabit(query),
  };
}

/** Nothing was asked for but a kind, so that there are only as many pages as kinds. */
export function isPlain({ words, habit }: ModelsView): boolean {
  return words.length === 0 && JSON.stringify(habit) === JSON.stringify(USUAL_HABIT);
}

export function modelsPage(site: Site, view: ModelsView, fares: Fares): SitePage {
  const { t, list } = site;
  const kinds = kindsOf(list.data);
  const found = list.data.filter(
    (model) =>
      (view.kind === null || kindOf(model) === view.kind) &&
      view.words.every((word) => findable(model, site).includes(word)),
  );
  const tables = kindsOf(found).map((kind) =>
    modelsTable(
      kind,
      found.filter((model) => kindOf(model) === kind),
      site,
      fares,
    ),
  );
  return {
    title: t.modelsTitle,
    description: t.modelsDescription(kinds.map((kind) => t.kinds[kind].toLowerCase()).join(", ")),
    rest: "/models",
    ...(isPlain(view) ? {} : { unlisted: true }),
    body: markup`<div><h1>${t.modelsTitle}</h1><p class="quiet">${t.modelsLead} ${t.priceVersion(String(list.priceVersion))}.${
      list.data.some(({ price }) => price.kind === "chat")
        ? markup` <a href="#calculator">${t.calculatorTitle}</a>`
        : null
    }</p></div>
${tools(site, view, kinds)}
${tables}
${nothing(site, found.length > 0)}
${calculator(site, view.habit, keptOf(view))}`,
  };
}

function tools({ language, list, t }: Site, view: ModelsView, kinds: readonly ModelKind[]): Markup {
  const chip = (kind: ModelKind | null, name: string, count: number): Markup =>
    markup`<a class="chip" href="/${language}/models${kind === null ? "" : `?kind=${kind}`}"${
      kind === view.kind ? markup` aria-current="true"` : null
    }>${name} <span class="num">${count}</span></a>`;
  return markup`<div class="tools"><form class="tools" role="search" action="/${language}/models" method="get">
${view.kind === null ? null : markup`<input type="hidden" name="kind" value="${view.kind}">`}
<label class="field">${t.find}<input type="search" name="q" maxlength="${LONGEST_SEARCH}" value="${view.words.join(" ")}" data-search></label><button class="btn line">${t.findButton}</button></form>
<nav class="chips end" aria-label="${t.kindsMenu}">${chip(null, t.all, list.data.length)}${kinds.map(
    (kind) => chip(kind, t.kinds[kind], list.data.filter((model) => kindOf(model) === kind).length),
  )}</nav></div>`;
}

function nothing({ language, t }: Site, found: boolean): Markup {
  return markup`<p data-none${found ? markup` hidden` : null}>${t.nothing} <a href="/${language}/models">${t.dropFilters}</a></p>`;
}

function keptOf({ kind, words }: ModelsView): Readonly<Record<string, string>> {
  return {
    ...(kind === null ? {} : { kind }),
    ...(words.length === 0 ? {} : { q: words.join(" ") }),
  };
}
