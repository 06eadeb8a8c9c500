/** Tells owners' servers that their tasks have ended. */
import { assert } from "../../kernel/assert.ts";
import type { Db } from "../../db/database.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import {
  claimWebhooks,
  noteWebhookTry,
  releaseClaim,
  type DueWebhook,
} from "../../tasks/webhooks.store.ts";
import { signingSecrets, type SigningDeps } from "../webhooks/signing-secrets.ts";
import {
  createWebhookCourier,
  type WebhookCourier,
  type WebhookCourierDeps,
} from "../webhooks/webhook-courier.ts";
import { taskView } from "./task-view.ts";

export interface WebhookDeliveryDeps extends Omit<WebhookCourierDeps<DueWebhook>, "queue"> {
  readonly db: Db;
  readonly signing: SigningDeps;
  /** Without a slash at its end. */
  staticUrl(): string;
}

export function createWebhookDelivery(deps: WebhookDeliveryDeps): WebhookCourier {
  const { db } = deps;
  return createWebhookCourier<DueWebhook>({
    ...deps,
    queue: {
      claim: (claim) => claimWebhooks(db, claim),
      async compose({ taskId, accountId }) {
        const task = await findTask(db, accountId, taskId);
        assert(task !== null && task.completedAt !== null, "webhooks come with the end of a task");
        const secrets = await signingSecrets(deps.signing, { accountId, purpose: "tasks" });
        const body = JSON.stringify({
          type: `task.${task.state}`,
          timestamp: task.completedAt.toISOString(),
          data: taskView(task, deps.staticUrl()),
        });
        return { body, secrets };
      },
      note: (webhook, tried, next) => noteWebhookTry(db, webhook, tried, next),
      release: (webhook) => releaseClaim(db, webhook),
    },
  });
}
