/** The first page: what this is, a request with its receipt, how to begin, and what it costs. */
import { calculator } from "./calculator.ts";
import { chatCurl, clientSamples } from "./clients/client-samples.ts";
import { countText, money, moneyText, plainAmount } from "./format-figures.ts";
import { markup, type Markup } from "./markup.ts";
import { kindOf, kindsOf } from "./model-kind.ts";
import { modelsTable, type Fares } from "./models-table.ts";
import { USUAL_HABIT } from "./month-cost.ts";
import { takesGuests, type SitePage } from "./page-frame.ts";
import { clientList } from "./page-parts.ts";
import { exampleReceipt, MOST_TOKENS, type ExampleReceipt } from "./receipt-example.ts";
import type { Site } from "./site-place.ts";

/** As many kinds are named; one more would not be shorter. */
const MOST_KINDS = 4;
/** As many models of the first kind; all of them have a page of their own. */
const MOST_PRICES = 8;

export function landingPage(site: Site, fares: Fares): SitePage {
  const { t, list } = site;
  const receipt = exampleReceipt(list.data);
  return {
    title: t.landingTitle,
    description: t.landingDescription(list.data.length),
    rest: "",
    airy: true,
    body: markup`<section class="hero"><div>${promise(site)}</div>${receipt === null ? null : example(site, receipt)}</section>
${prices(site, fares)}
${calculator(site, USUAL_HABIT, {})}
${receipt === null ? null : wayOfMoney(site, receipt)}
${clients(site)}
<section class="final"><div><h2>${t.finalTitle}</h2><p class="quiet">${t.finalText}</p></div><span class="end row">${begin(site)}</span></section>`,
  };
}

function promise(site: Site): Markup {
  const { t, list, language, installation } = site;
  const count = list.data.length;
  const all = kindsOf(list.data).map((kind) => t.kinds[kind].toLowerCase());
  const kinds =
    all.length > MOST_KINDS + 1 ? t.andMore(all.slice(0, MOST_KINDS).join(", ")) : all.join(", ");
  const { trial } = installation.signUp;
  const hasTrial = takesGuests(installation) && /[1-9]/.test(trial);
  return markup`<h1>${t.headline.map((line) => markup`<span>${line} </span>`)}</h1>
<p class="lead">${count === 0 ? t.leadEmpty : t.lead(countText(count, language), count, kinds)}</p>
<div class="row">${begin(site)}<a class="btn line large" href="/${language}/models">${t.seePrices}</a></div>
<p class="small quiet">${hasTrial ? `${t.trial(moneyText(trial, language))} ` : ""}${t.noFee}</p>`;
}

function begin({ t, installation }: Site): Markup {
  return markup`${
    takesGuests(installation)
      ? markup`<a class="btn large guest" href="/panel/sign-up">${t.getKey}</a>`
      : markup`<a class="btn large guest" href="/panel/log-in">${t.logIn}</a>`
  }<a class="btn large member" href="/panel">${t.panel}</a>`;
}

/** Beside each other a request and what became of it. */
function example({ t, language, origin }: Site, receipt: ExampleReceipt): Markup {
  const { model, lines, charged, heldAtMost } = receipt;
  const places = digitsOf([...lines.map(({ amount }) => amount), heldAtMost]);
  return markup`<figure><pre class="term" role="region" tabindex="0" aria-label="${t.request}"><code>${chatCurl({ origin, hello: t.says.hello }, model.id, `"max_tokens":${MOST_TOKENS},`)}</code></pre>
<div class="slip"><div class="row"><b class="small">${t.receipt}</b><span class="tag end">${t.example}</span></div>
<p class="sum">${money(charged, language)}</p>
<dl class="lines">${lines.map(
    ({ what, quantity, perMillion, amount }) =>
      markup`<div><dt>${t.tokenKinds[what] ?? what}${
        perMillion === null
          ? null
          : markup` <span class="faint">${t.perMillion(quantity, moneyText(perMillion, language))}</span>`
      }</dt><dd>${plainAmount(amount, language, places)}</dd></div>`,
  )}</dl>${shareBar(receipt)}<p class="small quiet">${t.heldUpTo(plainAmount(heldAtMost, language, places))}</p></div>
<figcaption class="small quiet">${t.exampleNote(model.displayName)}</figcaption></figure>`;
}

/** What was taken of what was held at most; the rest was given back. */
function shareBar({ share }: ExampleReceipt): Markup {
  return markup`<svg class="share" aria-hidden="true"><rect class="part" width="${Math.max(share * 100, 0.5).toFixed(2)}%" height="10"/></svg>`;
}

/** As many digits behind the point as the longest has, so that they stand below one another. */
function digitsOf(amounts: readonly string[]): number {
  return Math.max(2, ...amounts.map((amount) => amount.split(".")[1]?.length ?? 0));
}

function wayOfMoney({ t, language }: Site, receipt: ExampleReceipt): Markup {
  const { heldAtMost, charged, returnedAtMost } = receipt;
  const places = digitsOf([heldAtMost, charged, returnedAtMost]);
  const sum = (amount: string): Markup => money(amount, language, places);
  const most = (amount: string): Markup =>
    markup`<span class="faint">${t.upTo} </span>${sum(amount)}`;
  const sums = [most(heldAtMost), sum(charged), most(returnedAtMost)];
  return markup`<section><h2>${t.moneyTitle}</h2><p class="quiet">${t.moneyLead}</p><ol class="steps">${t.moneySteps.map(
    ({ title, text }, at) =>
      markup`<li><div class="row"><h3>${title}</h3><span class="end">${sums[at] ?? null}</span></div><p>${text}</p></li>`,
  )}</ol></section>`;
}

function clients({ t, origin, list }: Site): Markup | null {
  const samples = clientSamples({ origin, models: list.data, hello: t.says.hello });
  if (samples.length === 0) return null;
  return markup`<section id="start"><h2>${t.clientsTitle}</h2><p class="quiet">${t.clientsLead}</p>
${clientList(samples, t)}<p class="small quiet" data-key-note>${t.keyNote}</p></section>`;
}

function prices(site: Site, fares: Fares): Markup | null {
  const { t, list, language } = site;
  const [kind] = kindsOf(list.data);
  if (kind === undefined) return null;
  const first = list.data.filter((model) => kindOf(model) === kind).slice(0, MOST_PRICES);
  const count = list.data.length;
  const foot = markup`<div class="foot row"><a class="name" href="/${language}/models">${t.allModels(countText(count, language), count)}</a><span class="end faint">${t.priceVersion(String(list.priceVersion))}</span></div>`;
  return markup`<section><h2>${t.pricesTitle}</h2><p class="quiet">${t.pricesLead}</p>${modelsTable(kind, first, site, fares, foot)}</section>`;
}
