/** Spend alerts: the panel's routes for them. */
import Type from "typebox";
import {
  AlertChange,
  NewAlert,
  type Alert,
  type AlertDelivery,
  type AlertSecret,
  type AlertSecretStatus,
  type AlertTested,
} from "../../contract/panel/alert.ts";
import type { Page, PageRequest } from "../../serving/read-page.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { LIST_PAGE_MAX } from "../../kernel/limits.ts";
import type { Answer, Route } from "../route.ts";
import { memberRoute } from "./member-route.ts";

/** Null and false: this account has no such alert. The others throw the fault that refuses. */
export interface AlertsUseCases {
  /** How many an account has at most. */
  readonly mostAlerts: number;
  listAlerts(accountId: Uuid): Promise<Alert[]>;
  createAlert(accountId: Uuid, wish: NewAlert): Promise<Alert>;
  changeAlert(accountId: Uuid, alertId: string, change: AlertChange): Promise<Alert | null>;
  deleteAlert(accountId: Uuid, alertId: string): Promise<boolean>;
  testAlert(accountId: Uuid, alertId: string): Promise<number | null>;
  listAlertDeliveries(
    accountId: Uuid,
    request: PageRequest & { readonly alertId?: string },
  ): Promise<Page<AlertDelivery>>;
  readAlertSecret(accountId: Uuid): Promise<AlertSecretStatus>;
  changeAlertSecret(accountId: Uuid): Promise<AlertSecret>;
}

const LOG_QUERY = Type.Object({
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_PAGE_MAX })),
  alertId: Type.Optional(Type.String()),
});

export function alertsRoutes(useCases: AlertsUseCases): Route[] {
  return [
    memberRoute({
      method: "GET",
      path: "/panel/api/alerts",
      needs: "viewer",
      handle: async ({ member }) =>
        json({
          data: await useCases.listAlerts(member.accountId),
          nextCursor: null,
          limit: useCases.mostAlerts,
        }),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/alerts",
      needs: "manager",
      body: NewAlert,
      handle: async ({ member, body }) => ({
        status: 201,
        ...json(await useCases.createAlert(member.accountId, body)),
      }),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/alerts/{id}",
      uuids: ["id"],
      needs: "manager",
      body: AlertChange,
      handle: async ({ member, params, body }) =>
        json(found(await useCases.changeAlert(member.accountId, params["id"] ?? "", body))),
    }),
    memberRoute({
      method: "DELETE",
      path: "/panel/api/alerts/{id}",
      uuids: ["id"],
      needs: "manager",
      async handle({ member, params }) {
        if (!(await useCases.deleteAlert(member.accountId, params["id"] ?? "")))
          throw new Fault("not_found");
        return json({});
      },
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/alerts/{id}/test",
      uuids: ["id"],
      needs: "manager",
      async handle({ member, params }) {
        const tested: AlertTested = {
          deliveries: found(await useCases.testAlert(member.accountId, params["id"] ?? "")),
        };
        return { status: 202, ...json(tested) };
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/alerts/deliveries",
      needs: "viewer",
      query: LOG_QUERY,
      async handle({ member, query }) {
        const { rows, next } = await useCases.listAlertDeliveries(member.accountId, query);
        return json({ data: rows, nextCursor: next });
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/alerts/webhook-secret",
      needs: "manager",
      handle: async ({ member }) => json(await useCases.readAlertSecret(member.accountId)),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/alerts/webhook-secret",
      needs: "owner",
      handle: async ({ member }) => json(await useCases.changeAlertSecret(member.accountId)),
    }),
  ];
}

function json(body: unknown): Answer {
  return { content: { json: body } };
}

/** Throws the 404 of what is not there, or not this account's. */
function found<T>(value: T | null): T {
  if (value === null) throw new Fault("not_found");
  return value;
}
