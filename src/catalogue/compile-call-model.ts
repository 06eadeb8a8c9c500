/** Makes a model of a kind of call that is no chat of what the file says of it. */
import type { CallAmountKind, CallPrice } from "../contract/price/call-price.ts";
import type { AmountTable } from "../contract/price/task-price.ts";
import { parseDecimal } from "../contract/price/decimal.ts";
import { assert } from "../kernel/assert.ts";
import { parseRoubles, type Nano } from "../kernel/money.ts";
import {
  IMAGE_PARAMETERS,
  type WrittenCallModel,
  type WrittenImage,
  type WrittenImageValues,
} from "./call-model-schema.ts";
import type { CallModel, CallRoute } from "./catalogue.ts";
import { wholeOf } from "./read-by-schema.ts";
import type { Draft, Found } from "./schema-parts.ts";

/** Undefined after a mistake. Its routes were checked before. */
export function compileCallModel(
  draft: Draft<WrittenCallModel>,
  id: string,
  { at, reader }: Found,
): CallModel | undefined {
  const before = reader.gaps();
  checkImage(draft.price?.image, { at: reader.child(at, "price", "image"), reader });
  draft.routes?.forEach((route, index) =>
    checkImage(route?.cost?.image, {
      at: reader.child(at, "routes", index, "cost", "image"),
      reader,
    }),
  );
  const written = wholeOf<WrittenCallModel>(draft);
  if (written === undefined || reader.gaps() > before) return undefined;
  const { surcharges, ...model } = written;
  const routes = model.routes.map(({ cost, costSurcharges, ...route }): CallRoute => ({
    ...route,
    cost: cost === undefined ? null : { ...compilePrice(cost), ...compileBatch(costSurcharges) },
  }));
  const price = { ...compilePrice(model.price), ...compileBatch(surcharges) };
  return { ...model, id, price, routes };
}

function compilePrice({ image, ...amounts }: WrittenCallModel["price"]): CallPrice {
  const pairs = Object.entries(amounts).map(([kind, text]): [CallAmountKind, Nano] => {
    const amount = parseRoubles(text);
    assert(amount !== null, "an amount was read as roubles");
    return [kind as CallAmountKind, amount];
  });
  return {
    amounts: new Map(pairs),
    ...(image === undefined ? {} : { image: compileImage(image) }),
  };
}

function compileBatch(surcharges: WrittenCallModel["surcharges"]): Pick<CallPrice, "batch"> {
  if (surcharges === undefined) return {};
  const batch = parseDecimal(surcharges.serviceTier.batch.multiply);
  assert(batch !== null, "a factor was read as a decimal");
  return { batch };
}

function compileImage(image: WrittenImage): AmountTable {
  if (typeof image === "bigint") return { kind: "amount", perUnitNano: image };
  const [first = IMAGE_PARAMETERS[0], second] = image.by;
  const values = [...image.values].map(([value, inner]): [string, AmountTable] => [
    value,
    compileInner(inner, second),
  ]);
  return { kind: "by", parameter: first, values: new Map(values) };
}

function compileInner(
  inner: Nano | ReadonlyMap<string, Nano>,
  parameter: string | undefined,
): AmountTable {
  if (typeof inner === "bigint" || parameter === undefined)
    return { kind: "amount", perUnitNano: inner as Nano };
  const values = [...inner].map(([value, perUnitNano]): [string, AmountTable] => [
    value,
    { kind: "amount", perUnitNano },
  ]);
  return { kind: "by", parameter, values: new Map(values) };
}

/** Each parameter once, and for each value as deep a table as there are parameters. */
function checkImage(image: Draft<WrittenImage> | undefined, { at, reader }: Found): void {
  if (image === undefined || typeof image === "bigint") return;
  const { by = [], values } = image;
  const place = reader.child(at, "by");
  const doubled = by.find((name, index) => name !== undefined && by.indexOf(name) < index);
  if (doubled !== undefined) reader.note(place, "parameter_twice", { parameter: doubled });
  for (const [value, inner] of values ?? new Map<string, Draft<WrittenImageValues>>()) {
    const isTable = typeof inner === "object";
    if (inner !== undefined && by.length > 0 && isTable !== by.length > 1)
      reader.note(reader.child(at, "values", value), "table_depth", { by: by.length });
  }
}
