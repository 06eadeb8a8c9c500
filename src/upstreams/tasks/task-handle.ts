/** What is kept of a task at a provider: its id, and those of its URLs that may be called. */
import type { Clock } from "../../kernel/clock.ts";
import type { TaskProvider } from "../../protocol/task-provider.ts";
import { trustedUrl } from "./follow-url.ts";
import { holdsCredential } from "./hide-credential.ts";
import { valueAt } from "./json-pointer.ts";
import type { TaskHandle, TaskTarget } from "./task-adapter.ts";

/** Printable ASCII; such as would lead a path elsewhere are none. */
const ID = /^[\x21-\x7e]{1,300}$/;

/**
 * A text or a whole number; null for anything that cannot be an id, or that shows the credential.
 */
export function readTaskId(value: unknown, credential = ""): string | null {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !ID.test(text) || /^\.{1,2}$/.test(text)) return null;
  return holdsCredential(text, credential) ? null : text;
}

export function makeHandle(
  clock: Clock,
  provider: TaskProvider,
  target: TaskTarget,
  found: { readonly id: string; readonly model: string; readonly document: unknown },
): TaskHandle {
  const urls = Object.entries(provider.submit.urls).flatMap(([name, at]) => {
    const url = trustedUrl(target.upstream, valueAt(found.document, at));
    return url === null || holdsCredential(url.href, target.credential)
      ? []
      : [[name, url.href] as const];
  });
  return {
    upstreamTaskId: found.id,
    model: found.model,
    submittedAt: clock.now().toISOString(),
    urls: Object.fromEntries(urls),
  };
}
