/** Tells owners' servers that their tasks have ended: signed, again and again for a day where nobody answers, and never more than a few to one server. */
import { assert } from "../../kernel/assert.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { FetchRefusal } from "../../net/fetch-refusal.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import { webhookSecrets } from "../../tasks/webhook-secrets.store.ts";
import {
  claimWebhooks,
  noteWebhookTry,
  releaseClaims,
  type DueWebhook,
  type WebhookNext,
  type WebhookTry,
} from "../../tasks/webhooks.store.ts";
import { newWebhookSecret, signWebhook, webhookMessageId } from "./sign-webhook.ts";
import { taskView } from "./task-view.ts";

export interface WebhookDeliveryDeps {
  readonly db: Db;
  readonly safeFetch: Pick<SafeFetch, "post">;
  readonly clock: Clock;
  /** Without a slash at its end. */
  staticUrl(): string;
  /** Once for each try: `delivered`, `again`, `over`. */
  onTried(outcome: WebhookNext["kind"]): void;
  onError(what: string, error: unknown): void;
}

export interface WebhookDelivery {
  /** Begins to deliver what is due, and resolves when it has begun. */
  tick(): Promise<void>;
  readonly active: number;
  /** Breaks off what is under way and gives it back: it counts as not tried. */
  stop(): Promise<void>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** After the first try, the second, …: 22 hours in all. */
const BACK_OFF_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
/** So that those which failed together do not come back together. */
const JITTER = 0.1;
const AT_ONCE = 32;
const PER_HOST = 4;
const DEADLINE_MS = 15 * SECOND;
/** Longer than a try may take. */
const CLAIM_MS = 60 * SECOND;
const ANSWER_LIMIT_BYTES = 1024;
const GONE = 410;

export function createWebhookDelivery(deps: WebhookDeliveryDeps): WebhookDelivery {
  const { db } = deps;
  const underWay = new Map<Uuid, { readonly host: string; readonly done: Promise<void> }>();
  const stopping = new AbortController();

  function busy(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { host } of underWay.values()) counts.set(host, (counts.get(host) ?? 0) + 1);
    return counts;
  }

  /** Null: it was broken off by us. */
  async function send(webhook: DueWebhook): Promise<WebhookTry | null> {
    const task = await findTask(db, webhook.taskId);
    assert(task !== null && task.completedAt !== null, "webhooks come with the end of a task");
    const { secret, previous } = await webhookSecrets(db, webhook.accountId, newWebhookSecret());
    const body = JSON.stringify({
      type: `task.${task.state}`,
      timestamp: task.completedAt.toISOString(),
      data: taskView(task, deps.staticUrl()),
    });
    const message = { id: webhookMessageId(webhook.webhookId), at: deps.clock.now(), body };
    const headers = { "content-type": "application/json", ...signWebhook(previous === null ? [secret] : [secret, previous], message) };
    const startedMs = deps.clock.monotonicMs();
    const tookMs = (): number => deps.clock.monotonicMs() - startedMs;
    try {
      const { status } = await deps.safeFetch.post(webhook.url, {
        headers,
        body,
        deadlineMs: DEADLINE_MS,
        maxAnswerBytes: ANSWER_LIMIT_BYTES,
        signal: stopping.signal,
      });
      return { status, error: isSuccess(status) ? null : `answered with ${status}`, tookMs: tookMs() };
    } catch (error) {
      if (stopping.signal.aborted) return null;
      if (error instanceof FetchRefusal) return { status: null, error: error.rule, tookMs: tookMs() };
      throw error;
    }
  }

  async function deliver(webhook: DueWebhook): Promise<void> {
    const { webhookId, tries } = webhook;
    try {
      const tried = await send(webhook);
      if (tried === null) return await releaseClaims(db, [webhookId]);
      const next = nextOf(tried, tries);
      await noteWebhookTry(db, webhookId, tried, next);
      deps.onTried(next.kind);
    } catch (error) {
      // Its claim runs out, and then it is tried again.
      if (!stopping.signal.aborted) deps.onError("a webhook could not be delivered", error);
    } finally {
      underWay.delete(webhookId);
    }
  }

  return {
    async tick() {
      const limit = AT_ONCE - underWay.size;
      if (limit <= 0 || stopping.signal.aborted) return;
      const claimed = await claimWebhooks(db, { limit, perHost: PER_HOST, busy: busy(), claimMs: CLAIM_MS });
      for (const webhook of claimed) {
        // Only now it is under way, so that its own end finds it there.
        const begun = Promise.withResolvers<void>();
        underWay.set(webhook.webhookId, { host: webhook.host, done: begun.promise });
        void deliver(webhook).finally(begun.resolve);
      }
    },
    get active() {
      return underWay.size;
    },
    async stop() {
      stopping.abort();
      await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** `before`: the tries before this one. */
function nextOf({ status }: WebhookTry, before: number): WebhookNext {
  if (status !== null && isSuccess(status)) return { kind: "delivered" };
  const pauseMs = BACK_OFF_MS[before];
  if (status === GONE || pauseMs === undefined) return { kind: "over" };
  return { kind: "again", inMs: pauseMs * (1 + JITTER * (2 * Math.random() - 1)) };
}
