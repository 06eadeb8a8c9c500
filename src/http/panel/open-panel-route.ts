/**
 * Routes of the panel for people without a session: what they send is checked by its schema, and
 * taken from our own pages only.
 */
import type { Static, TSchema } from "typebox";
import type { Answer, OpenRoute, RouteCall } from "../route.ts";

export function openPanelRoute<Body extends TSchema>(route: {
  readonly method?: "GET";
  readonly path: string;
  readonly body?: Body;
  handle(call: RouteCall<unknown> & { readonly body: Static<Body> }): Promise<Answer>;
}): OpenRoute {
  const { method = "POST", body } = route;
  const operationId = `panel ${method} ${route.path}`;
  const taken = body === undefined ? {} : { requestBody: body };
  return {
    access: "open",
    method,
    path: route.path,
    sameOrigin: true,
    headers: { "cache-control": "no-store" },
    doc: {
      operationId,
      summary: operationId,
      tag: "Panel",
      internal: true,
      ...taken,
      responses: {},
      errors: [],
    },
    handle: (call) => route.handle(call as RouteCall<unknown> & { readonly body: Static<Body> }),
  };
}
