/** The tables of models with their prices: chats by the million tokens, all else by their units. */
import type { ModelStatus } from "../../business/operate/service-status.ts";
import type { PanelModel } from "../../contract/panel/panel-model.ts";
import { dayStrip } from "./day-strip.ts";
import { countText, plainAmount } from "./format-figures.ts";
import { markup, type Markup } from "./markup.ts";
import { kindOf, type ModelKind } from "./model-kind.ts";
import { table } from "./page-parts.ts";
import { priceLine } from "./price-words.ts";
import { modelPath, type Site } from "./site-place.ts";

/** How a model fares, by its id; null: nothing is known of it. */
export type Fares = (id: string) => ModelStatus | null;

/** All of one kind. */
export function modelsTable(
  kind: ModelKind,
  models: readonly PanelModel[],
  site: Site,
  fares: Fares,
  foot: Markup | null = null,
): Markup {
  return kind === "chat"
    ? chatTable(models, site, fares, foot)
    : otherTable(kind, models, site, foot);
}

/** What a search finds it by: its name, its id, what it is for. */
export function findable(model: PanelModel, { t, language }: Site): string {
  const { id, displayName, form } = model;
  return [displayName, id, t.kinds[kindOf(model)], form?.title[language] ?? ""]
    .join(" ")
    .toLowerCase();
}

function chatTable(
  models: readonly PanelModel[],
  site: Site,
  fares: Fares,
  foot: Markup | null,
): Markup {
  const { t, language } = site;
  const statuses = models.flatMap(({ id }) => fares(id) ?? []);
  // A column of nothing but dashes is none.
  const isTimed = statuses.some(({ firstTokenMs }) => firstTokenMs !== null);
  const isCounted = statuses.some(({ days }) => days.some((day) => day !== null));
  const columns = [
    { title: t.model },
    { title: t.context, figure: true, wide: true },
    { title: t.input, figure: true },
    { title: t.cached, figure: true, wide: true },
    { title: t.output, figure: true },
    ...(isTimed ? [{ title: t.firstTokenShort, figure: true, wide: true } as const] : []),
    ...(isCounted ? [{ title: t.daysShort, figure: true, wide: true } as const] : []),
  ] as const;
  const rows = models.flatMap((model) => {
    const { price, contextTokens } = model;
    const status = fares(model.id);
    const firstMs = status?.firstTokenMs ?? null;
    if (price.kind !== "chat") return [];
    const cells = [
      nameCell(model, site),
      contextTokens === null ? "—" : countText(contextTokens, language),
      ...[price.input, price.cachedInput, price.output].map((one) => plainAmount(one, language)),
      ...(isTimed ? [firstMs === null ? "—" : t.milliseconds(countText(firstMs, language))] : []),
      ...(isCounted ? [status === null ? "" : dayStrip(status.days, site)] : []),
    ];
    return [{ cells, find: findable(model, site) }];
  });
  return table(t.chatCaption, columns, rows, { foot });
}

function otherTable(
  kind: ModelKind,
  models: readonly PanelModel[],
  site: Site,
  foot: Markup | null,
): Markup {
  const { t, language } = site;
  const columns = [
    { title: t.model },
    { title: t.kindsMenu, wide: true },
    { title: t.price, figure: true },
  ] as const;
  const rows = models.flatMap((model) => {
    if (model.price.kind === "chat") return [];
    const line = priceLine(model.price, site);
    return [
      {
        cells: [nameCell(model, site), model.form?.title[language] ?? "", line],
        find: findable(model, site),
      },
    ];
  });
  return table(t.kinds[kind], columns, rows, { foot, headsUnseen: true });
}

function nameCell({ id, displayName }: PanelModel, { language }: Site): Markup {
  return markup`<a class="name" href="${modelPath(language, id)}">${displayName}</a><span class="id">${id}</span>`;
}
