/** One table of task parameters: which models take it, at what price, what each parameter allows. */
import type { PanelModel, PanelTaskForm } from "../../contract/panel/panel-model.ts";
import { docsPage } from "./docs-frame.ts";
import { taskTableRest, taskTables } from "./docs-map.ts";
import { guideTextsOf } from "./guide-texts.ts";
import { inlineText } from "./inline-text.ts";
import { markup, type Markup } from "./markup.ts";
import { modelSample, takesNoFile } from "./model-sample.ts";
import { parameterBounds } from "./parameter-bounds.ts";
import type { SitePage } from "./page-frame.ts";
import { sample, table } from "./page-parts.ts";
import { priceLine } from "./price-words.ts";
import { modelPath, type Site } from "./site-place.ts";

type Field = PanelTaskForm["fields"][number];

/** @param models of this table; at least one. */
export function taskTablePage(
  site: Site,
  form: PanelTaskForm,
  models: readonly PanelModel[],
): SitePage {
  const { language, t } = site;
  const texts = guideTextsOf(site);
  const parts = [
    { id: "models", title: t.models, body: modelsOf(models, site) },
    { id: "parameters", title: t.parameters, body: parameters(form, site) },
    ...(form.rules.length === 0
      ? []
      : [{ id: "rules", title: texts.rules, body: rules(form, site) }]),
    { id: "sample", title: t.sample, body: order(models, site) },
  ];
  return docsPage(site, {
    title: form.title[language],
    description: form.summary[language],
    rest: taskTableRest(form.table),
    lead: form.summary[language],
    anchors: parts,
    body: markup`${parts.map(
      ({ id, title, body }) => markup`<section id="${id}"><h2>${title}</h2>${body}</section>
`,
    )}`,
  });
}

/** All tables, by what they make; null: no task is sold. */
export function taskTableList(site: Site): Markup | null {
  const { language, list, t } = site;
  const texts = guideTextsOf(site);
  const all = [...taskTables(list.data).values()];
  if (all.length === 0) return null;
  const rows = all.map(([{ table: name, title, makes }, models]) => ({
    cells: [
      markup`<a class="name" href="/${language}${taskTableRest(name)}">${title[language]}</a>`,
      t.kinds[makes],
      markup`${models.map(({ id }, at) => markup`${at === 0 ? "" : ", "}<code>${id}</code>`)}`,
    ],
  }));
  const columns = [{ title: texts.task }, { title: t.kindsMenu }, { title: t.model }] as const;
  return markup`<section id="tables"><h2>${texts.tables}</h2>${table(texts.tables, columns, rows, { captionUnseen: true, stacked: true })}</section>`;
}

function modelsOf(models: readonly PanelModel[], site: Site): Markup {
  const { language, t } = site;
  const rows = models.map(({ id, displayName, price }) => ({
    cells: [
      markup`<a class="name" href="${modelPath(language, id)}">${displayName}</a><span class="id">${id}</span>`,
      price.kind === "chat" ? "" : priceLine(price, site),
    ],
  }));
  const columns = [{ title: t.model }, { title: t.price, figure: true }] as const;
  return table(t.models, columns, rows, { captionUnseen: true });
}

function parameters({ fields }: PanelTaskForm, { t, language }: Site): Markup {
  const own = (field: Field): Markup =>
    field.fields === undefined
      ? markup``
      : markup`<ul class="points">${field.fields.map(
          (inner) =>
            markup`<li><code>${inner.name}</code>${inner.required ? ` (${t.required})` : ""}: ${inner.description[language]} <span class="quiet">${parameterBounds(inner, language)}</span></li>`,
        )}</ul>`;
  const rows = fields.map((field) => ({
    cells: [
      markup`<code>${field.name}</code>${field.required ? markup` <span class="tag">${t.required}</span>` : null}`,
      markup`<b>${field.title[language]}</b><br>${field.description[language]} <span class="quiet">${parameterBounds(field, language)}</span>${
        field.values === undefined
          ? null
          : markup`<br>${field.values.map((value) => markup`<code>${value}</code> `)}`
      }${own(field)}`,
    ],
  }));
  const columns = [{ title: t.parameter }, { title: t.meaning }] as const;
  return table(t.parametersCaption, columns, rows, { captionUnseen: true, stacked: true });
}

/** As mistakes tell them, which the API does in English. */
function rules(form: PanelTaskForm, { language }: Site): Markup {
  const foreign = language === "en" ? null : markup` lang="en"`;
  return markup`<ul class="points"${foreign}>${form.rules.map(({ message }) => markup`<li>${message}</li>`)}</ul>`;
}

function order([model]: readonly PanelModel[], site: Site): Markup | null {
  if (model === undefined) return null;
  return markup`${filesNote(model, site)}${sample(modelSample(site, model), site.t)}`;
}

/** What the variables of its order are; null: it has none. */
export function filesNote({ form }: PanelModel, site: Site): Markup | null {
  if (form === null || takesNoFile(form)) return null;
  return markup`<p class="quiet">${inlineText(guideTextsOf(site).filesOfSample, { linkTo: () => null })}</p>`;
}
