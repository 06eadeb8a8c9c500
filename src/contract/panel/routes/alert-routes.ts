/** Routes of the panel for spend alerts. */
import Type from "typebox";
import {
  Alert,
  AlertChange,
  AlertDeliveryList,
  AlertList,
  AlertSecret,
  AlertSecretStatus,
  AlertTested,
  NewAlert,
  TelegramChat,
  TelegramCode,
} from "../alert.ts";
import { PAGE_QUERY } from "../page-query.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

export const ALERT_ROUTES = {
  "GET /alerts": { summary: "The account's alerts", answer: AlertList },
  "POST /alerts": { summary: "Make an alert", body: NewAlert, answer: Alert, status: 201 },
  "POST /alerts/{id}": {
    summary: "Change an alert",
    uuids: ["id"],
    body: AlertChange,
    answer: Alert,
  },
  "DELETE /alerts/{id}": { summary: "Delete an alert", uuids: ["id"], answer: Done },
  "POST /alerts/{id}/test": {
    summary: "Send a test of it; the deliveries show what becomes of that",
    uuids: ["id"],
    answer: AlertTested,
    status: 202,
  },
  "GET /alerts/deliveries": {
    summary: "What was sent, newest first",
    query: Type.Object({ ...PAGE_QUERY, alertId: Type.Optional(Type.String()) }),
    answer: AlertDeliveryList,
  },
  "GET /alerts/webhook-secret": {
    summary: "Whether there is a secret that signs the webhooks of alerts",
    answer: AlertSecretStatus,
  },
  "POST /alerts/webhook-secret": {
    summary: "Make another one, shown this once; the old one signs too for a day",
    answer: AlertSecret,
  },
  "GET /alerts/telegram": {
    summary: "The chat in which alerts reach the member who asks",
    answer: TelegramChat,
  },
  "POST /alerts/telegram/code": {
    summary: "A code by which the member links a chat; it works once, for a quarter of an hour",
    answer: TelegramCode,
  },
  "DELETE /alerts/telegram": { summary: "Send the member nothing by Telegram", answer: Done },
} as const satisfies PanelRouteTable;
