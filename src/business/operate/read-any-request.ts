/**
 * One request with what its owner does not see: upstreams' models and reasons, what it cost, and
 * its entries in the ledger.
 */
import type { OperatorReceipt } from "../../contract/panel/operator-requests.ts";
import { Fault } from "../../kernel/faults.ts";
import { parseRequestId, type Uuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { Books } from "../past/books.ts";
import type { PriceHistory } from "../requests/price-history.ts";
import { readAccountRequest } from "../panel/account/read-account-request.ts";
import { readAnyRequest as readReceipt } from "../requests/read-request.ts";
import { pastEntriesOf } from "../past/read-entries.ts";
import { entriesOfRequest, type RequestEntry } from "./any-requests.store.ts";
import { accountNames } from "./find-accounts.store.ts";

async function entriesOf(
  books: Books,
  accountId: Uuid,
  requestId: Uuid,
): Promise<readonly RequestEntry[]> {
  const here = await entriesOfRequest(books, accountId, requestId);
  return here.length > 0 ? here : pastEntriesOf(books, accountId, requestId);
}

/** Throws Fault("not_found") for what does not exist, and for what has not ended. */
export async function readAnyRequest(
  books: Books,
  prices: PriceHistory,
  id: string,
): Promise<OperatorReceipt> {
  const requestId = parseRequestId(id);
  const receipt = requestId === null ? null : await readReceipt(books, prices, requestId);
  if (requestId === null || receipt === null)
    throw new Fault("not_found", { message: "There is no such request that has ended." });
  const [{ trail, price }, entries, names] = await Promise.all([
    readAccountRequest(books, prices, { accountId: null, id }),
    entriesOf(books, receipt.accountId, requestId),
    accountNames(books, [receipt.accountId]),
  ]);
  return {
    ...receipt,
    trail,
    price,
    accountName: names.get(receipt.accountId) ?? null,
    entries: entries.map(({ entryId, kind, at, amountNano, heldNano, releasedNano }) => ({
      entryId,
      kind,
      at: at.toISOString(),
      amount: formatRoubles(amountNano),
      held: heldNano === null ? null : formatRoubles(heldNano),
      released: releasedNano === null ? null : formatRoubles(releasedNano),
    })),
  };
}
