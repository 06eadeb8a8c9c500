/** A catalogue held against what an upstream lists: what is new, gone, or has another cost. */
import { changeOf } from "../contract/price/change-of.ts";
import { multiply, type Decimal } from "../contract/price/decimal.ts";
import type { ListedCost, UpstreamListed } from "../contract/panel/upstream-list.ts";
import { divideUp, formatRoubles, nano, NANO_PER_ROUBLE, type Nano } from "../kernel/money.ts";
import type { SignedDecimal } from "../protocol/json/decimal-of.ts";
import type { ListedKind, ListedModel } from "../protocol/model-list/read-model-list.ts";
import type { Written } from "./price-cells.ts";
import { proposedModel } from "./proposed-model.ts";
import { HIGHEST_NANO } from "./single-values.ts";
import { writtenRoutes, type WrittenRoute } from "./written-costs.ts";

export interface ListTerms {
  readonly upstream: string;
  /** Roubles for a dollar; null: its prices are not counted by. */
  readonly rate: Decimal | null;
  /** In percent, of the price of a new model on its cost. */
  readonly markup: Decimal;
  /** There is more of the list than this. */
  readonly partial: boolean;
}

type Compared = Pick<UpstreamListed, "costs" | "fresh" | "gone" | "odd" | "endOfModels">;

/** What a million of tokens, or one request, costs in roubles. */
export type ListedCosts = ReadonlyMap<ListedKind, Nano>;

export function compareWithList(
  { source, catalogue }: Written,
  listed: readonly ListedModel[],
  terms: ListTerms,
): Compared {
  const { routes, endOfModels } = writtenRoutes(source, catalogue);
  const own = routes.filter(({ upstream }) => upstream === terms.upstream);
  const odd: { id: string; fields: string[] }[] = [];
  const reported = new Map(
    listed.map((model) => {
      const { costs, absurd } = costsOf(model, terms.rate);
      const fields = [...model.odd, ...absurd];
      if (fields.length > 0) odd.push({ id: model.id, fields });
      return [model.id, { model, costs }] as const;
    }),
  );
  const used = new Set(own.map(({ upstreamModel }) => upstreamModel));
  const taken = (id: string): boolean => catalogue.models.has(id);
  return {
    costs: own.flatMap((route) => {
      const costs = reported.get(route.upstreamModel)?.costs;
      return costs === undefined || route.type === "task" ? [] : changedCosts(route, costs);
    }),
    fresh: [...reported.values()]
      .filter(({ model }) => !used.has(model.id))
      .map(({ model, costs }) => {
        const { id, name, contextTokens } = model;
        return {
          id,
          name,
          contextTokens,
          input: amountText(costs.get("input")),
          output: amountText(costs.get("output")),
          text: taken(id) ? null : proposedModel(model, costs, terms),
        };
      }),
    gone: terms.partial
      ? []
      : own
          .filter(({ upstreamModel }) => !reported.has(upstreamModel))
          .map(({ model, upstreamModel, line }) => ({ model, upstreamModel, line })),
    odd,
    endOfModels,
  };
}

function amountText(amount: Nano | undefined): string | null {
  return amount === undefined ? null : formatRoubles(amount);
}

function changedCosts(route: WrittenRoute, costs: ListedCosts): ListedCost[] {
  const { model, upstreamModel, line } = route;
  return [...costs].flatMap(([kind, afterNano]): ListedCost[] => {
    const written = route.costs.get(kind);
    const head = { model, upstreamModel, kind, after: formatRoubles(afterNano), line };
    if (written === undefined)
      return isCountedBy(route, kind)
        ? [
            {
              ...head,
              before: null,
              percent: null,
              big: false,
              from: null,
              to: null,
              editable: false,
            },
          ]
        : [];
    const { amountNano, from, to, editable } = written;
    if (amountNano === afterNano) return [];
    const before = formatRoubles(amountNano);
    return [{ ...head, before, ...changeOf(amountNano, afterNano), from, to, editable }];
  });
}

/** A call is paid by one form of a price: what its cost does not name says nothing of it. */
function isCountedBy({ type }: WrittenRoute, kind: ListedKind): boolean {
  return type === "chat" || kind === "input";
}

const MILLION = 1_000_000n;

function costsOf(
  { prices }: ListedModel,
  rate: Decimal | null,
): { readonly costs: ListedCosts; readonly absurd: readonly string[] } {
  const costs = new Map<ListedKind, Nano>();
  const absurd: string[] = [];
  if (rate !== null)
    for (const [kind, price] of prices) {
      const cost = inRoubles(price, rate, kind === "request" ? 1n : MILLION);
      if (cost > HIGHEST_NANO) absurd.push(kind);
      else costs.set(kind, nano(cost));
    }
  return { costs, absurd };
}

/** Rounded up: no cost is taken for less than it is. */
function inRoubles(price: SignedDecimal, rate: Decimal, times: bigint): bigint {
  const { digits, scale } = multiply(price, rate);
  return divideUp(digits * times * NANO_PER_ROUBLE, 10n ** BigInt(scale));
}
