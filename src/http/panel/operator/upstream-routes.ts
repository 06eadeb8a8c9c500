/** Upstreams for operators: how they fare, what they failed with, and what is taken out of use. */
import type { RoutesOut } from "../../../contract/panel/operator-upstreams.ts";
import { routesOut } from "../../../business/operate/routes-out.store.ts";
import { readUpstreamErrors } from "../../../business/operate/read-upstream-errors.ts";
import { readUpstreams } from "../../../business/operate/read-upstreams.ts";
import { putRouteBack, takeRouteOut } from "../../../business/operate/take-route-out.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

const WINDOWS_MS = { "15m": 15 * 60_000, "24h": 24 * 3_600_000 } as const;

export function operatorUpstreamRoutes(deps: OperatorRouteDeps): Route[] {
  const { db } = deps;
  const needs = "operator";
  const allOut = async (): Promise<{ json: RoutesOut }> => ({
    json: {
      data: (await routesOut(db)).map(({ upstream, upstreamModel, until }) => ({
        upstream,
        upstreamModel,
        until: until.toISOString(),
      })),
    },
  });
  return [
    memberRoute("GET /operator/upstreams", {
      needs,
      handle: async ({ query }) => ({
        json: await readUpstreams(deps, WINDOWS_MS[query.window ?? "15m"]),
      }),
    }),
    memberRoute("GET /operator/upstreams/errors", {
      needs,
      handle: async ({ query: { upstream, model = null, window = "24h" } }) => ({
        json: await readUpstreamErrors(deps, {
          upstream,
          upstreamModel: model,
          windowMs: WINDOWS_MS[window],
        }),
      }),
    }),
    memberRoute("POST /operator/upstreams/take-out", {
      needs,
      async handle({ member, body: { upstream, upstreamModel, minutes, reason } }) {
        await takeRouteOut(deps, member, {
          upstream,
          upstreamModel,
          minutes,
          reason: reason?.trim() ?? null,
        });
        return allOut();
      },
    }),
    memberRoute("POST /operator/upstreams/put-back", {
      needs,
      async handle({ member, body: { upstream, upstreamModel, reason } }) {
        await putRouteBack(deps, member, {
          upstream,
          upstreamModel,
          reason: reason?.trim() ?? null,
        });
        return allOut();
      },
    }),
  ];
}
