/** A catalogue in which nothing is served but over one route. */
import type { Catalogue, Model } from "../../../catalogue/catalogue.ts";
import { BATCH_VARIANT } from "../../../contract/price/batch-variant.ts";
import { inBatches } from "../../../contract/price/call-price.ts";
import { costKey } from "../../../contract/price/cost-of-chat.ts";
import type { VersionedCatalogue } from "../batch-catalogue.ts";
import type { PassRoute } from "./assign-passes.ts";
import { batchCost } from "./batch-cost.ts";

/** Null where there is no such route any more. */
export function onlyRoute(
  { version, catalogue }: VersionedCatalogue,
  { upstream: name, model: called }: PassRoute,
): VersionedCatalogue | null {
  const upstream = catalogue.upstreams.get(name);
  if (upstream === undefined) return null;
  const { field, value } = BATCH_VARIANT;
  const lacks = { costLacks: costKey(field, value) };
  const isIt = (route: { readonly upstream: string; readonly model: string }): boolean =>
    route.upstream === name && route.model === called;
  const models = [...catalogue.models].flatMap(([id, model]): [string, Model][] => {
    if (model.type === "task") return [];
    const kept =
      model.type === "chat"
        ? {
            ...model,
            routes: model.routes.filter(isIt).map((route) => {
              const cost = batchCost(route.cost);
              return { ...route, cost, ...(route.cost !== null && cost === null ? lacks : {}) };
            }),
          }
        : {
            ...model,
            routes: model.routes.filter(isIt).map((route) => {
              if (route.cost === null) return route;
              const known = route.cost.batch !== undefined;
              return known
                ? { ...route, cost: inBatches(route.cost) }
                : { ...route, cost: null, ...lacks };
            }),
          };
    return kept.routes.length === 0 ? [] : [[id, kept]];
  });
  if (models.length === 0) return null;
  const only: Catalogue = {
    ...catalogue,
    upstreams: new Map([[name, upstream]]),
    models: new Map(models),
  };
  return { version, catalogue: only };
}
