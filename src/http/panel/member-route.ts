/**
 * A route of the panel: what a member must be to call it stands beside it, and the API's
 * description leaves it out.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Static, TObject, TSchema } from "typebox";
import type { Answer, IncomingBody, MemberCall, MemberRoute, RouteDescription } from "../route.ts";
import { checkMemberAccess, type MemberNeeds } from "./member-access.ts";

export interface PanelRoute extends MemberRoute {
  readonly needs: MemberNeeds;
}

/** What is said of each route; the rest follows from it. */
type Said<Own extends keyof PanelRoute = never> = Omit<
  PanelRoute,
  "access" | "admit" | "handle" | "query" | "doc" | Own
>;

/**
 * Types a handler's query and body by their schemas: the panel is its only caller, so nothing else
 * describes them.
 */
export function memberRoute<Query extends TObject, Body extends TSchema>(
  route: Said & {
    readonly query?: Query;
    readonly body?: Body;
    handle(
      call: MemberCall<Static<Query>> & { readonly body: Static<Body> },
    ): Promise<Answer> | Answer;
  },
): PanelRoute {
  const { body, ...head } = route;
  const operationId = `panel ${route.method} ${route.path}`;
  const doc: RouteDescription = {
    operationId,
    summary: operationId,
    tag: "Panel",
    internal: true,
    responses: {},
    errors: [],
    ...(body === undefined ? {} : { requestBody: body }),
  };
  return {
    ...head,
    access: "member",
    doc,
    admit: (member) => checkMemberAccess(member, route.needs),
    handle: (call) => route.handle(call as MemberCall<Static<Query>> & { body: Static<Body> }),
  };
}

/** A route for sessions whose handler reads the body by itself, as that of a bytesRoute. */
export function memberBytesRoute(
  route: Said<"streamed"> & {
    readonly bodyLimitBytes: number;
    handle(call: MemberCall<unknown> & { readonly body: Buffer }): Promise<Answer>;
  },
): PanelRoute {
  return memberRoute({
    ...route,
    handle: (call) => route.handle(call as MemberCall<unknown> & { readonly body: Buffer }),
  });
}

/** A route for sessions whose handler reads the body as it comes, as that of a streamedRoute. */
export function memberStreamedRoute(
  route: Said<"bodyLimitBytes"> & {
    readonly streamed: { checkHead(headers: IncomingHttpHeaders): void };
    handle(call: MemberCall<unknown> & { readonly body: IncomingBody }): Promise<Answer>;
  },
): PanelRoute {
  return memberRoute({
    ...route,
    handle: (call) => route.handle(call as MemberCall<unknown> & { readonly body: IncomingBody }),
  });
}
