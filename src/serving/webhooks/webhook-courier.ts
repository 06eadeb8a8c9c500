/**
 * Delivers webhooks to owners' servers: signed, retried for a day where one does not answer, and
 * only a few at once to one server.
 */
import { jittered } from "../../kernel/backoff.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { FetchRefusal } from "../../net/fetch-refusal.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import { signWebhook, webhookMessageId } from "./sign-webhook.ts";

/** One that is to be sent now. */
export interface DueWebhook {
  readonly webhookId: Uuid;
  readonly url: string;
  /** Whose server that is: host and port. */
  readonly host: string;
  /** Those before this one. */
  readonly tries: number;
}

export interface WebhookClaim {
  readonly limit: number;
  /** For one host, those that are under way here counted in. */
  readonly perHost: number;
  /** How many are under way here, by host. */
  readonly busy: ReadonlyMap<string, number>;
  readonly claimMs: number;
}

export interface WebhookTry {
  /** What was answered; null: nothing. */
  readonly status: number | null;
  readonly error: string | null;
  readonly tookMs: number;
}

export type WebhookNext =
  | { readonly kind: "delivered" }
  | { readonly kind: "again"; readonly inMs: number }
  /** It was tried long enough. */
  | { readonly kind: "over" };

/**
 * Where they wait and what they say. Whatever is claimed and neither noted nor released can be
 * claimed again after `claimMs`.
 */
export interface WebhookQueue<Due extends DueWebhook> {
  claim(claim: WebhookClaim): Promise<Due[]>;
  /** Receivers accept what any of the secrets signed. */
  compose(due: Due): Promise<{ readonly body: string; readonly secrets: readonly string[] }>;
  note(due: Due, tried: WebhookTry, next: WebhookNext): Promise<void>;
  /** It was not tried. */
  release(due: Due): Promise<void>;
}

export interface WebhookCourierDeps<Due extends DueWebhook> {
  readonly queue: WebhookQueue<Due>;
  readonly safeFetch: Pick<SafeFetch, "post">;
  readonly clock: Clock;
  /** Once for each try: `delivered`, `again`, `over`. */
  onTried(outcome: WebhookNext["kind"]): void;
  onError(what: string, error: unknown): void;
}

export interface WebhookCourier {
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
const BACK_OFF_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];
/** So that those which failed together do not come back together. */
const JITTER = 0.1;
const AT_ONCE = 32;
const PER_HOST = 4;
const DEADLINE_MS = 15 * SECOND;
/** Longer than a try may take. */
const CLAIM_MS = 60 * SECOND;
const ANSWER_LIMIT_BYTES = 1024;
const GONE = 410;

export function createWebhookCourier<Due extends DueWebhook>(
  deps: WebhookCourierDeps<Due>,
): WebhookCourier {
  const { queue } = deps;
  const underWay = new Map<Uuid, { readonly host: string; readonly done: Promise<void> }>();
  const stopping = new AbortController();

  function busy(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { host } of underWay.values()) counts.set(host, (counts.get(host) ?? 0) + 1);
    return counts;
  }

  /** Null: it was broken off by us. */
  async function send(webhook: Due): Promise<WebhookTry | null> {
    const { body, secrets } = await queue.compose(webhook);
    const message = { id: webhookMessageId(webhook.webhookId), at: deps.clock.now(), body };
    const headers = { "content-type": "application/json", ...signWebhook(secrets, message) };
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
      return {
        status,
        error: isSuccess(status) ? null : `answered with ${status}`,
        tookMs: tookMs(),
      };
    } catch (error) {
      if (stopping.signal.aborted) return null;
      if (error instanceof FetchRefusal)
        return { status: null, error: error.rule, tookMs: tookMs() };
      throw error;
    }
  }

  async function deliver(webhook: Due): Promise<void> {
    try {
      const tried = await send(webhook);
      if (tried === null) return await queue.release(webhook);
      const next = nextOf(tried, webhook.tries);
      await queue.note(webhook, tried, next);
      deps.onTried(next.kind);
    } catch (error) {
      // Its claim runs out, and then it is tried again.
      if (!stopping.signal.aborted) deps.onError("a webhook could not be delivered", error);
    } finally {
      underWay.delete(webhook.webhookId);
    }
  }

  return {
    async tick() {
      const limit = AT_ONCE - underWay.size;
      if (limit <= 0 || stopping.signal.aborted) return;
      const claimed = await queue.claim({
        limit,
        perHost: PER_HOST,
        busy: busy(),
        claimMs: CLAIM_MS,
      });
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
  return { kind: "again", inMs: jittered(pauseMs, Math.random, JITTER) };
}
