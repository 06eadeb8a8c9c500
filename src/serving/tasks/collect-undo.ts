/** Gives up files of a result whose task was not completed with them. */
import type { Db } from "../../db/database.ts";
import type { FileRecord } from "../../files/file-record.ts";
import { markDeleted } from "../../files/files.store.ts";
import type { TaskKey } from "../../tasks/task-record.ts";
import { lockJob } from "../../tasks/follow.store.ts";

class Ended extends Error {
  override name = "Ended";
}

export interface UndoDeps {
  readonly db: Pick<Db, "transaction">;
  onError(what: string, error: unknown): void;
}

/**
 * Files of a task that has ended stay: it may have ended with them, unheard here. What stays
 * needlessly expires. Never throws.
 */
export async function deleteCollected(
  deps: UndoDeps,
  task: TaskKey,
  files: readonly FileRecord[],
): Promise<void> {
  if (files.length === 0) return;
  try {
    await deps.db.transaction(async (tx) => {
      for (const { accountId, name } of files) await markDeleted(tx, { accountId, name });
      if (!(await lockJob(tx, task))) throw new Ended("the task has ended");
    });
  } catch (error) {
    if (!(error instanceof Ended))
      deps.onError("files of an unfinished result are left until they expire", error);
  }
}
