/** Delivers the webhooks of alerts. */
import { claimAlerts, noteAlertTry, releaseAlert, type DueAlert } from "./deliveries.store.ts";
import type { Db } from "../../db/database.ts";
import { signingSecrets, type SigningDeps } from "../../serving/webhooks/signing-secrets.ts";
import {
  createWebhookCourier,
  type WebhookCourier,
  type WebhookCourierDeps,
} from "../../serving/webhooks/webhook-courier.ts";

export interface AlertWebhooksDeps extends Omit<WebhookCourierDeps<DueAlert>, "queue"> {
  readonly db: Db;
  readonly signing: SigningDeps;
}

export function createAlertWebhooks(deps: AlertWebhooksDeps): WebhookCourier {
  const { db } = deps;
  return createWebhookCourier<DueAlert>({
    ...deps,
    queue: {
      claim: (claim) => claimAlerts(db, claim),
      async compose({ accountId, body }) {
        return {
          body,
          secrets: await signingSecrets(deps.signing, { accountId, purpose: "alerts" }),
        };
      },
      note: (alert, { status, error }, next) =>
        noteAlertTry(db, alert, {
          status,
          error,
          delivered: next.kind === "delivered",
          againInMs: next.kind === "again" ? next.inMs : null,
        }),
      release: (alert) => releaseAlert(db, alert),
    },
  });
}
