/** All that the panel's list of requests shows for a filter, page by page. */
import type { Books } from "../../src/business/past/books.ts";
import { listAccountRequests } from "../../src/business/panel/account/list-account-requests.ts";
import type { TotalsQuery } from "../../src/business/panel/account/read-request-totals.ts";
import type { PanelRequest } from "../../src/contract/panel/panel-request.ts";

export const NO_FILTER: TotalsQuery = {
  keyHash: null,
  model: null,
  state: null,
  kind: null,
  from: null,
  to: null,
};

/** Newest first. `limit`: of a page. */
export async function everyRequest(
  books: Books,
  accountId: string,
  query: TotalsQuery,
  limit: number,
): Promise<PanelRequest[]> {
  const rows: PanelRequest[] = [];
  let before: string | null = null;
  do {
    const page = await listAccountRequests(books, accountId, { ...query, before, limit });
    rows.push(...page.rows);
    before = page.next;
  } while (before !== null);
  return rows;
}
