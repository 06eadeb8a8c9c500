/** The page of a list that a caller asks for: how many rows, and after which one. */
import { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { isUuid } from "../kernel/ids.ts";
import { LIST_PAGE_DEFAULT, LIST_PAGE_MAX } from "../kernel/limits.ts";

export interface PageRequest {
  /** 1 to LIST_PAGE_MAX; LIST_PAGE_DEFAULT when absent. */
  readonly limit?: number;
  /** That of the page before; absent or null for the first page. */
  readonly cursor?: string | null;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/**
 * Throws Fault("invalid_request") on a limit or cursor that cannot be. Cursors are ids of rows,
 * newest first.
 */
export async function readPage<Row>(
  request: PageRequest,
  load: (page: { before: Uuid | null; limit: number }) => Promise<readonly Row[]>,
  idOf: (row: Row) => Uuid,
): Promise<Page<Row>> {
  const limit = request.limit ?? LIST_PAGE_DEFAULT;
  const before = request.cursor ?? null;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_PAGE_MAX) {
    throw new Fault("invalid_request", {
      message: `limit: a whole number from 1 to ${LIST_PAGE_MAX} is expected.`,
      param: "limit",
    });
  }
  if (before !== null && !isUuid(before)) {
    throw new Fault("invalid_request", {
      message: "cursor: take it from `nextCursor` of the page before.",
      param: "cursor",
    });
  }
  // One row more than asked for tells whether there is a next page.
  const found = await load({ before, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? idOf(last) : null };
}
