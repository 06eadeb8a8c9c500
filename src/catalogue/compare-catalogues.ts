/**
 * What a new catalogue changes against the one before it: for the operator's eye before and after
 * it is put in force.
 */
import { formatRoubles } from "../kernel/money.ts";
import { describeCallPrice } from "../contract/price/call-price-body.ts";
import { describeTariff } from "../contract/price/compile-tariff.ts";
import type { AmountTable, TaskPrice } from "../contract/price/task-price.ts";
import type { Catalogue, Model } from "./catalogue.ts";
import type { Decimal } from "../contract/price/decimal.ts";

export interface CatalogueChanges {
  readonly modelsAdded: readonly string[];
  readonly modelsRemoved: readonly string[];
  readonly pricesChanged: readonly PriceChange[];
  /** Models that changed in something else than their price. */
  readonly modelsChanged: readonly string[];
  readonly upstreamsAdded: readonly string[];
  readonly upstreamsRemoved: readonly string[];
  readonly upstreamsChanged: readonly string[];
  readonly familiesChanged: boolean;
  /** What receipts of top-ups say. */
  readonly receiptsChanged: boolean;
}

export interface PriceChange {
  readonly model: string;
  /** `input`, `output`, …; `price` for a task's table, which changes as one. */
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** `before` is null for the first catalogue. */
export function compareCatalogues(before: Catalogue | null, after: Catalogue): CatalogueChanges {
  const oldModels = before?.models ?? new Map<string, Model>();
  const oldUpstreams = before?.upstreams ?? new Map<string, never>();
  const kept = [...after.models.values()].flatMap((model) => {
    const old = oldModels.get(model.id);
    return old === undefined ? [] : [{ old, model }];
  });
  return {
    modelsAdded: missingIn(after.models, oldModels),
    modelsRemoved: missingIn(oldModels, after.models),
    pricesChanged: kept.flatMap(({ old, model }) => priceChanges(old, model)),
    modelsChanged: kept
      .filter(
        ({ old, model }) => fingerprint(withoutPrice(old)) !== fingerprint(withoutPrice(model)),
      )
      .map(({ model }) => model.id),
    upstreamsAdded: missingIn(after.upstreams, oldUpstreams),
    upstreamsRemoved: missingIn(oldUpstreams, after.upstreams),
    upstreamsChanged: [...after.upstreams]
      .filter(
        ([name, upstream]) =>
          oldUpstreams.has(name) && fingerprint(oldUpstreams.get(name)) !== fingerprint(upstream),
      )
      .map(([name]) => name),
    familiesChanged:
      before !== null && fingerprint(before.families) !== fingerprint(after.families),
    receiptsChanged:
      before !== null && fingerprint(before.receipts ?? []) !== fingerprint(after.receipts ?? []),
  };
}

/** One line per change; empty when nothing that matters changed. */
export function describeChanges(changes: CatalogueChanges): string[] {
  return [
    ...changes.modelsAdded.map((id) => `+ model ${id}`),
    ...changes.modelsRemoved.map((id) => `- model ${id}`),
    ...changes.pricesChanged.map(
      ({ model, field, before, after }) => `~ price of ${model}, ${field}: ${before} → ${after}`,
    ),
    ...changes.modelsChanged.map((id) => `~ model ${id}`),
    ...changes.upstreamsAdded.map((name) => `+ upstream ${name}`),
    ...changes.upstreamsRemoved.map((name) => `- upstream ${name}`),
    ...changes.upstreamsChanged.map((name) => `~ upstream ${name}`),
    ...(changes.familiesChanged ? ["~ families"] : []),
    ...(changes.receiptsChanged ? ["~ payments.receipts"] : []),
  ];
}

function missingIn(
  these: ReadonlyMap<string, unknown>,
  those: ReadonlyMap<string, unknown>,
): string[] {
  return [...these.keys()].filter((name) => !those.has(name));
}

function priceChanges(old: Model, model: Model): PriceChange[] {
  const before = describePrice(old);
  const after = describePrice(model);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap((field) => {
    const was = before[field] ?? "none";
    const is = after[field] ?? "none";
    return was === is ? [] : [{ model: model.id, field, before: was, after: is }];
  });
}

function withoutPrice(model: Model): object {
  return { ...model, price: null, tiers: null, surcharges: null };
}

function describePrice(model: Model): Record<string, string> {
  if (model.type === "task") return { price: describeTaskPrice(model.price) };
  return Object.fromEntries(
    flat("", model.type === "chat" ? describeTariff(model) : describeCallPrice(model.price)),
  );
}

/** By path: `input`, `tiers.above 128000.price.input`, `surcharges.speed.fast.multiply`. */
function flat(path: string, value: unknown): (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "string"))
      return value.length === 0 ? [] : [[path, value.join(", ")]];
    return value.flatMap(({ abovePromptTokens, ...rest }: Record<string, unknown>) =>
      flat(`${path}.above ${String(abovePromptTokens)}`, rest),
    );
  }
  return Object.entries(value).flatMap(([name, inner]) =>
    flat(path === "" ? name : `${path}.${name}`, inner),
  );
}

/**
 * One line such as `duration × resolution(480p 4, 720p 8) per second, × 2 when generateAudio=true`.
 */
function describeTaskPrice(price: TaskPrice): string {
  const quantity =
    price.quantity.kind === "parameter"
      ? price.quantity.parameter
      : decimalText(price.quantity.value);
  const factors = price.multiply.map(
    ({ when, by }) =>
      `, × ${decimalText(by)} when ${[...when].map(([name, value]) => `${name}=${value}`).join(" and ")}`,
  );
  return `${quantity} × ${tableText(price.amount)} per ${price.unit}${factors.join("")}`;
}

function tableText(table: AmountTable): string {
  if (table.kind === "amount") return formatRoubles(table.perUnitNano);
  return `${table.parameter}(${[...table.values].map(([value, inner]) => `${value} ${tableText(inner)}`).join(", ")})`;
}

function decimalText({ digits, scale }: Decimal): string {
  const text = digits.toString().padStart(scale + 1, "0");
  return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** Equal values have equal fingerprints: plain data, bigints and maps. */
function fingerprint(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint") return `${part}n`;
    return part instanceof Map || part instanceof Set ? [...part] : part;
  });
}
