/**
 * Every route of the panel's own API, all below `/panel/api`: the server serves these and no
 * others, the panel calls these and no others, and both take their types from here.
 */
import { ACCOUNT_ROUTES } from "./account-routes.ts";
import { ALERT_ROUTES } from "./alert-routes.ts";
import { GROUP_ROUTES } from "./group-routes.ts";
import { KEY_ROUTES } from "./key-routes.ts";
import { MEMBER_ROUTES } from "./member-routes.ts";
import { OPERATOR_ACCOUNT_ROUTES } from "./operator-account-routes.ts";
import { OPERATOR_ROUTES } from "./operator-routes.ts";
import { OPERATOR_SETTINGS_ROUTES } from "./operator-settings-routes.ts";
import type { PanelRouteTable } from "./panel-route.ts";
import { PLAYGROUND_CALL_ROUTES } from "./playground-call-routes.ts";
import { PLAYGROUND_ROUTES } from "./playground-routes.ts";
import { TASK_ROUTES } from "./task-routes.ts";
import { VISITOR_ROUTES } from "./visitor-routes.ts";

/** By what they are about, as the API's description groups them. */
export const PANEL_SUBJECTS = {
  Guests: VISITOR_ROUTES,
  Members: MEMBER_ROUTES,
  Account: ACCOUNT_ROUTES,
  Keys: KEY_ROUTES,
  Groups: GROUP_ROUTES,
  Alerts: ALERT_ROUTES,
  Tasks: TASK_ROUTES,
  Playground: PLAYGROUND_ROUTES,
  Calls: PLAYGROUND_CALL_ROUTES,
  Accounts: OPERATOR_ACCOUNT_ROUTES,
  Business: OPERATOR_ROUTES,
  Installation: OPERATOR_SETTINGS_ROUTES,
} as const satisfies Readonly<Record<string, PanelRouteTable>>;

export const PANEL_ROUTES = {
  ...VISITOR_ROUTES,
  ...MEMBER_ROUTES,
  ...ACCOUNT_ROUTES,
  ...KEY_ROUTES,
  ...GROUP_ROUTES,
  ...ALERT_ROUTES,
  ...TASK_ROUTES,
  ...PLAYGROUND_ROUTES,
  ...PLAYGROUND_CALL_ROUTES,
  ...OPERATOR_ACCOUNT_ROUTES,
  ...OPERATOR_ROUTES,
  ...OPERATOR_SETTINGS_ROUTES,
} as const satisfies PanelRouteTable;
