/** The routes that can serve a model of calls, made ready once per catalogue for all requests. */
import type { CallModel, CallRoute, Catalogue } from "../../catalogue/catalogue.ts";
import { readyRoute, type ReadyRoute } from "../routing/route-selection.ts";

export interface ReadyCallRoute extends ReadyRoute {
  readonly route: CallRoute;
}

export interface CallRoutes {
  of(catalogue: Catalogue, model: CallModel): readonly ReadyCallRoute[];
}

/** `credential`: its value, by the name that the catalogue has; undefined when it is not set. */
export function createCallRoutes(credential: (name: string) => string | undefined): CallRoutes {
  const ready = new WeakMap<CallModel, readonly ReadyCallRoute[]>();
  return {
    of(catalogue, model) {
      let routes = ready.get(model);
      if (routes === undefined) {
        routes = model.routes.flatMap((route) => {
          const upstream = catalogue.upstreams.get(route.upstream);
          return upstream === undefined ? [] : [readyRoute(route, upstream, credential)];
        });
        ready.set(model, routes);
      }
      return routes;
    },
  };
}
