/**
 * What of a request's surcharges counts when its answer is there: what the answer says, or where it
 * is silent what was asked for (contract §12).
 */
import type { UsedRaises, VariantField } from "../../kernel/price-raises.ts";
import { VARIANT_FIELDS } from "../../kernel/price-raises.ts";
import type { AskedRaises, AskedTool } from "./asked-raises.ts";
import { isBatchVariant } from "./batch-variant.ts";
import { variantOf } from "./chat-rate.ts";
import type { ChatTariff, ChatUse } from "./chat-tariff.ts";

export interface ResolvedUse {
  /** What the customer is charged for; null: tokens alone. */
  readonly charged: ChatUse | null;
  /** What the upstream did, as far as it is known: what the operator's cost is for. */
  readonly done: ChatUse | null;
  /**
   * For the receipt; those of which neither the request nor the answer says anything are left out.
   */
  readonly variants: readonly VariantUse[];
}

export interface VariantUse {
  readonly field: VariantField;
  /** Null: not asked for. */
  readonly asked: string | null;
  /**
   * Where the answer is silent, as asked; null where it went to an upstream that was not told of
   * it.
   */
  readonly used: string | null;
  /** The answer does not say it. */
  readonly unconfirmed?: true;
}

/** They make a request dearer wherever they are known. */
export const ALWAYS_DEARER: ReadonlySet<string> = new Set(["priority", "fast", "us"]);

export const TOKENS_ALONE: ResolvedUse = { charged: null, done: null, variants: [] };

/**
 * Whether tokens alone count for an answer to a request that asks for nothing dearer: what it tells
 * of its ordinary service is no matter.
 */
export function isOrdinary(
  sold: ChatTariff,
  cost: ChatTariff | null,
  { variants, toolCalls }: UsedRaises,
): boolean {
  if (!isEmpty(toolCalls)) return false;
  for (const field of VARIANT_FIELDS) {
    const reported = variants[field];
    if (reported === undefined) continue;
    if (ALWAYS_DEARER.has(reported) || variantOf(sold, field, reported) !== undefined) return false;
    if (cost !== null && variantOf(cost, field, reported) !== undefined) return false;
  }
  return true;
}

function isEmpty(calls: UsedRaises["toolCalls"]): boolean {
  for (const tool in calls) if (Object.hasOwn(calls, tool)) return false;
  return true;
}

/**
 * `translated`: the request was put into another protocol on its way, so variants and tools were
 * left out.
 */
export function resolveUse(
  tariff: ChatTariff,
  asked: AskedRaises | null,
  used: UsedRaises,
  translated: boolean,
): ResolvedUse {
  const variants = VARIANT_FIELDS.flatMap((field) => variantUse(field, asked, used, translated));
  const charged = Object.fromEntries(
    variants.flatMap((use) => {
      const value = chargedValue(tariff, use);
      return value === null ? [] : [[use.field, value] as const];
    }),
  );
  const done = Object.fromEntries(
    variants.flatMap((use) => {
      const did = doneValue(use, used);
      return did === null ? [] : [[use.field, did] as const];
    }),
  );
  const tools = (asked?.tools ?? []).flatMap((tool) => toolUse(tool, used, translated));
  return {
    charged: useOf(charged, Object.fromEntries(tools)),
    done: useOf(done, { ...Object.fromEntries(tools), ...used.toolCalls }),
    // What an upstream says of its ordinary service is nothing that a receipt has to tell.
    variants: variants.filter(
      ({ field, asked: wanted, used: served }) =>
        wanted !== null || variantOf(tariff, field, served ?? "") !== undefined,
    ),
  };
}

function variantUse(
  field: VariantField,
  asked: AskedRaises | null,
  used: UsedRaises,
  translated: boolean,
): VariantUse[] {
  const wanted = asked?.variants.find((variant) => variant.field === field)?.value ?? null;
  if (wanted !== null && isBatchVariant(field, wanted))
    return [{ field, asked: wanted, used: wanted }];
  const reported = used.variants[field] ?? null;
  if (reported !== null) return [{ field, asked: wanted, used: reported }];
  if (wanted === null) return [];
  return [
    translated
      ? { field, asked: wanted, used: null }
      : { field, asked: wanted, used: wanted, unconfirmed: true },
  ];
}

/** A batch is our own price: its upstream served the line as it says. */
function doneValue({ field, used: served }: VariantUse, used: UsedRaises): string | null {
  return served !== null && isBatchVariant(field, served) ? (used.variants[field] ?? null) : served;
}

/**
 * What was asked for and served; or what was served instead, where no dearer than the base. Never
 * what the caller did not ask for.
 */
function chargedValue(tariff: ChatTariff, { field, asked, used }: VariantUse): string | null {
  if (asked === null || used === null) return null;
  if (asked === used) return used;
  const variant = variantOf(tariff, field, used);
  return variant?.kind === "multiply" && variant.by.digits <= 10n ** BigInt(variant.by.scale)
    ? used
    : null;
}

/** An upstream that was not told of a tool has not run it. */
function toolUse(
  { tool, maxUses, silentCalls }: AskedTool,
  { toolCalls }: UsedRaises,
  translated: boolean,
): (readonly [string, number])[] {
  const reported = toolCalls[tool];
  if (reported === 0 || (reported === undefined && translated)) return [];
  return [[tool, Math.min(reported ?? silentCalls, maxUses ?? Infinity)]];
}

function useOf(variants: ChatUse["variants"], tools: ChatUse["tools"]): ChatUse | null {
  return Object.keys(variants).length === 0 && Object.keys(tools).length === 0
    ? null
    : { variants, tools };
}
