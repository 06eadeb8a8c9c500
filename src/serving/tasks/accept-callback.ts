/**
 * Hears what a provider reports on one of our submissions. It wakes the next look at the task and
 * nothing else: a stranger's word decides nothing.
 */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { isTaskProtocol, type TaskProtocol } from "../../contract/enums/upstream-protocol.ts";
import type { Queryable } from "../../db/database.ts";
import { hearCallback } from "../../tasks/tasks.store.ts";
import type { CallbackHeaders, TaskAdapter } from "../../upstreams/tasks/task-adapter.ts";

export interface CallbackDeps {
  readonly db: Queryable;
  readonly catalogue: { current(): { readonly catalogue: Pick<Catalogue, "upstreams"> } };
  readonly adapters: Readonly<Record<TaskProtocol, Pick<TaskAdapter, "readCallback">>>;
  onHeard(known: boolean): void;
  onError(what: string, error: unknown): void;
}

export interface ProviderReport {
  /** As the path names it. */
  readonly upstream: string;
  /** Of the attempt: a stranger cannot guess it. */
  readonly token: string;
  readonly headers: CallbackHeaders;
  readonly body: Buffer;
}

export interface CallbackDesk {
  /** Never throws and never waits: the sender of a report hears nothing of what is done with it. */
  hear(report: ProviderReport): void;
  /** Resolves when what was heard is dealt with. */
  settled(): Promise<void>;
}

const AT_ONCE = 8;
/**
 * Reports on other submissions that may wait their turn. More are not heard: their tasks are looked
 * at when it is their time anyway.
 */
const MOST_WAITING = 10_000;

export function createCallbackDesk(deps: CallbackDeps): CallbackDesk {
  /** By submission: a hundred copies of a report are one. */
  const waiting = new Map<string, ProviderReport>();
  const underWay = new Set<Promise<void>>();

  async function take({ upstream: name, token, headers, body }: ProviderReport): Promise<void> {
    const upstream = deps.catalogue.current().catalogue.upstreams.get(name);
    if (upstream === undefined || !isTaskProtocol(upstream.protocol)) return;
    const reported = deps.adapters[upstream.protocol].readCallback(headers, body, upstream);
    const known = await hearCallback(deps.db, {
      upstream: name,
      attemptId: token,
      upstreamTaskId: reported?.upstreamTaskId ?? null,
    });
    deps.onHeard(known);
  }

  async function takeAll(): Promise<void> {
    for (const [submission, report] of waiting) {
      waiting.delete(submission);
      try {
        await take(report);
      } catch (error) {
        deps.onError("a provider's report could not be taken", error);
      }
    }
  }

  return {
    hear(report) {
      const submission = `${report.upstream}/${report.token}`;
      if (waiting.size >= MOST_WAITING || waiting.has(submission)) return;
      waiting.set(submission, report);
      if (underWay.size >= AT_ONCE) return;
      const work = takeAll().finally(() => underWay.delete(work));
      underWay.add(work);
    },
    settled: async () => void (await Promise.all(underWay)),
  };
}
