/** The routes that can serve a chat model, made ready once per catalogue for all requests. */
import type { Catalogue, ChatModel, Route } from "../../catalogue/catalogue.ts";
import { readyRoute, type ReadyRoute } from "../routing/route-selection.ts";
import { chatUpstreamOf, type ChatUpstream, type ChatUpstreams } from "./chat-upstream.ts";

export interface ChatRoute extends ReadyRoute {
  readonly route: Route;
  readonly port: ChatUpstream;
}

export interface ChatRoutesDeps {
  readonly upstreams: ChatUpstreams;
  /**
   * The value of a credential that the catalogue names; undefined when it is not set. Asked once
   * per catalogue.
   */
  credential(name: string): string | undefined;
}

export interface ChatRoutes {
  of(asked: { readonly catalogue: Catalogue; readonly model: ChatModel }): readonly ChatRoute[];
}

export function createChatRoutes(deps: ChatRoutesDeps): ChatRoutes {
  /** By model, of the catalogue that was asked for last. */
  let ready: {
    readonly catalogue: Catalogue;
    readonly routes: Map<ChatModel, readonly ChatRoute[]>;
  } | null = null;

  /** None for a route that cannot serve chat. */
  function chatRoute(catalogue: Catalogue, route: Route): ChatRoute[] {
    const upstream = catalogue.upstreams.get(route.upstream);
    const port = upstream === undefined ? null : chatUpstreamOf(deps.upstreams, upstream.protocol);
    if (upstream === undefined || port === null) return [];
    return [{ ...readyRoute(route, upstream, (name) => deps.credential(name)), port }];
  }

  return {
    of({ catalogue, model }) {
      if (ready?.catalogue !== catalogue) ready = { catalogue, routes: new Map() };
      let routes = ready.routes.get(model);
      if (routes === undefined) {
        routes = model.routes.flatMap((route) => chatRoute(catalogue, route));
        ready.routes.set(model, routes);
      }
      return routes;
    },
  };
}
