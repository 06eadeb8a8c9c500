/**
 * Which routes are left to a task after submissions of which the upstream knows nothing: those of
 * the other upstreams.
 */
import type { TaskRoute } from "../../catalogue/catalogue.ts";
import type { Queryable } from "../../db/database.ts";
import type { TaskKey, TaskRecord } from "../../tasks/task-record.ts";
import { eventsAfter } from "../../tasks/tasks.store.ts";

/** Told with `not_taken` when an upstream did not know the task after its grace. */
export const ABSENT = "absent";

const MOST_EVENTS = 1_000;

export async function routesLeft(
  q: Queryable,
  { accountId, taskId, attempts }: TaskKey & Pick<TaskRecord, "attempts">,
  routes: readonly TaskRoute[],
): Promise<readonly TaskRoute[]> {
  if (attempts === 0) return routes;
  const events = await eventsAfter(q, {
    accountId,
    taskId,
    seq: 0n,
    kinds: ["not_taken"],
    limit: MOST_EVENTS,
  });
  const absent = new Set(
    events
      .filter(({ detail }) => detail?.["outcome"] === ABSENT)
      .map(({ detail }) => detail?.["upstream"]),
  );
  return routes.filter(({ upstream }) => !absent.has(upstream));
}

/**
 * Whether the call of the last submission ended here, so that nothing of it can still arrive there
 * from us.
 */
export async function callEnded(q: Queryable, { accountId, taskId }: TaskKey): Promise<boolean> {
  const events = await eventsAfter(q, {
    accountId,
    taskId,
    seq: 0n,
    kinds: ["submit_unknown"],
    limit: MOST_EVENTS,
  });
  return events.at(-1)?.detail?.["callEnded"] === true;
}
