/** A catalogue in which nothing is served but over one route. */
import type { Catalogue, Model } from "../../../catalogue/catalogue.ts";
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
  const isIt = (route: { readonly upstream: string; readonly model: string }): boolean =>
    route.upstream === name && route.model === called;
  const models = [...catalogue.models].flatMap(([id, model]): [string, Model][] => {
    if (model.type === "task") return [];
    const kept =
      model.type === "chat"
        ? {
            ...model,
            routes: model.routes
              .filter(isIt)
              .map((route) => ({ ...route, cost: batchCost(route.cost) })),
          }
        : // What a route of calls takes for a batch the catalogue has no word for.
          {
            ...model,
            routes: model.routes.filter(isIt).map((route) => ({ ...route, cost: null })),
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
