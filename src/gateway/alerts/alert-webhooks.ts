/** Delivers the webhooks of alerts. */
import { claimAlerts, noteAlertTry, releaseAlerts, type DueAlert } from "../../alerts/deliveries.store.ts";
import { signingSecrets } from "../../alerts/secrets.store.ts";
import { assert } from "../../kernel/assert.ts";
import type { Db } from "../../db/database.ts";
import { createWebhookCourier, type WebhookCourier, type WebhookCourierDeps } from "../webhooks/webhook-courier.ts";

export function createAlertWebhooks(deps: Omit<WebhookCourierDeps<DueAlert>, "queue"> & { readonly db: Db }): WebhookCourier {
  const { db } = deps;
  return createWebhookCourier<DueAlert>({
    ...deps,
    queue: {
      claim: (claim) => claimAlerts(db, claim),
      async compose({ accountId, body }) {
        const secrets = await signingSecrets(db, accountId);
        assert(secrets.length > 0, "a rule with a webhook has made the account a secret");
        return { body, secrets };
      },
      note: ({ webhookId }, { status, error }, next) =>
        noteAlertTry(db, webhookId, {
          status,
          error,
          delivered: next.kind === "delivered",
          againInMs: next.kind === "again" ? next.inMs : null,
        }),
      release: ({ webhookId }) => releaseAlerts(db, [webhookId]),
    },
  });
}
