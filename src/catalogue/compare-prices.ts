/**
 * Which prices a new catalogue changes, as requests meet them: also where a tier, a multiplier or a
 * price that is left out is what makes the difference.
 */
import { isBatchVariant, BATCH_VARIANT } from "../contract/price/batch-variant.ts";
import { CALL_TOKEN_KINDS, CALL_UNITS, type CallAmountKind } from "../contract/price/call-price.ts";
import { changeOf } from "../contract/price/change-of.ts";
import {
  EACH_KINDS,
  kindNano,
  TOKEN_KINDS,
  type ChatPrice,
  type TokenKind,
} from "../contract/price/chat-price.ts";
import { variantOf } from "../contract/price/chat-rate.ts";
import type { ToolCharge } from "../contract/price/chat-tariff.ts";
import type { PriceStep } from "../contract/price/price-step.ts";
import { formatRoubles, ZERO_NANO, type Nano } from "../kernel/money.ts";
import { VARIANT_FIELDS } from "../kernel/price-raises.ts";
import { imageAmounts, timesAll } from "./call-margins.ts";
import type { CallModel, Catalogue, ChatModel, Model } from "./catalogue.ts";
import { multiplied, rateIn, thresholdsOf, type Chosen } from "./chat-margins.ts";
import type { SoldPart } from "./sold-part.ts";
import { soldByBoth } from "./task-margins.ts";

interface Pair extends Pick<SoldPart, "tier" | "variant"> {
  readonly kind: string;
  readonly beforeNano: Nano;
  readonly afterNano: Nano;
}

/**
 * Of models that both sell, in the order of the new one. What one of them does not sell has no price
 * that could change. `before` is null where there is nothing to compare with.
 */
export function comparePrices(before: Catalogue | null, after: Catalogue): PriceStep[] {
  return [...after.models.values()].flatMap((now) => {
    const old = before?.models.get(now.id);
    const pairs = old === undefined ? [] : pairsOf(old, now);
    return changesOf(pairs).map((pair) => stepOf(now.id, pair));
  });
}

function pairsOf(old: Model, now: Model): Pair[] {
  if (old.type === "chat") return now.type === "chat" ? chatPairs(old, now) : [];
  if (old.type === "task")
    return now.type === "task"
      ? soldByBoth(old.price, now.price).map((pair) => ({ tier: null, variant: null, ...pair }))
      : [];
  return old.type === now.type ? callPairs(old, now) : [];
}

/**
 * What changes; a variant only where it does not change with its base, by the same share, as all do
 * that multiply it.
 */
function changesOf(pairs: readonly Pair[]): Pair[] {
  const bases = new Map(
    pairs
      .filter(({ variant }) => variant === null)
      .map((pair) => [`${pair.tier} ${pair.kind}`, pair]),
  );
  return pairs.filter(({ tier, kind, variant, beforeNano, afterNano }) => {
    if (beforeNano === afterNano) return false;
    const base = variant === null ? undefined : bases.get(`${tier} ${kind}`);
    if (base === undefined || base.beforeNano === base.afterNano || base.beforeNano === 0n)
      return true;
    return beforeNano * base.afterNano !== afterNano * base.beforeNano;
  });
}

function stepOf(model: string, { tier, variant, kind, beforeNano, afterNano }: Pair): PriceStep {
  const [before, after] = [formatRoubles(beforeNano), formatRoubles(afterNano)];
  return { model, tier, variant, kind, before, after, ...changeOf(beforeNano, afterNano) };
}

function chatPairs(old: ChatModel, now: ChatModel): Pair[] {
  const rates = [null, ...variantsOf(old, now)].flatMap((chosen) => {
    const lists = [old, now].map((tariff) => ({ tariff, chosen }));
    return [null, ...thresholdsOf(lists)].flatMap((tier): Pair[] => {
      const [was, is] = [old, now].map((tariff) => rateIn({ tariff, chosen }, (tier ?? 0) + 1));
      if (was === undefined || is === undefined) return [];
      const variant = chosen === null ? null : `${chosen.field}: ${chosen.value}`;
      const pair = (kind: string, beforeNano: Nano, afterNano: Nano): Pair => ({
        tier,
        variant,
        kind,
        beforeNano,
        afterNano,
      });
      const tokens = TOKEN_KINDS.filter((kind) => isSoldByBoth(was.price, is.price, kind));
      return [
        ...tokens.map((kind) =>
          pair(
            kind,
            multiplied(was, kindNano(was.price, kind)),
            multiplied(is, kindNano(is.price, kind)),
          ),
        ),
        ...EACH_KINDS.map((kind) => pair(kind, was.price[kind], is.price[kind])),
      ];
    });
  });
  return [...rates, ...toolPairs(old, now)];
}

