/**
 * Brings a finished task home: its files into our storage, and then, in one transaction, the last
 * of them, the end of the task and its charge. So a task is completed, paid and has its files, or
 * none of it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { FileRecord } from "../../files/file-record.ts";
import { backoffMs, type Backoff } from "../../kernel/backoff.ts";
import type { TaskRecord, UpstreamCost } from "../../tasks/task-record.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import { withDeadline } from "./advance-call.ts";
import type { EngineParts } from "./advance-deps.ts";
import { LeaseLost, type Lease } from "./advance-lease.ts";
import { ended, failStep, LOST, putOff } from "./advance-outcome.ts";
import { counterpartOf, handleOf } from "./advance-target.ts";
import {
  collectFiles,
  discardAll,
  resultFileOf,
  UnfitResult,
  type CollectedFile,
} from "./collect-files.ts";
import { deleteCollected } from "./collect-undo.ts";
import { tableOf } from "./ingest-media.ts";
import { completeIn, type Ending } from "./settle-task.ts";

/**
 * Results that were not what they should be so often, over some minutes, will not become it. Who
 * may be back later has until the deadline.
 */
const MOST_TRIES = 8;
const RETRY: Backoff = { firstMs: 2_000, longestMs: 60_000 };
const CALL_MS = 120_000;
/** More are not results of one task. */
const MOST_FILES = 32;

/**
 * `collecting` → completed and charged, failed with its money back, or the same again later.
 * Returns a word for the metrics.
 */
export async function collectResults(parts: EngineParts, lease: Lease): Promise<string> {
  const { task, signal } = lease;
  const counterpart = counterpartOf(parts, task);
  const handle = handleOf(task, parts.clock.now());
  const record = await findTask(parts.db, task.accountId, task.taskId);
  if (record === null) return LOST;
  if ("reason" in counterpart)
    return again(parts, lease, { what: "expired", why: counterpart, transient: true });
  if (handle === null)
    return again(parts, lease, {
      what: "expired",
      why: sayReason("no_handle"),
      transient: false,
    });
  const { adapter, target, upstream } = counterpart;
  // Asked anew for every try: addresses of files may live for minutes only.
  const outcome = await withDeadline(signal, CALL_MS, (limited) =>
    adapter.poll(target, handle, limited),
  );
  if (outcome.kind === "failed")
    return failStep(parts, lease, { code: outcome.code, why: outcome });
  if (outcome.kind !== "succeeded") {
    const why = sayReason("end_withdrawn", { outcome: outcome.kind });
    const atLeastMs = outcome.kind === "busy" ? (outcome.retryAfterMs ?? 0) : 0;
    return again(parts, lease, { what: "expired", why, transient: true, atLeastMs });
  }
  if (outcome.urls.length === 0) {
    return again(parts, lease, {
      what: "unusable",
      why: sayReason("end_without_file"),
      transient: false,
    });
  }

  const { accountId, keyId } = task;
  const headers = outcome.authorize ? adapter.authorization(target) : null;
  const { makes } = tableOf(task.parameterTable);
  const urls = outcome.urls.slice(0, MOST_FILES);
  let files: CollectedFile[];
  try {
    files = await collectFiles(parts, { accountId, keyId, urls, headers, upstream, makes, signal });
  } catch (error) {
    if (error instanceof UnfitResult)
      return again(parts, lease, {
        what: error.what,
        why: error.why,
        transient: error.transient,
      });
    throw error;
  }
  return complete(parts, lease, record, files, outcome.cost);
}

async function complete(
  parts: EngineParts,
  { task }: Lease,
  record: TaskRecord,
  files: readonly CollectedFile[],
  upstreamCost: UpstreamCost | null,
): Promise<string> {
  const stored: FileRecord[] = [];
  let ending: Ending = { ended: false };
  try {
    for (const [index, { received }] of files.entries()) {
      if (index < files.length - 1) stored.push(await received.commit());
      else
        await received.commit(async (tx, last) => {
          const all = [...stored, last].map((file, at) =>
            resultFileOf(file, files[at]?.facts ?? null),
          );
          ending = await completeIn(tx, {
            task: record,
            leaseId: task.leaseId,
            result: { files: all },
            upstreamCost,
          });
          // Rolls the file back too.
          if (!ending.ended)
            throw new LeaseLost("the task was moved on while its results were copied");
        });
    }
  } catch (error) {
    await discardAll(files.slice(stored.length));
    await deleteCollected(parts, task, stored);
    if (error instanceof LeaseLost) return LOST;
    throw error;
  }
  return ended(parts, task, "completed", ending) ? "completed" : LOST;
}

interface NoResult {
  readonly what: UnfitResult["what"];
  readonly why: WordedReason;
  /** A server is in trouble, or does not answer: it says nothing of the result. */
  readonly transient: boolean;
  /** As it asked. */
  readonly atLeastMs?: number;
}

async function again(
  parts: EngineParts,
  lease: Lease,
  { what, why, transient, atLeastMs = 0 }: NoResult,
): Promise<string> {
  const { tries, leftMs } = lease.task;
  if (tries + 1 >= MOST_TRIES && !(transient && leftMs > 0)) {
    return failStep(parts, lease, {
      code: what === "expired" ? "result_expired" : "provider_error",
      why,
    });
  }
  const usualMs = backoffMs(tries, RETRY, parts.random);
  const dueInMs = Math.max(usualMs, Math.min(atLeastMs, leftMs));
  return (await putOff(parts, lease, { dueInMs, tries: tries + 1 })) ? what : LOST;
}
