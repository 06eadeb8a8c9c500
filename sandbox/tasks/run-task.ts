/**
 * Takes one task through its life: waits, fetches what it was given, makes what it was asked for,
 * and tells its creator.
 */
import { setTimeout } from "node:timers/promises";
import { fetchInput, type FetchedInput } from "./fetch-input.ts";
import type { MeasuredMedia } from "../media/measure-media.ts";
import type { MediaStudio } from "../media/media-studio.ts";
import type { OutputSpec } from "../media/output-spec.ts";
import type { ResultShelf } from "./result-shelf.ts";
import type { ModelReading } from "./find-model.ts";
import { planOutputs } from "./plan-outputs.ts";
import { sendWebhooks } from "./send-webhooks.ts";
import type { TaskDialect } from "./task-dialect.ts";
import type { TaskJournal } from "./task-journal.ts";
import type { Task, TaskFailure } from "./task.ts";

export interface RunTaskOptions {
  readonly studio: MediaStudio;
  readonly shelf: ResultShelf;
  readonly now: () => number;
  readonly queueMs: number;
  readonly runMs: number;
  /** Null: what is under way is lost with the process. */
  readonly journal: TaskJournal | null;
  /** The sandbox closes: nothing is sent any more. */
  readonly closing: AbortSignal;
}

const RESUMED_TRIES = 20;
const RESUMED_WAIT_MS = 1000;
const OUTLIVED_MS = 500;
const BLOCKED = "Your prompt was flagged by Website as violating content policies.";

/**
 * Resolves when the task has ended for good and its webhooks are through, or when it was canceled;
 * never rejects.
 */
export async function runTask(
  task: Task,
  reading: ModelReading,
  dialect: TaskDialect,
  options: RunTaskOptions,
): Promise<void> {
  try {
    const ended = await live(task, reading, options);
    if (!ended) return;
    await sendWebhooks(task, dialect, options);
    if (task.phase !== "failed" || task.directives.lateMs === null) return;
    await pause(task, task.directives.lateMs);
    await succeed(task, planOutputs(reading.makes, task.input, [], task.directives), options);
    await sendWebhooks(task, dialect, options);
  } catch (error) {
    if (task.stop.signal.aborted) return;
    fail(
      task,
      {
        kind: "provider",
        code: "501",
        message: error instanceof Error ? error.message : String(error),
      },
      options,
    );
    await sendWebhooks(task, dialect, options);
  }
}

/** False: it never ends. */
async function live(task: Task, reading: ModelReading, options: RunTaskOptions): Promise<boolean> {
  const { directives } = task;
  await pause(task, directives.queueMs ?? options.queueMs);
  if (directives.stuck === "queued") return false;
  task.phase = "running";
  task.startedAt = options.now();
  if (directives.stuck === "running") return false;
  const inputs = directives.fetch ? await fetchInputs(task, reading, options) : [];
  const refused = inputs.find((one) => !one.ok);
  if (refused !== undefined) {
    // Who kills the gateway that has the file may be killing us, too: what cannot be fetched is
    // written down by a process that lives on.
    if (options.journal !== null) await pause(task, OUTLIVED_MS);
    if (options.closing.aborted) return false;
    fail(task, { kind: "input", code: "400", message: refused.message }, options);
    return true;
  }
  const measured = inputs.flatMap((one) => (one.ok ? [one.measured] : []));
  const failure = askedFailure(task);
  const making = failure === null ? make(task, reading, measured, options) : null;
  // Its time runs on while the files are made, and an error of them waits for its end.
  making?.catch(() => undefined);
  await pause(
    task,
    Math.max(0, (directives.runMs ?? options.runMs) - (options.now() - task.startedAt)),
  );
  if (failure !== null) fail(task, failure, options);
  else await succeed(task, (await making) ?? [], options);
  return true;
}

/** Who gave them may be starting anew as well. */
async function fetchInputs(
  task: Task,
  reading: ModelReading,
  options: RunTaskOptions,
): Promise<FetchedInput[]> {
  for (let left = task.resumed ? RESUMED_TRIES : 1; ; left--) {
    const inputs = await Promise.all(
      reading.media.map((found) => fetchInput(found, options.studio, task.stop.signal)),
    );
    if (left <= 1 || inputs.every((one) => one.ok)) return inputs;
    await pause(task, RESUMED_WAIT_MS);
  }
}

async function make(
  task: Task,
  reading: ModelReading,
  measured: readonly MeasuredMedia[],
  options: RunTaskOptions,
): Promise<OutputSpec[]> {
  const plan = planOutputs(reading.makes, task.input, measured, task.directives);
  await Promise.all(plan.map((spec) => options.studio.make(spec)));
  return plan;
}

async function succeed(
  task: Task,
  plan: readonly OutputSpec[],
  options: RunTaskOptions,
): Promise<void> {
  await Promise.all(plan.map((spec) => options.studio.make(spec)));
  if (task.stop.signal.aborted) return;
  const { resultUrl } = task.directives;
  task.results = plan.map((spec) => resultUrl ?? options.shelf.put(task, spec));
  task.cost =
    task.directives.cost ??
    String(
      plan.reduce(
        (sum, spec) => sum + (spec.kind === "image" ? 4 : Math.ceil(spec.seconds) * 10),
        0,
      ),
    );
  task.failure = null;
  task.phase = "succeeded";
  task.endedAt = options.now();
  options.journal?.end(task, plan);
}

function fail(task: Task, failure: TaskFailure, options: RunTaskOptions): void {
  task.failure = failure;
  task.phase = "failed";
  task.endedAt = options.now();
  task.cost = task.directives.cost ?? "0";
  options.journal?.end(task, []);
}

function askedFailure(task: Task): TaskFailure | null {
  const { fail: code, message } = task.directives;
  if (code === null) return null;
  if (code === "blocked") return { kind: "blocked", code: "400", message: message ?? BLOCKED };
  if (code === "input")
    return {
      kind: "input",
      code: "400",
      message:
        message ?? "Image fetch failed. Check access settings or use our File Upload API instead.",
    };
  return { kind: "provider", code, message: message ?? "Internal Error, Please try again later." };
}

/** Rejects when the task is canceled or forgotten. */
async function pause(task: Task, ms: number): Promise<void> {
  await setTimeout(ms, undefined, { signal: task.stop.signal, ref: false });
}
