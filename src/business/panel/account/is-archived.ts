/** Whether a time reaches into months whose entries are in files. */
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import { Fault } from "../../../kernel/faults.ts";
import { pastFileOf } from "../../../ledger/seals.store.ts";
import type { Books } from "../../past/books.ts";
import { firstIdAt } from "../../requests/first-id-at.ts";

/**
 * Whether what arrived first or last in a time is archived: entries of such months are not looked at
 * one by one.
 */
export async function isArchived(
  books: Books,
  { from, to }: { readonly from: Date | null; readonly to: Date | null },
): Promise<boolean> {
  // The time ends right before `to`, which may be the first moment of the next month.
  const last = to === null ? null : new Date(to.getTime() - 1);
  for (const moment of [from, last])
    if (moment !== null && (await pastFileOf(books, firstIdAt(moment))) !== null) return true;
  return false;
}

/**
 * Before what something cost or took is looked for, which is done in the database alone. Throws
 * Fault("invalid_request").
 */
export async function checkNotArchived(
  books: Books,
  time: { readonly from: Date | null; readonly to: Date | null },
): Promise<void> {
  if (await isArchived(books, time))
    throw new Fault("invalid_request", { ...sayRefusal("weigh_archived"), param: "from" });
}
