/**
 * The service tier that is the price of a batch: it is asked for by its own endpoint, never by a
 * field, so no answer of an upstream says whether it counts.
 */
import type { VariantField } from "../../kernel/price-raises.ts";
import type { AskedRaises } from "./asked-raises.ts";
import { variantOf } from "./chat-rate.ts";
import type { ChatTariff } from "./chat-tariff.ts";

export const BATCH_VARIANT = { field: "serviceTier", value: "batch" } as const;

export function isBatchVariant(field: VariantField, value: string): boolean {
  return field === BATCH_VARIANT.field && value === BATCH_VARIANT.value;
}

/**
 * Null where the catalogue has no price for batches of this model: its base counts, since a line
 * takes of the upstream what an ordinary request takes.
 */
export function batchRaises(tariff: ChatTariff, asked: AskedRaises | null): AskedRaises | null {
  const { field, value } = BATCH_VARIANT;
  if (variantOf(tariff, field, value) === undefined) return asked;
  const { variants, tools, media } = asked ?? { variants: [], tools: [], media: [] };
  return { variants: [...variants, { field, value }], tools, media };
}
