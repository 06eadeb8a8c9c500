/** What became of the webhooks of a task: every try to deliver them. */
import type { DeliveryState } from "../../contract/enums/delivery-state.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import { webhooksOf, webhookTries, type TaskWebhook } from "../../tasks/webhooks.store.ts";
import { webhookMessageId } from "../webhooks/sign-webhook.ts";

/** Times are ISO 8601 UTC. */
export interface DeliveryView {
  /** As `webhook-id` says it. */
  readonly id: string;
  readonly url: string;
  readonly state: DeliveryState;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
  readonly nextTryAt: string | null;
  readonly tries: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
    readonly tookMs: number;
  }[];
}

/** Null: the account has no such task. */
export async function listDeliveries(
  q: Queryable,
  accountId: Uuid,
  taskId: string,
): Promise<DeliveryView[] | null> {
  const task = await findTask(q, accountId, taskId);
  if (task === null) return null;
  const [webhooks, tries] = await Promise.all([webhooksOf(q, task), webhookTries(q, task)]);
  return webhooks.map((webhook) => ({
    id: webhookMessageId(webhook.webhookId),
    url: webhook.url,
    state: stateOf(webhook),
    createdAt: webhook.createdAt.toISOString(),
    deliveredAt: webhook.deliveredAt?.toISOString() ?? null,
    nextTryAt: webhook.dueAt?.toISOString() ?? null,
    // A task has one address, and so one webhook.
    tries: tries.map(({ at, status, error, tookMs }) => ({
      at: at.toISOString(),
      status,
      error,
      tookMs,
    })),
  }));
}

function stateOf({ deliveredAt, dueAt }: TaskWebhook): DeliveryView["state"] {
  if (deliveredAt !== null) return "delivered";
  return dueAt === null ? "given_up" : "pending";
}
