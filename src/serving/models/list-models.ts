/**
 * The models that a key may use, with the price in force: what `GET /v1/models` shows
 * (contract §5).
 */
import { CALL_ENDPOINTS_OF } from "../../contract/enums/call-endpoint.ts";
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { RequestKind } from "../../contract/enums/request-kind.ts";
import { imageEndpoints } from "../../contract/tasks/image-maps.ts";
import type { TaskParameter } from "../../contract/tasks/task-parameter.ts";
import type { TaskTable, TaskTableId } from "../../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import type { AmountTable, TaskPrice } from "../../contract/price/task-price.ts";
import type { Catalogue, Model, TaskModel } from "../../catalogue/catalogue.ts";
import type { ChatTariff } from "../../contract/price/chat-tariff.ts";
import { describeCallPrice, unitOf } from "../../contract/price/call-price-body.ts";
import { describeTariff } from "../../contract/price/compile-tariff.ts";
import { decimalText } from "../../contract/price/decimal.ts";
import { familyModel } from "../../catalogue/family-model.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { mayUseModel } from "../admission/authenticate.ts";

export interface ListedModel {
  readonly id: string;
  readonly type: RequestKind;
  readonly endpoints: readonly string[];
  /** Of a task model: `T1` … `T19`. */
  readonly parameters: string | null;
  /** Decimal roubles; always has `currency` and `unit`. */
  readonly price: Readonly<Record<string, unknown>>;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly displayName: string;
  /** Since when the catalogue has it, unless the catalogue says another date. */
  readonly createdAt: Date;
}

export type ListedChatPrice = ReturnType<typeof describeTariff> & {
  readonly currency: typeof CURRENCY;
  readonly unit: string;
};

export interface ModelLists {
  /** In the catalogue's order. */
  readonly models: readonly ListedModel[];
  /**
   * The current model of each family by an id of the family: clients that look for such ids find it
   * first.
   */
  readonly families: readonly ListedModel[];
}

/** Since when the catalogue has each model. */
type Dates = ReadonlyMap<string, Date>;

/** As the Messages API documents it for a model whose date is not known. */
const UNKNOWN_DATE = new Date(0);

export function listModels(
  catalogue: Catalogue,
  key: Pick<KeyRecord, "models" | "groupModels">,
  dates: Dates,
): ModelLists {
  const models = [...catalogue.models.values()]
    .filter((model) => mayUseModel(key, model.id))
    .map((model) => describe(model, dates));
  const families = catalogue.families.tiers.flatMap(({ listAs, model: id }) => {
    const model = catalogue.models.get(id);
    // What would be another model when it is called is not offered.
    const isCalledSo =
      !catalogue.models.has(listAs) && familyModel(catalogue.families, listAs) === id;
    if (model === undefined || !isCalledSo || !mayUseModel(key, id, listAs)) return [];
    return [{ ...describe(model, dates), id: listAs }];
  });
  return { models, families };
}

/**
 * A family id finds the model that it stands for. Null when there is no such model or the key may
 * not use it: the two look the same.
 */
export function findListedModel(
  catalogue: Catalogue,
  key: Pick<KeyRecord, "models" | "groupModels">,
  id: string,
  dates: Dates,
): ListedModel | null {
  const model =
    catalogue.models.get(id) ?? catalogue.models.get(familyModel(catalogue.families, id) ?? id);
  return model === undefined || !mayUseModel(key, model.id, id) ? null : describe(model, dates);
}

function describe(model: Model, dates: Dates): ListedModel {
  const createdAt = model.createdAt ?? dates.get(model.id) ?? UNKNOWN_DATE;
  const head = {
    id: model.id,
    type: model.type,
    displayName: model.displayName ?? model.id,
    createdAt,
  };
  if (model.type === "chat") {
    return {
      ...head,
      endpoints: model.endpoints,
      parameters: null,
      price: listedChatPrice(model),
      contextTokens: model.contextTokens,
      maxOutputTokens: model.maxOutputTokens,
    };
  }
  if (model.type !== "task") {
    return {
      ...head,
      endpoints: CALL_ENDPOINTS_OF[model.type],
      parameters: null,
      price: { currency: CURRENCY, unit: unitOf(model.price), ...describeCallPrice(model.price) },
      contextTokens: model.contextTokens ?? null,
      maxOutputTokens: null,
    };
  }
  return {
    ...head,
    endpoints: ["tasks", ...imageEndpoints(model.parameters)],
    parameters: model.parameters,
    price: listedTaskPrice(model),
    contextTokens: null,
    maxOutputTokens: null,
  };
}

/** With the currency and the unit: every kind that has a price, the tiers and the surcharges. */
export function listedChatPrice(tariff: ChatTariff): ListedChatPrice {
  return { currency: CURRENCY, unit: "1M tokens", ...describeTariff(tariff) };
}

/** As `describeTaskPrice`, by the table of its parameters. */
export function listedTaskPrice({ price, parameters }: TaskModel): Record<string, unknown> {
  return describeTaskPrice(price, TASK_TABLES.get(parameters as TaskTableId)?.parameters ?? {});
}

/**
 * The catalogue's own form (contract §12): amount per unit as a decimal or a table by a parameter,
 * times a quantity, times multipliers.
 */
function describeTaskPrice(
  price: TaskPrice,
  parameters: TaskTable["parameters"],
): Record<string, unknown> {
  return {
    currency: CURRENCY,
    unit: price.unit,
    quantity:
      price.quantity.kind === "parameter"
        ? price.quantity.parameter
        : decimalText(price.quantity.value),
    amount: describeAmount(price.amount),
    multiply: price.multiply.map(({ when, by }) => ({
      when: Object.fromEntries(
        [...when].map(([name, value]) => [name, asInBody(parameters[name], value)]),
      ),
      by: decimalText(by),
    })),
  };
}

/** As a body has it: true, not "true". */
function asInBody(parameter: TaskParameter | undefined, value: string): string | number | boolean {
  if (parameter?.kind === "number" || parameter?.kind === "integer") return Number(value);
  const isFlag =
    parameter?.kind === "flag" || (parameter?.kind === "objects" && parameter.orFlag === true);
  return isFlag ? value === "true" : value;
}

function describeAmount(table: AmountTable): unknown {
  if (table.kind === "amount") return formatRoubles(table.perUnitNano);
  return {
    by: table.parameter,
    values: Object.fromEntries(
      [...table.values].map(([value, inner]) => [value, describeAmount(inner)]),
    ),
  };
}
