/**
 * Takes a task's media into our storage before any provider hears of it: fetched, measured, held
 * against every rule, JPEG where it has to be.
 */
import { checkMeasured, type MeasuredMedia } from "../../contract/tasks/check-measured.ts";
import { listMedia, type MediaReference } from "../../contract/tasks/list-media.ts";
import type { TaskTable, TaskTableId } from "../../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { assert } from "../../kernel/assert.ts";
import { backoffMs, type Backoff } from "../../kernel/backoff.ts";
import { Fault } from "../../kernel/faults.ts";
import { moveTask } from "../../tasks/jobs.store.ts";
import { laneOf } from "../../tasks/lane.ts";
import type { MediaStandIn, TaskRecord } from "../../tasks/task-record.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import type { TakenMedia } from "../files/take-media.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failStep, LOST } from "./advance-outcome.ts";
import { eligibleRoutes } from "./eligible-routes.ts";
import { measuredInputs } from "./submitted-parameters.ts";

/** For one file, to its last byte. */
const FETCH_MS = 180_000;
/** Of one task at once. */
const AT_ONCE = 3;
/** An address that gave nothing so often gives nothing. */
const MOST_TRIES = 5;
const RETRY: Backoff = { firstMs: 5_000, longestMs: 120_000 };

const QUOTA = "quota";

interface Taken {
  readonly reference: MediaReference;
  readonly media: TakenMedia;
}

/**
 * `held` → `ready`, or failed with its money back; the lease ends. Returns a word for the metrics.
 */
export async function ingestMedia(parts: EngineParts, lease: Lease): Promise<string> {
  const { task } = lease;
  if (task.cancelRequested) return failStep(parts, lease, { code: "canceled" });
  if (task.leftMs <= 0)
    return failStep(parts, lease, {
      code: "provider_timeout",
      message: "The task could not be started in time.",
    });
  const record = await findTask(parts.db, task.accountId, task.taskId);
  if (record === null) return LOST;
  const table = tableOf(record.parameterTable);
  const taken = await takeAll(parts, lease, record, listMedia(table, record.parameters));
  const standIns = taken.flatMap(({ reference: { path }, media }) =>
    media.kind === "taken"
      ? [{ path, name: media.file.name, facts: media.facts, bytes: media.file.bytes }]
      : [],
  );

  const full = taken
    .flatMap(({ media }) => (media.kind === "rejected" ? media.breaches : []))
    .find(({ rule }) => rule === QUOTA);
  if (full !== undefined)
    return failStep(parts, lease, { code: "storage_quota_exceeded", message: full.message });
  const broken = mistakesOf(table, record, taken);
  if (broken.length > 0)
    return failStep(parts, lease, { code: "input_rejected", message: inWords(broken) });
  const refused = taken.flatMap(({ reference, media }) =>
    media.kind === "refused" ? [{ reference, media }] : [],
  );
  const final = refused.filter(({ media }) => !media.transient || task.tries + 1 >= MOST_TRIES);
  if (final.length > 0) {
    const message = inWords(
      final.map(({ reference: { field }, media }) => `'${field}': ${media.message}`),
    );
    return failStep(parts, lease, { code: "input_unreachable", message });
  }
  if (refused.length > 0) return tryAgain(parts, lease, standIns);

  const model = parts.catalogue.current().catalogue.models.get(task.model);
  if (model?.type === "task") {
    const eligible = eligibleRoutes(
      model.routes,
      record.parameters,
      measuredInputs(table, { ...record, media: standIns }),
    );
    if (eligible.kind === "none") {
      return failStep(parts, lease, {
        code: "input_rejected",
        message: inWords(eligible.mistakes.map(({ message }) => message)),
      });
    }
  }
  const { accountId, taskId, leaseId } = task;
  const ready = {
    accountId,
    taskId,
    leaseId,
    from: "held",
    to: "ready",
    lane: laneOf("ready", task),
    dueInMs: 0,
  } as const;
  const events = [{ kind: "media_taken", detail: { files: standIns.length } }] as const;
  const moved = await parts.db.transaction((tx) =>
    moveTask(tx, { ...ready, media: standIns, events }),
  );
  if (!moved) return LOST;
  parts.wake();
  return "taken";
}

export function tableOf(id: string): TaskTable {
  const table = TASK_TABLES.get(id as TaskTableId);
  assert(table !== undefined, `there is a parameter table ${id}`);
  return table;
}

/** In the order of the references. What an earlier try took is read from our storage. */
async function takeAll(
  parts: EngineParts,
  lease: Lease,
  record: TaskRecord,
  references: readonly MediaReference[],
): Promise<Taken[]> {
  const earlier = new Map(
    record.media?.map(({ path, name }) => [JSON.stringify(path), `${parts.staticUrl()}/${name}`]),
  );
  const taken: Taken[] = [];
  const left = references.entries();
  async function takeNext(): Promise<void> {
    for (const [index, reference] of left) {
      const url = earlier.get(JSON.stringify(reference.path)) ?? reference.url;
      taken[index] = { reference, media: await take(parts, lease, url, reference) };
    }
  }
  // Waits for all of them also where one fails on our side, so that nothing goes on behind the
  // step's back.
  const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, takeNext));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return taken;
}

async function take(
  parts: EngineParts,
  { task, signal }: Lease,
  url: string,
  { media }: MediaReference,
): Promise<TakenMedia> {
  const { accountId, keyId } = task;
  try {
    return await parts.takeMedia({
      url,
      accountId,
      keyId,
      rules: media,
      deadlineMs: FETCH_MS,
      signal,
    });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "storage_quota_exceeded") throw error;
    return { kind: "rejected", breaches: [{ rule: QUOTA, message: error.message }] };
  }
}

/** All at once: what single files break, and, where all are there, what they break together. */
function mistakesOf(table: TaskTable, record: TaskRecord, taken: readonly Taken[]): string[] {
  const measured: MeasuredMedia[] = [];
  const mistakes: string[] = [];
  for (const { reference, media } of taken) {
    if (media.kind === "rejected")
      mistakes.push(...media.breaches.map(({ message }) => `'${reference.field}': ${message}`));
    if (media.kind !== "taken") continue;
    measured.push({
      reference,
      seconds: media.facts.kind === "image" ? null : media.facts.durationSeconds,
    });
  }
  mistakes.push(...checkMeasured(table, record.parameters, measured).map(({ message }) => message));
  return mistakes;
}

/** What is there already is not fetched again. */
async function tryAgain(
  parts: EngineParts,
  { task }: Lease,
  standIns: readonly MediaStandIn[],
): Promise<string> {
  const { accountId, taskId, leaseId, tries } = task;
  const dueInMs = backoffMs(tries, RETRY, parts.random);
  const again = {
    accountId,
    taskId,
    leaseId,
    from: "held",
    to: "held",
    lane: laneOf("held", task),
    dueInMs,
    tries: tries + 1,
    media: standIns,
  } as const;
  return (await parts.db.transaction((tx) => moveTask(tx, again))) ? "retry" : LOST;
}

/** One sentence is shown as it is. */
function inWords(sentences: readonly string[]): string {
  return [...new Set(sentences)].join(" ");
}
