/** Requests and tasks of a list by the ids that were found for it. */
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { findTasks } from "../../../tasks/tasks.store.ts";
import { findRequests } from "../../../usage/receipts.store.ts";
import type { Books } from "../../past/books.ts";
import { chatRequestView, taskRequestView } from "./request-view.ts";

interface FoundId {
  readonly id: Uuid;
  readonly isTask: boolean;
}

/** In the order of the ids; what is gone meanwhile is left out. */
export async function requestsByIds(
  books: Books,
  accountId: Uuid,
  page: readonly FoundId[],
): Promise<PanelRequest[]> {
  const idsOf = (wanted: boolean): Uuid[] =>
    page.flatMap(({ id, isTask }) => (isTask === wanted ? [id] : []));
  const receipts = await findRequests(books, accountId, idsOf(false));
  const tasks = await findTasks(books, accountId, idsOf(true));
  const names = await findKeyNames(
    books,
    [...receipts, ...tasks].flatMap(({ keyId }) => keyId ?? []),
  );
  const views = new Map([
    ...receipts.map((receipt) => [receipt.requestId, chatRequestView(receipt, names)] as const),
    ...tasks.map((task) => [task.taskId, taskRequestView(task, names)] as const),
  ]);
  return page.flatMap(({ id }) => views.get(id) ?? []);
}
