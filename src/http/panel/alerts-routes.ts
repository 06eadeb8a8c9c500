/** Spend alerts: the panel's routes for them. */
import type {
  Alert,
  AlertChange,
  AlertDelivery,
  AlertSecret,
  AlertSecretStatus,
  NewAlert,
} from "../../contract/panel/alert.ts";
import type { Page, PageRequest } from "../../serving/read-page.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Route } from "../route.ts";
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

export function alertsRoutes(useCases: AlertsUseCases): Route[] {
  return [
    memberRoute("GET /alerts", {
      needs: "viewer",
      handle: async ({ member }) => ({
        json: {
          data: await useCases.listAlerts(member.accountId),
          nextCursor: null,
          limit: useCases.mostAlerts,
        },
      }),
    }),
    memberRoute("POST /alerts", {
      needs: "manager",
      handle: async ({ member, body }) => ({
        json: await useCases.createAlert(member.accountId, body),
      }),
    }),
    memberRoute("POST /alerts/{id}", {
      needs: "manager",
      handle: async ({ member, params, body }) => ({
        json: found(await useCases.changeAlert(member.accountId, params.id, body)),
      }),
    }),
    memberRoute("DELETE /alerts/{id}", {
      needs: "manager",
      async handle({ member, params }) {
        if (!(await useCases.deleteAlert(member.accountId, params.id)))
          throw new Fault("not_found");
        return { json: {} };
      },
    }),
    memberRoute("POST /alerts/{id}/test", {
      needs: "manager",
      handle: async ({ member, params }) => ({
        json: { deliveries: found(await useCases.testAlert(member.accountId, params.id)) },
      }),
    }),
    memberRoute("GET /alerts/deliveries", {
      needs: "viewer",
      async handle({ member, query }) {
        const { rows, next } = await useCases.listAlertDeliveries(member.accountId, query);
        return { json: { data: [...rows], nextCursor: next } };
      },
    }),
    memberRoute("GET /alerts/webhook-secret", {
      needs: "manager",
      handle: async ({ member }) => ({ json: await useCases.readAlertSecret(member.accountId) }),
    }),
    memberRoute("POST /alerts/webhook-secret", {
      needs: "owner",
      handle: async ({ member }) => ({ json: await useCases.changeAlertSecret(member.accountId) }),
    }),
  ];
}

/** Throws the 404 of what is not there, or not this account's. */
function found<T>(value: T | null): T {
  if (value === null) throw new Fault("not_found");
  return value;
}
