/** Tells a task's creator that it ended: as often, as late and as wrongly as the task was told. */
import { setTimeout } from "node:timers/promises";
import type { TaskDialect, Webhook } from "./task-dialect.ts";
import type { Task } from "./task.ts";

const TIMEOUT_MS = 15_000;
const RETRY_MS = [200, 1000];
const AT_ONCE = 20;

/**
 * Each copy is tried three times until an answer of 2xx. What came of it is noted on the task;
 * never rejects.
 */
export async function sendWebhooks(
  task: Task,
  dialect: TaskDialect,
  options: { readonly now: () => number; readonly closing: AbortSignal },
): Promise<void> {
  const { callbackUrl } = task;
  const { webhooks, webhookDelayMs, webhook } = task.directives;
  if (callbackUrl === null || webhooks === 0) return;
  await setTimeout(webhookDelayMs, undefined, { signal: options.closing, ref: false }).catch(
    () => undefined,
  );
  let left = webhooks;
  const send = async (): Promise<void> => {
    while (left-- > 0 && !options.closing.aborted)
      await deliver(
        callbackUrl,
        spoil(dialect.webhook(task, options.now()), webhook),
        task,
        options.closing,
      );
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, webhooks) }, send));
}

async function deliver(
  url: string,
  message: Webhook,
  task: Task,
  closing: AbortSignal,
): Promise<void> {
  for (const waitMs of [0, ...RETRY_MS]) {
    await setTimeout(waitMs, undefined, { signal: closing, ref: false }).catch(() => undefined);
    if (closing.aborted) return;
    const outcome = await post(url, message, closing);
    task.webhooks.push(outcome);
    if (typeof outcome === "number" && outcome >= 200 && outcome < 300) return;
  }
}

async function post(url: string, message: Webhook, closing: AbortSignal): Promise<number | string> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...message.headers },
      body: message.body,
      redirect: "manual",
      signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const { cause } = error as { cause?: { code?: unknown } };
    return typeof cause?.code === "string" ? cause.code : "no answer";
  }
}

function spoil(message: Webhook, how: Task["directives"]["webhook"]): Webhook {
  const signature = /signature$/i;
  const headers = Object.entries(message.headers);
  if (how === "unsigned")
    return {
      ...message,
      headers: Object.fromEntries(headers.filter(([name]) => !signature.test(name))),
    };
  if (how === "garbage")
    return { ...message, body: message.body.slice(0, Math.floor(message.body.length / 2)) };
  if (how !== "forged") return message;
  // Of the right length and alphabet, and wrong.
  return {
    ...message,
    headers: Object.fromEntries(
      headers.map(([name, value]) => [
        name,
        signature.test(name) ? [...value].toReversed().join("") : value,
      ]),
    ),
  };
}
