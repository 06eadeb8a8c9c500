/** Everything that the account can call, at the prices in force, with the forms of task models. */
import { CALL_ENDPOINTS_OF } from "../../../contract/enums/call-endpoint.ts";
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { CallPrice } from "../../../contract/price/call-price.ts";
import { priceRows } from "../../../contract/price/price-call.ts";
import type { AmountTable, TaskPrice } from "../../../contract/price/task-price.ts";
import type { Catalogue, Model } from "../../../catalogue/catalogue.ts";
import { describeTariff } from "../../../contract/price/compile-tariff.ts";
import { decimalText } from "../../../contract/price/decimal.ts";
import type { PanelModel, PanelModelList } from "../../../contract/panel/panel-model.ts";
import type { TaskTableId } from "../../../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../../contract/tasks/task-tables.ts";
import { assert } from "../../../kernel/assert.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { taskForm } from "./task-form.ts";

type PanelTaskPrice = Extract<PanelModel["price"], { kind: "task" }>;

/** In the catalogue's order. */
export function listAccountModels({
  version,
  catalogue,
}: {
  readonly version: number;
  readonly catalogue: Catalogue;
}): PanelModelList {
  const { prefix, tiers } = catalogue.families;
  return {
    priceVersion: version,
    currency: CURRENCY,
    data: [...catalogue.models.values()].map((model) => {
      const aliases = tiers
        .filter((tier) => tier.model === model.id)
        .map(({ match }) => `${prefix}-*${match}*`);
      return { ...describe(model), displayName: model.displayName ?? model.id, aliases };
    }),
  };
}

function describe(model: Model): Omit<PanelModel, "aliases" | "displayName"> {
  if (model.type === "chat") {
    const { id, type, endpoints, contextTokens, maxOutputTokens } = model;
    const price = { kind: "chat" as const, ...describeTariff(model) };
    return {
      id,
      type,
      endpoints: [...endpoints],
      contextTokens,
      maxOutputTokens,
      price,
      form: null,
    };
  }
  if (model.type !== "task") {
    const { id, type, contextTokens = null } = model;
    return {
      id,
      type,
      endpoints: [...CALL_ENDPOINTS_OF[type]],
      contextTokens,
      maxOutputTokens: null,
      price: describeCall(model.price),
      form: null,
    };
  }
  const table = TASK_TABLES.get(model.parameters as TaskTableId);
  assert(table !== undefined, "the catalogue names tables that exist");
  const { id, type, deadlineSeconds } = model;
  const price = describeTaskPrice(model.price);
  return {
    id,
    type,
    endpoints: ["tasks"],
    contextTokens: null,
    maxOutputTokens: null,
    price,
    form: taskForm(table, deadlineSeconds),
  };
}

function describeCall(price: CallPrice): Extract<PanelModel["price"], { kind: "call" }> {
  const rows = priceRows(price).map(({ unitNano, ...row }) => ({
    ...row,
    when: {},
    amount: formatRoubles(unitNano),
  }));
  const images = price.image === undefined ? [] : amountRows(price.image, {});
  return {
    kind: "call",
    rows: [...rows, ...images.map((row) => ({ what: "image", per: "each" as const, ...row }))],
    ...(price.batch === undefined ? {} : { batch: decimalText(price.batch) }),
  };
}

function describeTaskPrice({ unit, quantity, amount, multiply }: TaskPrice): PanelTaskPrice {
  return {
    kind: "task",
    unit,
    quantity: quantity.kind === "parameter" ? quantity.parameter : decimalText(quantity.value),
    amounts: amountRows(amount, {}),
    multiply: multiply.map(({ when, by }) => ({
      when: Object.fromEntries(when),
      by: decimalText(by),
    })),
  };
}

/** A nested table, flat: one row for each way through it. */
function amountRows(
  table: AmountTable,
  when: Readonly<Record<string, string>>,
): PanelTaskPrice["amounts"] {
  if (table.kind === "amount")
    return [{ when: { ...when }, amount: formatRoubles(table.perUnitNano) }];
  return [...table.values].flatMap(([value, inner]) =>
    amountRows(inner, { ...when, [table.parameter]: value }),
  );
}
