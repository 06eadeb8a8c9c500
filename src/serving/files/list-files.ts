/** An account's stored files, newest first, by cursor. */
import type { Queryable } from "../../db/database.ts";
import { listFiles as filesPage } from "../../files/files.store.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { readPage, type Page, type PageRequest } from "../read-page.ts";
import { listedFile, type ListedFile } from "./uploaded-file.ts";

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
