/** An account's stored files: listed, newest first, by cursor, and deleted. */
import type { Db, Queryable } from "../../db/database.ts";
import { listFiles as filesPage, markDeleted } from "../../files/files.store.ts";
import { finishRemovals } from "../../files/sweep.store.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { readPage, type Page, type PageRequest } from "../read-page.ts";
import { listedFile, type ListedFile } from "./uploaded-file.ts";

export interface DeleteFileDeps {
  readonly db: Db;
  readonly storage: Pick<ObjectStorage, "remove">;
  onError(what: string, error: unknown): void;
}

/**
 * Only those that are served now. Throws Fault("invalid_request") on a limit or cursor that cannot
 * be.
 */
export async function listFiles(
  deps: { readonly db: Queryable; staticUrl(): string },
  accountId: Uuid,
  request: PageRequest,
): Promise<Page<ListedFile>> {
  const { rows, next } = await readPage(
    request,
    (part) => filesPage(deps.db, { accountId, ...part }),
    (file) => file.fileId,
  );
  const staticUrl = deps.staticUrl();
  return { rows: rows.map((file) => listedFile(file, staticUrl)), next };
}

/**
 * From the moment it is committed the file is served no more and counts for nothing; its bytes go
 * next. `not-found`: the account has no such file; a stranger's is as good as none.
 */
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
