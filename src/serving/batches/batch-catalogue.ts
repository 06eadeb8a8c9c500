/**
 * The catalogue that the lines of a batch run by: models and routes as they are now, at the prices
 * of the version that admitted the batch.
 */
import type { Catalogue, ChatModel, Model } from "../../catalogue/catalogue.ts";

interface VersionedCatalogue {
  readonly version: number;
  readonly catalogue: Catalogue;
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
  if (now.version === then.version) return now;
  const models = [...now.catalogue.models].flatMap(([id, model]): [string, Model][] => {
    const admitted = then.catalogue.models.get(id);
    return model.type === "chat" && admitted?.type === "chat"
      ? [[id, atPricesOf(model, admitted)]]
      : [];
  });
  return {
    version: then.version,
    // A family's id means what it meant when its price was quoted.
    catalogue: { ...now.catalogue, families: then.catalogue.families, models: new Map(models) },
  };
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
