/** Every price that the text of a catalogue has, with its cost: what the table of prices shows. */
import { unitOf } from "../contract/price/call-price-body.ts";
import type { PriceCell } from "../contract/price/price-cell.ts";
import { formatRoubles, type Nano } from "../kernel/money.ts";
import type { Catalogue, Model } from "./catalogue.ts";
import { partKey, partsOf } from "./compare-margins.ts";
import { dearest } from "./sold-part.ts";
import { costsOfAmounts } from "./task-margins.ts";
import { writtenPrices, type WrittenPrice } from "./written-prices.ts";

/** A catalogue and the text that it was compiled from. */
export interface Written {
  readonly source: string;
  readonly catalogue: Catalogue;
}

/** `inForce` null: there is nothing to compare with. */
export function priceCells({ source, catalogue }: Written, inForce: Written | null): PriceCell[] {
  const before = new Map(
    inForce === null
      ? []
      : writtenPrices(inForce.source, inForce.catalogue.models.values()).map((price) => [
          cellKey(price),
          price.amountNano,
        ]),
  );
  const costs = new Map<string, (price: WrittenPrice) => Nano | null>();
  return writtenPrices(source, catalogue.models.values()).flatMap((price): PriceCell[] => {
    const model = catalogue.models.get(price.model);
    if (model === undefined) return [];
    const costOf = costs.get(model.id) ?? costIn(catalogue, model);
    costs.set(model.id, costOf);
    const { tier, variant, kind, from, to, editable } = price;
    const was = before.get(cellKey(price));
    const cost = costOf(price);
    return [
      {
        model: model.id,
        type: model.type,
        tier,
        variant,
        kind,
        unit: unitIn(model),
        amount: formatRoubles(price.amountNano),
        before: was === undefined ? null : formatRoubles(was),
        cost: cost === null ? null : formatRoubles(cost),
        from,
        to,
        editable,
      },
    ];
  });
}

function cellKey({ model, tier, variant, kind }: WrittenPrice): string {
  return [model, tier, variant, kind].join("\n");
}

function unitIn(model: Model): string | null {
  if (model.type === "chat") return null;
  if (model.type === "task") return model.price.unit;
  const unit = unitOf(model.price);
  return unit === "1M tokens" ? null : unit;
}

function costIn(catalogue: Catalogue, model: Model): (price: WrittenPrice) => Nano | null {
  if (model.type !== "task") {
    const parts = partsOf(catalogue, model.id);
    return (price) => parts.get(partKey(price))?.kinds.get(price.kind)?.costNano ?? null;
  }
  const costs = costsOfAmounts(model);
  // One amount is paid in every choice that leads to it: the dearest of them decides.
  return ({ choice }) =>
    dearest(
      costs
        .filter((of) => Object.entries(choice).every(([name, value]) => of.choice[name] === value))
        .map(({ costNano }) => costNano),
    );
}
