/**
 * What every model, tier and variant leaves when its upstream is paid: before a catalogue and after
 * it.
 */
import type { MarginLine, MarginRow } from "../contract/price/margin.ts";
import { isBelowCost, marginOf } from "../contract/price/margin-of.ts";
import type { Catalogue, Model } from "./catalogue.ts";
import { callMargins } from "./call-margins.ts";
import { chatMargins } from "./chat-margins.ts";
import type { HasBatches, SoldPart } from "./sold-part.ts";
import { taskMargins } from "./task-margins.ts";

/**
 * In the order of the new catalogue, models that are gone last. `before` is null where there is
 * nothing to compare with.
 */
export function compareMargins(before: Catalogue | null, after: Catalogue): MarginRow[] {
  const gone = [...(before?.models.values() ?? [])].filter(({ id }) => !after.models.has(id));
  return [...after.models.values(), ...gone].flatMap(({ id, type }) => {
    const [old, now] = [partsOf(before, id), partsOf(after, id)];
    const keys = [...new Set([...now.keys(), ...old.keys()])];
    return keys.map((key) => rowOf({ model: id, type }, old.get(key), now.get(key)));
  });
}

/** By tier and variant. */
export function partsOf(catalogue: Catalogue | null, id: string): ReadonlyMap<string, SoldPart> {
  const model = catalogue?.models.get(id);
  if (catalogue === null || model === undefined) return new Map();
  const parts = soldParts(model, (upstream) => catalogue.upstreams.get(upstream)?.batches === true);
  return new Map(parts.map((part) => [partKey(part), part]));
}

export function partKey({ tier, variant }: Pick<SoldPart, "tier" | "variant">): string {
  return `${tier} ${variant}`;
}

function soldParts(model: Model, hasBatches: HasBatches): SoldPart[] {
  if (model.type === "chat") return chatMargins(model, hasBatches);
  return model.type === "task" ? taskMargins(model) : callMargins(model, hasBatches);
}

function rowOf(
  head: Pick<MarginRow, "model" | "type">,
  old: SoldPart | undefined,
  now: SoldPart | undefined,
): MarginRow {
  const kinds = [...new Set([...(now?.kinds.keys() ?? []), ...(old?.kinds.keys() ?? [])])];
  const lines = kinds.map((kind): MarginLine => {
    const [before, after] = [old?.kinds.get(kind) ?? null, now?.kinds.get(kind) ?? null];
    return {
      kind,
      before: before === null ? null : marginOf(before),
      after: after === null ? null : marginOf(after),
      belowCost: isBelowCost(after),
    };
  });
  const { tier = null, variant = null } = now ?? old ?? {};
  return { ...head, tier, variant, lines, belowCost: lines.some(({ belowCost }) => belowCost) };
}
