/**
 * Deletes a stored file: from the moment it is committed it is served no more and counts for
 * nothing; its bytes go next.
 */
import type { Db } from "../../db/database.ts";
import { markDeleted } from "../../files/files.store.ts";
import { finishRemovals } from "../../files/sweep.store.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";

export interface DeleteFileDeps {
  readonly db: Db;
  readonly storage: Pick<ObjectStorage, "remove">;
  onError(what: string, error: unknown): void;
}

/** `not-found`: the account has no such file; a stranger's is as good as none. */
export async function deleteFile(
  deps: DeleteFileDeps,
  accountId: Uuid,
  name: string,
): Promise<"deleted" | "not-found"> {
  const { db, storage } = deps;
  if (!(await db.transaction((tx) => markDeleted(tx, { accountId, name })))) return "not-found";
  try {
    await storage.remove([name]);
    await finishRemovals(db, [name]);
  } catch (error) {
    deps.onError("the bytes of a deleted file wait for the sweeper", error);
  }
  return "deleted";
}
