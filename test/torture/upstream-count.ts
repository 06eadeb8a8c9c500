/**
 * The upstream's view: the built-in sandbox, which counts for itself what it was asked and what it
 * said, by the marker in the prompt.
 */
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import type { ObservedRequest } from "../../sandbox/serve-chat.ts";

export interface UpstreamCall {
  /** Tokens of the prompt and of the whole answer, by its own count; null: it answered nothing. */
  figures: { readonly prompt: number; readonly completion: number } | null;
  /** Who says each part of its messages, in their order. */
  readonly roles: readonly string[];
  /** How the answer ended; null: it runs. */
  end: string | null;
}

export interface UpstreamCount {
  readonly sandbox: Sandbox;
  readonly calls: ReadonlyMap<string, readonly UpstreamCall[]>;
  readonly total: number;
  /** Requests to make a picture, by their tag, as the provider took them. */
  submissions(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

const MARKER = /#(t-[\w-]+)#/g;

export function markerText(marker: string): string {
  return `#${marker}#`;
}

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** In whichever protocol it came. */
function rolesOf(body: Readonly<Record<string, unknown>>): string[] {
  const messages = body["messages"] ?? body["input"];
  if (!Array.isArray(messages)) return [];
  return messages.flatMap(({ role, content }: Message) =>
    Array.isArray(content) ? content.map(() => String(role)) : [String(role)],
  );
}

export async function openUpstreamCount(): Promise<UpstreamCount> {
  const calls = new Map<string, UpstreamCall[]>();
  let total = 0;
  function observe({ body, ended, figures }: ObservedRequest): void {
    total += 1;
    // Of a conversation the last one: what is before it was asked before.
    const marker = [...JSON.stringify(body).matchAll(MARKER)].at(-1)?.[1];
    if (marker === undefined) return;
    const call: UpstreamCall = { figures: null, roles: rolesOf(body), end: null };
    calls.set(marker, [...(calls.get(marker) ?? []), call]);
    void figures.then((found) => {
      if (typeof found?.prompt === "number" && typeof found.completion === "number")
        call.figures = { prompt: found.prompt, completion: found.completion };
    });
    void ended.then((end) => (call.end = end));
  }
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    wordDelayMs: 4,
    observe,
    media: { queueMs: 50, runMs: 150 },
  });
  return {
    sandbox,
    calls,
    get total() {
      return total;
    },
    async submissions() {
      const response = await fetch(`${sandbox.url}/sandbox/tasks`);
      const { tasks } = (await response.json()) as { tasks: { tag: string | null }[] };
      const byTag = new Map<string, number>();
      for (const { tag } of tasks) if (tag !== null) byTag.set(tag, (byTag.get(tag) ?? 0) + 1);
      return byTag;
    },
    close: () => sandbox.close(),
  };
}
