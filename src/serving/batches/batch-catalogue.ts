/**
 * The catalogue that the lines of a batch run by: models and routes as they are now, at the prices
 * of the version that admitted the batch.
 */
import type { CallModel, Catalogue, ChatModel, Model } from "../../catalogue/catalogue.ts";
import { inBatches } from "../../contract/price/call-price.ts";

export interface VersionedCatalogue {
  readonly version: number;
  readonly catalogue: Catalogue;
}

/** What a batch is quoted by that is admitted now: calls at their prices for batches. */
export function atBatchPrices({ version, catalogue }: VersionedCatalogue): VersionedCatalogue {
  const models = [...catalogue.models].map(([id, model]): [string, Model] => [
    id,
    isCall(model) ? callAtPriceOf(model, model) : model,
  ]);
  return { version, catalogue: { ...catalogue, models: new Map(models) } };
}

/** `then`: what was in force when the batch was admitted. */
export function createBatchCatalogue(
  now: { current(): VersionedCatalogue },
  then: VersionedCatalogue,
): { current(): VersionedCatalogue } {
  let made: { readonly of: VersionedCatalogue; readonly mixed: VersionedCatalogue } | null = null;
  return {
    current() {
      const of = now.current();
      if (made?.of !== of) made = { of, mixed: mix(of, then) };
      return made.mixed;
    },
  };
}

function mix(now: VersionedCatalogue, then: VersionedCatalogue): VersionedCatalogue {
  if (now.version === then.version) return atBatchPrices(now);
  const models = [...now.catalogue.models].flatMap(([id, model]): [string, Model][] => {
    const admitted = then.catalogue.models.get(id);
    if (admitted === undefined) return [];
    if (model.type === "chat")
      return admitted.type === "chat" ? [[id, atPricesOf(model, admitted)]] : [];
    return isCall(model) && isCall(admitted) && model.type === admitted.type
      ? [[id, callAtPriceOf(model, admitted)]]
      : [];
  });
  return {
    version: then.version,
    // A family's id means what it meant when its price was quoted.
    catalogue: { ...now.catalogue, families: then.catalogue.families, models: new Map(models) },
  };
}

function isCall(model: Model): model is CallModel {
  return model.type !== "chat" && model.type !== "task";
}

function callAtPriceOf(model: CallModel, { price }: CallModel): CallModel {
  return { ...model, price: inBatches(price) };
}

function atPricesOf(model: ChatModel, admitted: ChatModel): ChatModel {
  const { tiers: _tiers, surcharges: _surcharges, ...rest } = model;
  const { price, tiers, surcharges } = admitted;
  return {
    ...rest,
    price,
    ...(tiers === undefined ? {} : { tiers }),
    ...(surcharges === undefined ? {} : { surcharges }),
  };
}
