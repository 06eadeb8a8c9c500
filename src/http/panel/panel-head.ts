/** What the router and the API's description know of a route by its line in the panel's table. */
import { channel } from "node:diagnostics_channel";
import type { PanelApiRoot, PanelRouteName } from "../../contract/panel/routes/panel-api.ts";
import type { PanelRouteTable } from "../../contract/panel/routes/panel-route.ts";
import { PANEL_ROUTES } from "../../contract/panel/routes/panel-routes.ts";
import type { Answer, MemberRoute, RouteDescription } from "../route.ts";

/** What is answered, for those who hold it against the table: the tests do. */
const ANSWERS = channel("tollgate.panel.answer");

export const PANEL_API_ROOT: PanelApiRoot = "/panel/api";

type PanelLine = PanelRouteTable[keyof PanelRouteTable];
type PanelHead = Pick<MemberRoute, "method" | "path" | "doc" | "query" | "uuids" | "catchAll">;

/** What a handler says where its route answers JSON; the status is the table's. */
export interface JsonAnswer<Body> {
  readonly json: Body;
  readonly headers?: NonNullable<Answer["headers"]>;
}

function lineOf(name: PanelRouteName): PanelLine {
  return PANEL_ROUTES[name];
}

export function panelHead(name: PanelRouteName): PanelHead {
  const { query, uuids } = lineOf(name);
  const [method = "", path = ""] = name.split(" ");
  return {
    method: method as PanelHead["method"],
    path: `${PANEL_API_ROOT}${path.replace("{+", "{")}`,
    ...(path.includes("{+") ? { catchAll: true } : {}),
    ...(query === undefined ? {} : { query }),
    ...(uuids === undefined ? {} : { uuids }),
    doc: describe(name),
  };
}

export function answerOf(name: PanelRouteName, { json, headers }: JsonAnswer<unknown>): Answer {
  const line = lineOf(name);
  if (ANSWERS.hasSubscribers) ANSWERS.publish({ name, json });
  return {
    ...("status" in line && line.status !== undefined ? { status: line.status } : {}),
    ...(headers === undefined ? {} : { headers }),
    content: { json },
  };
}

/** The description of the public API leaves it out. */
function describe(name: PanelRouteName): RouteDescription {
  const { summary, body } = lineOf(name);
  return {
    operationId: `panel ${name}`,
    summary,
    tag: "Panel",
    internal: true,
    responses: {},
    errors: [],
    ...(body === undefined ? {} : { requestBody: body }),
  };
}
