/** Every route of the panel: its own API under /panel/api, for sessions and never for keys. */
import type { PanelRouteName } from "../../contract/panel/routes/panel-api.ts";
import type { Route } from "../route.ts";
import type { MemberNeeds } from "./member-access.ts";
import type { PanelRoute } from "./member-route.ts";
import { openPanelRoute } from "./open-panel-route.ts";
import { markChanges } from "./mark-changes.ts";
import { panelHead } from "./panel-head.ts";
import { panelOpenApiDocument } from "./panel-openapi.ts";
import { accountRoutes } from "./account-routes.ts";
import type { AccountRouteDeps } from "./account-routes.ts";
import { alertsRoutes, type AlertsRouteDeps } from "./alerts-routes.ts";
import { billingRoutes } from "./billing-routes.ts";
import type { BillingRouteDeps } from "./billing-routes.ts";
import { membersRoutes } from "./members-routes.ts";
import type { MembersRouteDeps } from "./members-routes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import type { OperatorRouteDeps } from "./operator/operator-route-deps.ts";
import { playgroundRoutes } from "./playground-routes.ts";
import type { PlaygroundRouteDeps } from "./playground-routes.ts";

export interface PanelRouteDeps {
  readonly members: MembersRouteDeps;
  readonly account: AccountRouteDeps;
  readonly playground: PlaygroundRouteDeps;
  readonly billing: BillingRouteDeps;
  readonly alerts: AlertsRouteDeps;
  readonly operator: OperatorRouteDeps;
  /** What an answer to a change sets besides; null: nothing, where lists have no replica. */
  readonly changed: (() => string) | null;
}

/** Of the program, for the API's description. */
interface PanelAbout {
  baseUrl(): string;
  readonly version: string;
}

export function panelRoutes(deps: PanelRouteDeps, about: PanelAbout): Route[] {
  const own = [
    ...membersRoutes(deps.members),
    ...accountRoutes(deps.account),
    ...playgroundRoutes(deps.playground),
    ...billingRoutes(deps.billing),
    ...alertsRoutes(deps.alerts),
    ...operatorRoutes(deps.operator),
  ];
  const routes = deps.changed === null ? own : markChanges(own, deps.changed);
  return [...routes, descriptionRoute(routes, about)];
}

/**
 * For everybody: it has no secret, the pages' script, which everybody may load, names the same
 * paths, and tools that make clients of it have no session.
 */
function descriptionRoute(routes: readonly Route[], { baseUrl, version }: PanelAbout): Route {
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  const routeOf = (name: PanelRouteName): Route | undefined => {
    const { method, path } = panelHead(name);
    return byName.get(`${method} ${path}`);
  };
  return openPanelRoute("GET /openapi.json", async () => ({
    json: panelOpenApiDocument({
      baseUrl: baseUrl(),
      version,
      needsOf: (name) => needsOf(routeOf(name)),
      isSeen: (name) => (routeOf(name) as Partial<PanelRoute> | undefined)?.seen === true,
    }),
  }));
}

function needsOf(route: Route | undefined): MemberNeeds | null {
  if (route === undefined) return null;
  if ("needs" in route) return (route as PanelRoute).needs;
  // The playground's chat, which its own composition admits.
  return route.access === "raw" ? "keyholder" : null;
}
