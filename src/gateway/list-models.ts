/** The models that a key may use, with the price in force: what `GET /v1/models` shows (contract §5). */
import type { AmountTable, Catalogue, ChatPrice, Model, TaskPrice } from "../catalogue/catalogue.ts";
import { decimalText } from "../catalogue/decimal.ts";
import { describeChatPrice } from "../catalogue/describe-price.ts";
import { familyModel } from "../catalogue/family-model.ts";
import { formatRoubles } from "../kernel/money.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import { mayUseModel } from "./authenticate.ts";

export interface ListedModel {
  readonly id: string;
  readonly type: "chat" | "task";
  readonly endpoints: readonly string[];
  /** Of a task model: `T1` … `T19`. */
  readonly parameters: string | null;
  /** Decimal roubles; always has `currency` and `unit`. */
  readonly price: Readonly<Record<string, unknown>>;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly displayName: string;
  /** The epoch where the catalogue does not say, as the Messages API documents it. */
  readonly createdAt: Date;
}

const UNKNOWN_DATE = new Date(0);

/** In the catalogue's order. */
export function listModels(catalogue: Catalogue, key: Pick<KeyRecord, "models">): ListedModel[] {
  return [...catalogue.models.values()].filter((model) => mayUseModel(key, model.id)).map(describe);
}

/**
 * A family id finds the model that it stands for. Null when there is no such model or the key may not use it: the two look the same.
 */
export function findListedModel(catalogue: Catalogue, key: Pick<KeyRecord, "models">, id: string): ListedModel | null {
  const model = catalogue.models.get(id) ?? catalogue.models.get(familyModel(catalogue.families, id) ?? id);
  return model === undefined || !mayUseModel(key, model.id, id) ? null : describe(model);
}

function describe(model: Model): ListedModel {
  const head = { id: model.id, type: model.type, displayName: model.displayName ?? model.id, createdAt: model.createdAt ?? UNKNOWN_DATE };
  if (model.type === "chat") {
    return {
      ...head,
      endpoints: model.endpoints,
      parameters: null,
      price: listedChatPrice(model.price),
      contextTokens: model.contextTokens,
      maxOutputTokens: model.maxOutputTokens,
    };
  }
  return {
    ...head,
    endpoints: ["tasks"],
    parameters: model.parameters,
    price: describeTaskPrice(model.price),
    contextTokens: null,
    maxOutputTokens: null,
  };
}

/** With the currency and the unit, all fields. */
export function listedChatPrice(price: ChatPrice): Readonly<Record<string, string>> {
  return { currency: "RUB", unit: "1M tokens", ...describeChatPrice(price) };
}

/** The catalogue's own form (contract §12): amount per unit as a decimal or a table by a parameter, times a quantity, times multipliers. */
function describeTaskPrice(price: TaskPrice): Record<string, unknown> {
  return {
    currency: "RUB",
    unit: price.unit,
    quantity: price.quantity.kind === "parameter" ? price.quantity.parameter : decimalText(price.quantity.value),
    amount: describeAmount(price.amount),
    multiply: price.multiply.map(({ when, by }) => ({ when: Object.fromEntries(when), by: decimalText(by) })),
  };
}

function describeAmount(table: AmountTable): unknown {
  if (table.kind === "amount") return formatRoubles(table.perUnitNano);
  return { by: table.parameter, values: Object.fromEntries([...table.values].map(([value, inner]) => [value, describeAmount(inner)])) };
}
