/** Chat requests and tasks of an account in one list, newest first, as the panel shows them. */
import type { RequestKind } from "../../../contract/enums/request-kind.ts";
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import type { Books } from "../../past/books.ts";
import { Fault } from "../../../kernel/faults.ts";
import { isUuid, type Uuid } from "../../../kernel/ids.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { idBounds } from "../../requests/id-bounds.ts";
import { findNewestRequests } from "../../requests/newest-requests.ts";
import { checkNotArchived } from "./is-archived.ts";
import { keyIdsOf } from "./key-scope.ts";
import type { RequestWeights } from "./request-totals.store.ts";
import { chatRequestView, taskRequestView } from "./request-view.ts";
import { requestsByIds } from "./requests-by-ids.ts";
import { weighedIds } from "./weighed-requests.store.ts";

export interface AccountRequestQuery {
  /** The last id of the page before. */
  readonly before: string | null;
  readonly limit: number;
  readonly keyHash: string | null;
  /** Only of this member's keys; absent or null: of all. */
  readonly ownerId?: Uuid | null;
  readonly model: string | null;
  readonly state: string | null;
  readonly kind: RequestKind | null;
  /** When they arrived: from this moment on, and before that one. */
  readonly from: Date | null;
  readonly to: Date | null;
  /** Absent or null: whatever it cost and took; else of what has ended alone. */
  readonly weights?: RequestWeights | null;
}

export interface AccountRequestPage {
  readonly rows: readonly PanelRequest[];
  readonly next: Uuid | null;
}

/**
 * Throws Fault("not_found") for a key that is not the account's, Fault("invalid_request") on a
 * cursor that this list did not give, and where what something cost is asked for of archived months.
 * By that, a page may be short, even empty, and yet not the last.
 */
export async function listAccountRequests(
  books: Books,
  accountId: Uuid,
  query: AccountRequestQuery,
): Promise<AccountRequestPage> {
  const { before, limit, keyHash, ownerId = null } = query;
  if (before !== null && !isUuid(before)) {
    throw new Fault("invalid_request", {
      message: "cursor: take it from `nextCursor` of the page before.",
      param: "cursor",
    });
  }
  const keyIds = await keyIdsOf(books, { accountId, ownerId }, keyHash);
  const { kind, model, state } = query;
  const bounds = idBounds({ ...query, before });
  const { weights = null } = query;
  if (weights !== null) {
    await checkNotArchived(books, query);
    const search = { accountId, keyIds, model, state, kind, weights, ...bounds };
    const { ids, lookedBackTo } = await weighedIds(books, { ...search, limit: limit + 1 });
    const page = ids.slice(0, limit);
    const more = ids.length > limit ? (page.at(-1)?.id ?? null) : null;
    return { rows: await requestsByIds(books, accountId, page), next: more ?? lookedBackTo };
  }
  const { rows: page, next } = await findNewestRequests(books, {
    accountId,
    keyIds,
    model,
    state,
    kind,
    limit,
    ...bounds,
  });
  const names = await findKeyNames(
    books,
    page.flatMap((each) => ("task" in each ? each.task.keyId : each.receipt.keyId) ?? []),
  );
  return {
    rows: page.map((each) =>
      "task" in each ? taskRequestView(each.task, names) : chatRequestView(each.receipt, names),
    ),
    next,
  };
}
