/**
 * Takes a leased task one step further, whatever step it is at; what throws is put off, and in the
 * end fails.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { backoffMs, type Backoff } from "../../kernel/backoff.ts";
import type { EngineParts } from "./advance-deps.ts";
import { LeaseLost, type Lease } from "./advance-lease.ts";
import { failStep, LOST, putOff } from "./advance-outcome.ts";
import { collectResults } from "./collect-results.ts";
import { ingestMedia } from "./ingest-media.ts";
import { watchLate } from "./poll-late.ts";
import type { PollNotes } from "./poll-notes.ts";
import { pollTask } from "./poll-task.ts";
import { foundSubmitting, resolveUnknown } from "./submit-unknown.ts";
import { submitTask } from "./submit-task.ts";

const RETRY: Backoff = { firstMs: 2_000, longestMs: 60_000 };
/** A step that goes wrong on our side for so long will not go right. */
const BROKEN_FOR_MS = 6 * 3_600_000;

/** Returns a word for the metrics. Never throws. */
export async function takeStep(
  parts: EngineParts,
  notes: PollNotes,
  lease: Lease,
): Promise<string> {
  try {
    return await step(parts, notes, lease);
  } catch (error) {
    return broken(parts, lease, error);
  }
}

async function step(parts: EngineParts, notes: PollNotes, lease: Lease): Promise<string> {
  switch (lease.task.phase) {
    case "held":
      return ingestMedia(parts, lease);
    case "ready":
      return submitTask(parts, lease);
    case "submitting":
      return foundSubmitting(parts, lease);
    case "submit_unknown":
      return resolveUnknown(parts, lease);
    case "running":
      return poll(parts, notes, lease);
    case "collecting":
      return collectResults(parts, lease);
    case "watching":
      return watchLate(parts, lease);
  }
}

/** In turn with all that is asked of this upstream. */
async function poll(parts: EngineParts, notes: PollNotes, lease: Lease): Promise<string> {
  const name = lease.task.upstream ?? "";
  const upstream = parts.catalogue.current().catalogue.upstreams.get(name);
  const place = await parts.places.enter({ name, maxConcurrent: upstream?.maxConcurrent ?? 1 });
  let end: Awaited<ReturnType<typeof pollTask>>;
  try {
    lease.signal.throwIfAborted();
    end = await pollTask(parts, lease);
  } finally {
    place.release();
  }
  if (typeof end === "string") return end;
  await notes.add(end);
  return end.tries === 0 ? "running" : "silent";
}

/** On our side: the database, the storage, a mistake in the program. */
async function broken(parts: EngineParts, lease: Lease, error: unknown): Promise<string> {
  const { task } = lease;
  // What was broken off is given back as it is.
  if (error instanceof LeaseLost || lease.signal.aborted) return LOST;
  parts.onError(`the task ${task.taskId} could not be taken further from ${task.phase}`, error);
  try {
    const hopeless =
      task.phase === "collecting"
        ? task.phaseMs >= BROKEN_FOR_MS
        : task.leftMs <= 0 && task.phase !== "watching";
    // A submission that may be under way is left where it stands: the engine that finds it so asks
    // the upstream for it.
    if (hopeless && task.phase !== "submitting" && task.phase !== "submit_unknown") {
      return await failStep(parts, lease, {
        code: "internal",
        why: sayReason("own_fault", {
          words: error instanceof Error ? error.message : String(error),
        }),
      });
    }
    // Not counted: the tries count the mistakes of others, not ours.
    const dueInMs = backoffMs(Math.floor(task.phaseMs / RETRY.longestMs), RETRY, parts.random);
    return (await putOff(parts, lease, { dueInMs, tries: task.tries })) ? "broken" : LOST;
  } catch {
    // The lease runs out by itself.
    return "broken";
  }
}
