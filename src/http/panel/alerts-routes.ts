/** Spend alerts: the panel's routes for them. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Route } from "../route.ts";
import { memberRoute } from "./member-route.ts";
import { alertsWithoutPaths, deliveriesWithoutPaths, telegramWithoutChat } from "./withheld.ts";
import {
  MOST_RULES,
  type ManageDeps,
  changeAlert,
  createAlert,
  listAlerts,
  testAlert,
} from "../../business/alerts/manage-alerts.ts";
import { listAlertDeliveries } from "../../business/alerts/list-alert-deliveries.ts";
import { readAlertSecret } from "../../business/alerts/alert-secret.ts";
import {
  changeRecordedAlertSecret,
  deleteRecordedAlert,
  recordedAlertDb,
} from "../../business/alerts/recorded-alerts.ts";
import { beginLinking, endLinking, readChat } from "../../business/telegram/link-chat.ts";
import type { TelegramDeps } from "../../business/telegram/telegram-deps.ts";

function recorded(deps: ManageDeps, member: MemberCaller, alertId: string | null): ManageDeps {
  return { ...deps, db: recordedAlertDb(deps.db, member, alertId) };
}

export type AlertsRouteDeps = ManageDeps & { readonly telegram: TelegramDeps };

export function alertsRoutes(deps: AlertsRouteDeps): Route[] {
  return [
    memberRoute("GET /alerts", {
      needs: "viewer",
      seen: alertsWithoutPaths,
      handle: async ({ member }) => ({
        json: {
          data: await listAlerts(deps, member.accountId),
          nextCursor: null,
          limit: MOST_RULES,
        },
      }),
    }),
    memberRoute("POST /alerts", {
      needs: "manager",
      handle: async ({ member, body }) => ({
        json: await createAlert(recorded(deps, member, null), member.accountId, body),
      }),
    }),
    memberRoute("POST /alerts/{id}", {
      needs: "manager",
      handle: async ({ member, params, body }) => ({
        json: found(
          await changeAlert(recorded(deps, member, params.id), member.accountId, params.id, body),
        ),
      }),
    }),
    memberRoute("DELETE /alerts/{id}", {
      needs: "manager",
      async handle({ member, params }) {
        if (!(await deleteRecordedAlert(deps.db, member, params.id))) throw new Fault("not_found");
        return { json: {} };
      },
    }),
    memberRoute("POST /alerts/{id}/test", {
      needs: "manager",
      handle: async ({ member, params }) => ({
        json: { deliveries: found(await testAlert(deps, member.accountId, params.id)) },
      }),
    }),
    memberRoute("GET /alerts/deliveries", {
      needs: "viewer",
      seen: deliveriesWithoutPaths,
      async handle({ member, query }) {
        const { rows, next } = await listAlertDeliveries(deps.db, member.accountId, query);
        return { json: { data: [...rows], nextCursor: next } };
      },
    }),
    memberRoute("GET /alerts/webhook-secret", {
      needs: "manager",
      handle: async ({ member }) => ({ json: await readAlertSecret(deps, member.accountId) }),
    }),
    memberRoute("POST /alerts/webhook-secret", {
      needs: "owner",
      handle: async ({ member }) => ({ json: await changeRecordedAlertSecret(deps, member) }),
    }),
    // Of the member alone, whatever it may change of the account.
    memberRoute("GET /alerts/telegram", {
      needs: "viewer",
      seen: telegramWithoutChat,
      handle: async ({ member }) => ({ json: await readChat(deps.telegram, member.memberId) }),
    }),
    memberRoute("POST /alerts/telegram/code", {
      needs: "viewer",
      handle: async ({ member }) => ({ json: await beginLinking(deps.telegram, member.memberId) }),
    }),
    memberRoute("DELETE /alerts/telegram", {
      needs: "viewer",
      async handle({ member }) {
        await endLinking(deps.telegram, member.memberId);
        return { json: {} };
      },
    }),
  ];
}

/** Throws the 404 of what is not there, or not this account's. */
function found<T>(value: T | null): T {
  if (value === null) throw new Fault("not_found");
  return value;
}
