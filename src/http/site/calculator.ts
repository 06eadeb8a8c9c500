/** The calculator of chat models: a form that works by a query, and what it comes to. */
import { money, upToKopeck } from "./format-figures.ts";
import { markup, type Markup } from "./markup.ts";
import { HABIT_BOUNDS, monthCosts, type Habit, type MonthCost } from "./month-cost.ts";
import { modelPath, type Site } from "./site-place.ts";

/** More are a list, not a comparison. */
const MOST_SHOWN = 12;

const FIELDS = [
  ["requestsPerDay", "requestsPerDay"],
  ["inputTokens", "inputEach"],
  ["outputTokens", "outputEach"],
  ["cachedPercent", "cachedShare"],
] as const;

/**
 * @param kept what else the page was asked for, so that counting changes nothing of it. Null: there
 *   is no chat model.
 */
export function calculator(
  site: Site,
  habit: Habit,
  kept: Readonly<Record<string, string>>,
): Markup | null {
  const { language, list, t } = site;
  const costs = monthCosts(list.data, habit);
  if (costs.length === 0) return null;
  return markup`<section id="calculator"><h2>${t.calculatorTitle}</h2><p class="quiet">${t.calculatorLead}</p>
<div class="calc"><form action="/${language}/models#calculator" method="get" data-calculator>
${Object.entries(kept).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}
${FIELDS.map(
  ([name, label]) =>
    markup`<label class="field">${t[label]}<input name="${name}" type="number" inputmode="numeric" min="0" max="${HABIT_BOUNDS[name]}" step="1" value="${habit[name]}"></label>`,
)}
<div><button class="btn line">${t.count}</button></div></form>
<div data-costs aria-live="polite"><h3>${t.perMonth}</h3>${costList(costs, site)}</div></div></section>`;
}

/** Cheapest first: that is what one looks for here. */
function costList(costs: readonly MonthCost[], { language }: Site): Markup {
  const shown = costs
    .toSorted((a, b) => (a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0))
    .slice(0, MOST_SHOWN);
  const most = shown.at(-1)?.nano ?? 0n;
  return markup`<ol>${shown.map(
    ({ model, nano, amount }) =>
      markup`<li><div class="row"><a class="name" href="${modelPath(language, model.id)}">${model.displayName}</a>${money(upToKopeck(amount), language)}</div>${bar(nano, most)}</li>`,
  )}</ol>`;
}

/** All of one scale; drawn by attributes, since the policy lets in no style of an element. */
function bar(nano: bigint, most: bigint): Markup {
  // not money: how long a bar is, in percent
  const width = most === 0n ? 0 : Number((nano * 1000n) / most) / 10;
  return markup`<svg class="bar" aria-hidden="true"><rect class="part" width="${width}%" height="8" rx="2"/></svg>`;
}
