/** Everything that a model's price says, in tables and sentences. */
import type { PanelModel, PanelTaskForm } from "../../contract/panel/panel-model.ts";
import { VARIANT_FIELDS } from "../../kernel/price-raises.ts";
import { countText, money, moneyText, plainAmount } from "./format-figures.ts";
import { markup, type Markup } from "./markup.ts";
import { table } from "./page-parts.ts";
import {
  kindAmounts,
  namedValues,
  unitOfRow,
  type CallPrice,
  type ChatPrice,
  type TaskPrice,
} from "./price-words.ts";
import type { Site } from "./site-place.ts";

export function modelPrices({ price, form }: PanelModel, site: Site): Markup {
  switch (price.kind) {
    case "chat":
      return chatPrices(price, site);
    case "call":
      return callPrices(price, site);
    case "task":
      return taskPrices(price, form, site);
  }
}

type KindPrices = Parameters<typeof kindAmounts>[0];

function kindTable(
  caption: string,
  price: KindPrices,
  { t, language }: Site,
  look: { readonly captionUnseen?: true } = {},
): Markup {
  const rows = kindAmounts(price, t).map(({ what, amount, each }) => ({
    cells: [
      what,
      markup`${money(amount, language)}${each ? markup` <span class="small quiet">${t.each}</span>` : null}`,
    ],
  }));
  return table(
    caption,
    [{ title: t.what }, { title: t.perMillionTokens, figure: true }],
    rows,
    look,
  );
}

/** Of longer prompts, a table for each length that another price begins at. */
function tierTables(tiers: ChatPrice["tiers"], before: string, site: Site): readonly Markup[] {
  const { t, language } = site;
  return (tiers ?? []).map(({ abovePromptTokens, price }) =>
    kindTable(`${before}${t.longPrompt(countText(abovePromptTokens, language))}`, price, site),
  );
}

function chatPrices(price: ChatPrice, site: Site): Markup {
  const { tables, changes } = surcharges(price, site);
  const more = [...tierTables(price.tiers, "", site), ...tables, ...changes];
  if (more.length === 0) return kindTable(site.t.pricesTitle, price, site, { captionUnseen: true });
  return markup`${kindTable(site.t.usualPrice, price, site)}${more}`;
}

interface Surcharged {
  /** Of variants that have prices of their own. */
  readonly tables: readonly Markup[];
  /** One table of all that multiplies or adds; none where nothing does. */
  readonly changes: readonly Markup[];
}

function surcharges({ surcharges: of }: ChatPrice, site: Site): Surcharged {
  const { t, language } = site;
  const variants = VARIANT_FIELDS.flatMap((field) =>
    Object.entries(of?.[field] ?? {}).map(([value, variant]) => ({
      name: `${t.variants[field]}: ${value}`,
      ...variant,
    })),
  );
  const multiplied = variants.flatMap(({ name, price, multiply }) =>
    price === undefined ? [[name, t.multiplied(plainAmount(multiply ?? "1", language))]] : [],
  );
  const tools = Object.entries(of?.tools ?? {}).map(
    ([tool, { perCall = "0", perRequest = "0" }]) => [
      markup`<code>${tool}</code>`,
      [
        perCall === "0" ? "" : t.perCall(moneyText(perCall, language)),
        perRequest === "0" ? "" : t.perRequest(moneyText(perRequest, language)),
      ]
        .filter((one) => one !== "")
        .join(", "),
    ],
  );
  return {
    tables: variants.flatMap(({ name, price, tiers }) =>
      price === undefined
        ? []
        : [kindTable(name, price, site), ...tierTables(tiers, `${name}. `, site)],
    ),
    changes: changeTable([...multiplied, ...tools], t),
  };
}

function changeTable(
  rows: readonly (readonly (Markup | string)[])[],
  t: Site["t"],
): readonly Markup[] {
  if (rows.length === 0) return [];
  const columns = [{ title: t.when }, { title: t.price, figure: true }] as const;
  return [
    table(
      t.surcharges,
      columns,
      rows.map((cells) => ({ cells })),
      { headsUnseen: true },
    ),
  ];
}

function callPrices({ rows, batch }: CallPrice, { t, language }: Site): Markup {
  const shown = rows.map((row) => {
    const what = t.callKinds[row.what] ?? t.tokenKinds[row.what] ?? t.units[row.what] ?? row.what;
    const when = namedValues(row.when, t.parameterNames, t);
    return {
      cells: [
        when === "" ? what : `${what}, ${when}`,
        markup`${money(row.amount, language)} <span class="small quiet">${t.per(unitOfRow(row, t))}</span>`,
      ],
    };
  });
  const columns = [{ title: t.what }, { title: t.price, figure: true }] as const;
  const changes =
    batch === undefined
      ? []
      : [[`${t.variants.serviceTier}: batch`, t.multiplied(plainAmount(batch, language))]];
  return markup`${table(t.pricesTitle, columns, shown, { captionUnseen: true })}${changeTable(changes, t)}`;
}

function taskPrices(price: TaskPrice, form: PanelTaskForm | null, { t, language }: Site): Markup {
  const names = Object.fromEntries(
    (form?.fields ?? []).map(({ name, title }) => [name, `${title[language]}:`]),
  );
  const unit = t.units[price.unit] ?? price.unit;
  const rows = price.amounts.map(({ when, amount }) => ({
    cells: [
      Object.keys(when).length === 0 ? t.always : namedValues(when, names, t),
      markup`${money(amount, language)} <span class="small quiet">${t.per(unit)}</span>`,
    ],
  }));
  const columns = [{ title: t.when }, { title: t.price, figure: true }] as const;
  const changes = price.multiply.map(({ when, by }) => [
    namedValues(when, names, t),
    t.multiplied(plainAmount(by, language)),
  ]);
  const quantity = form?.fields.find(({ name }) => name === price.quantity);
  return markup`${table(t.pricesTitle, columns, rows, { captionUnseen: true })}${changeTable(changes, t)}${
    quantity === undefined
      ? null
      : markup`<p class="small quiet">${t.quantityIs(quantity.title[language])}</p>`
  }`;
}