/** A kind without a price is refused; images that are sent cost what input costs then. */
function isSoldByBoth(was: ChatPrice, is: ChatPrice, kind: TokenKind): boolean {
  const stated = [was, is].filter((price) => price[kind] !== undefined).length;
  return kind === "imageInput" ? stated > 0 : stated === 2;
}

/** That both sell; without a price for batches they are sold at the base. */
function variantsOf(old: ChatModel, now: ChatModel): Chosen[] {
  return VARIANT_FIELDS.flatMap((field) => {
    const values = [old, now].flatMap(({ surcharges }) => [
      ...(surcharges?.variants.get(field)?.keys() ?? []),
    ]);
    return [...new Set(values)]
      .filter(
        (value) =>
          isBatchVariant(field, value) ||
          [old, now].every((tariff) => variantOf(tariff, field, value) !== undefined),
      )
      .map((value) => ({ field, value }));
  });
}

function toolPairs(old: ChatModel, now: ChatModel): Pair[] {
  const names = new Set(
    [old, now].flatMap(({ surcharges }) => [...(surcharges?.tools.keys() ?? [])]),
  );
  return [...names].flatMap((tool) => {
    const [was, is] = [old, now].map((model) => chargeOf(model, tool));
    if (!was || !is) return [];
    return (["perCall", "perRequest"] as const).map((part) => ({
      tier: null,
      variant: "tools",
      kind: `${tool}.${part}`,
      beforeNano: was[part],
      afterNano: is[part],
    }));
  });
}

/** Null: it is refused. */
function chargeOf(
  { surcharges }: ChatModel,
  tool: string,
): Pick<ToolCharge, "perCall" | "perRequest"> | null {
  const charge = surcharges?.tools.get(tool);
  if (charge !== undefined) return charge;
  return surcharges?.free.has(tool) === true ? { perCall: ZERO_NANO, perRequest: ZERO_NANO } : null;
}

/** What a call costs of a kind that its price does not name, where it names this one. */
const OTHERWISE: Readonly<Partial<Record<CallAmountKind, CallAmountKind>>> = {
  cachedInput: "input",
  imageInput: "input",
  audioInput: "input",
  imageOutput: "output",
};

function callPairs(old: CallModel, now: CallModel): Pair[] {
  const { field, value } = BATCH_VARIANT;
  const inLines = old.price.batch !== undefined || now.price.batch !== undefined;
  return [null, ...(inLines ? [`${field}: ${value}`] : [])].flatMap((variant) => {
    const [was, is] = [old, now].map(({ price }) =>
      variant === null || price.batch === undefined ? price : timesAll(price, price.batch),
    );
    if (was === undefined || is === undefined) return [];
    const kinds = [...CALL_TOKEN_KINDS, ...CALL_UNITS].filter(
      (kind) => was.amounts.has(kind) || is.amounts.has(kind),
    );
    const images = variant === null ? imageAmounts(is) : new Map<string, Nano>();
    const known = imageAmounts(was);
    return [
      ...kinds.map((kind) => ({
        kind,
        beforeNano: amountOf(was, kind),
        afterNano: amountOf(is, kind),
      })),
      ...[...images].map(([kind, afterNano]) => ({ kind, beforeNano: known.get(kind), afterNano })),
    ].flatMap(({ kind, beforeNano, afterNano }) =>
      beforeNano === undefined || afterNano === undefined
        ? []
        : [{ tier: null, variant, kind, beforeNano, afterNano }],
    );
  });
}

function amountOf({ amounts }: CallModel["price"], kind: CallAmountKind): Nano | undefined {
  const otherwise = OTHERWISE[kind];
  return amounts.get(kind) ?? (otherwise === undefined ? undefined : amounts.get(otherwise));
}
