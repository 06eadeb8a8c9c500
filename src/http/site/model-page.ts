/** One model: what it costs, what it takes, and a request to it. */
import type { ModelStatus } from "../../business/operate/service-status.ts";
import type { PanelModel, PanelTaskForm } from "../../contract/panel/panel-model.ts";
import { dayStrip } from "./day-strip.ts";
import { countText, shareText } from "./format-figures.ts";
import { markup, type Markup } from "./markup.ts";
import { kindOf } from "./model-kind.ts";
import { modelPrices } from "./model-prices.ts";
import { modelSample } from "./model-sample.ts";
import type { SitePage } from "./page-frame.ts";
import { sample, table } from "./page-parts.ts";
import { modelRest, type Site } from "./site-place.ts";
import { filesNote } from "./task-table-page.ts";

/** @param status how it fares; null: nothing is known of it. */
export function modelPage(site: Site, model: PanelModel, status: ModelStatus | null): SitePage {
  const { t, language } = site;
  const { id, displayName, form } = model;
  const kind = t.kinds[kindOf(model)];
  return {
    title: displayName,
    description: form?.summary[language] ?? t.modelDescription(displayName, kind),
    rest: modelRest(id),
    body: markup`<div><p class="small back"><a href="/${language}/models">${t.modelsTitle}</a></p><h1>${displayName}</h1>
<p class="quiet">${form === null ? kind : form.summary[language]}</p></div>
<section><h2>${t.about}</h2>${facts(model, site)}</section>
${status === null ? null : fares(status, site)}
<section><h2>${t.pricesTitle}</h2><p class="quiet">${t.pricesLead}</p><div class="prices">${modelPrices(model, site)}</div></section>
<section><h2>${t.sample}</h2><p class="quiet" data-key-note>${t.keyNote}</p>${filesNote(model, site)}${sample(modelSample(site, model), t)}
<p class="member"><a class="btn line" href="/panel/playground?${new URLSearchParams({ tab: model.type === "task" ? "tasks" : model.type, model: id }).toString()}">${t.tryIt}</a></p></section>
${form === null ? null : parameters(form, site)}`,
  };
}

function facts(
  { id, type, endpoints, aliases, contextTokens, maxOutputTokens }: PanelModel,
  { t, language }: Site,
): Markup {
  const paths = endpoints.map((endpoint) =>
    type === "task" ? `POST /v1/tasks/${id}` : `POST /v1/${endpoint.replaceAll(".", "/")}`,
  );
  const tokens = (count: number | null): string | null =>
    count === null ? null : countText(count, language);
  const rows = [
    [t.id, markup`<code>${id}</code>`],
    [t.aliases, aliases.length === 0 ? null : markup`<code>${aliases.join(", ")}</code>`],
    [t.paths, markup`${paths.map((path) => markup`<code>${path}</code><br>`)}`],
    [t.contextTokens, tokens(contextTokens)],
    [t.maxOutputTokens, tokens(maxOutputTokens)],
  ] as const;
  return factList(rows);
}

/** Whether it works and how fast it is; what has no figure is left out, all of it too. */
function fares(status: ModelStatus, site: Site): Markup | null {
  const { t, language } = site;
  const { health, days, share, firstTokenMs, tokensPerSecond } = status;
  const rows = [
    [
      t.now,
      health === null ? null : markup`<span class="health ${health}">${t.health[health]}</span>`,
    ],
    [t.answeredInDays, share === null ? null : shareText(share, language)],
    [t.lastDays, days.every((day) => day === null) ? null : dayStrip(days, site)],
    [
      t.firstToken,
      firstTokenMs === null ? null : t.milliseconds(countText(firstTokenMs, language)),
    ],
    [
      t.speed,
      tokensPerSecond === null ? null : t.tokensPerSecond(countText(tokensPerSecond, language)),
    ],
  ] as const;
  if (rows.every(([, value]) => value === null)) return null;
  const isTimed = firstTokenMs !== null || tokensPerSecond !== null;
  return markup`<section><h2>${t.fares}</h2>${factList(rows)}<p class="small quiet">${t.nowNote}${share === null ? "" : ` ${t.sharesNote}`}${isTimed ? ` ${t.speedNote}` : ""}</p></section>`;
}

function factList(rows: readonly (readonly [string, Markup | string | null])[]): Markup {
  return markup`<dl class="facts">${rows.map(([name, value]) =>
    value === null ? null : markup`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>`;
}

function parameters({ fields }: PanelTaskForm, { t, language }: Site): Markup {
  const rows = fields.map(({ name, title, description, required, values }) => ({
    cells: [
      markup`<code>${name}</code>${required ? markup` <span class="tag">${t.required}</span>` : null}`,
      markup`<b>${title[language]}</b><br><span class="quiet">${description[language]}</span>${
        values === undefined ? null : markup`<br><code>${values.join(", ")}</code>`
      }`,
    ],
  }));
  return markup`<section><h2>${t.parameters}</h2>${table(t.parametersCaption, [{ title: t.parameter }, { title: t.meaning }], rows, { captionUnseen: true, stacked: true })}</section>`;
}
