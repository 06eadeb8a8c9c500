/** An account's entries, newest first, with the balance after each. */
import type { EntryKind } from "../../../contract/enums/entry-kind.ts";
import type { LedgerEntry } from "../../../contract/panel/ledger-entry.ts";
import { Fault } from "../../../kernel/faults.ts";
import { formatRequestId, isUuid, type Uuid } from "../../../kernel/ids.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import type { Entry } from "../../../ledger/entries.store.ts";
import type { Books } from "../../past/books.ts";
import { listAllEntries } from "../../past/read-entries.ts";
import type { Names } from "./request-view.ts";

export interface LedgerRequest {
  readonly cursor: string | null;
  readonly limit: number;
  /** Booked from this moment on, and before that one. */
  readonly from: Date | null;
  readonly to: Date | null;
  /** What moved no money of the account, too. */
  readonly holds: boolean;
  /** Only these, whatever `holds` says; null: no such filter. */
  readonly kind: EntryKind | null;
}

export interface LedgerRows {
  readonly rows: readonly LedgerEntry[];
  readonly next: string | null;
}

/** Throws Fault("invalid_request") on a cursor that this list did not give. */
export async function listLedger(
  books: Books,
  accountId: Uuid,
  request: LedgerRequest,
): Promise<LedgerRows> {
  const { holds, ...search } = request;
  const page = await listAllEntries(books, { accountId, moneyOnly: !holds, ...search });
  if (page === null)
    throw new Fault("invalid_request", {
      message: "cursor: take it from `nextCursor` of the page before.",
      param: "cursor",
    });
  const names = await findKeyNames(
    books,
    page.entries.flatMap(({ budgetId }) => budgetId ?? []),
  );
  return { rows: page.entries.map((entry) => entryView(entry, names)), next: page.nextCursor };
}

function entryView(entry: Entry, names: Names): LedgerEntry {
  const {
    entryId,
    at,
    kind,
    changeNano,
    balanceAfterNano,
    heldNano,
    releasedNano,
    budgetId,
    priceVersion,
    reference,
    note,
    creditClass,
  } = entry;
  return {
    entryId,
    at: at.toISOString(),
    kind,
    class: creditClass,
    change: formatRoubles(changeNano),
    balanceAfter: formatRoubles(balanceAfterNano),
    held: heldNano === null ? null : formatRoubles(heldNano),
    released: releasedNano === null ? null : formatRoubles(releasedNano),
    request: requestOf(entry),
    key: names.get(budgetId ?? "") ?? null,
    priceVersion,
    reference,
    note,
  };
}

const TASK = "task:";

function requestOf({ kind, entryId, reference }: Entry): LedgerEntry["request"] {
  if (kind !== "charge" && kind !== "release") return null;
  if (reference.startsWith(TASK)) return { kind: "task", id: reference.slice(TASK.length) };
  return isUuid(entryId) ? { kind: "chat", id: formatRequestId(entryId) } : null;
}
