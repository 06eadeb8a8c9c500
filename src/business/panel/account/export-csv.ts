/**
 * An account's ledger and requests as CSV, page by page as they are read: no more rows than a
 * spreadsheet takes, or a refusal before the first.
 */
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { LedgerEntry } from "../../../contract/panel/ledger-entry.ts";
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Books } from "../../past/books.ts";
import { countAllEntries } from "../../past/read-entries.ts";
import { csvLines, type CsvCell } from "./csv.ts";
import { LEDGER_HEADS, REQUEST_HEADS } from "./csv-heads.ts";
import { spellFor, type CsvReader, type CsvSpelling } from "./csv-spelling.ts";
import {
  countAccountRequests,
  listAccountRequests,
  type AccountRequestQuery,
} from "./list-account-requests.ts";
import { listLedger, type LedgerRequest } from "./list-ledger.ts";

export type LedgerExport = Omit<LedgerRequest, "cursor" | "limit"> & CsvReader;
export type RequestsExport = Omit<AccountRequestQuery, "before" | "limit"> & CsvReader;

const CSV_ROWS_MAX = 100_000;
const PAGE = 1_000;

/**
 * Throws Fault("invalid_request") where there are more than CSV_ROWS_MAX, and for a time zone that
 * there is not.
 */
export async function exportLedger(
  books: Books,
  accountId: Uuid,
  { language, timezone, ...wish }: LedgerExport,
): Promise<AsyncGenerator<string>> {
  const spelling = spellFor({ language, timezone });
  const { from, to, holds, kind } = wish;
  checkRows(
    await countAllEntries(books, {
      accountId,
      moneyOnly: !holds,
      kind,
      from,
      to,
      limit: CSV_ROWS_MAX + 1,
    }),
  );
  const pages = eachPage(
    (cursor) => listLedger(books, accountId, { ...wish, cursor, limit: PAGE }),
    (entry) => ledgerCells(entry, spelling),
  );
  return csvLines(language, withZone(LEDGER_HEADS[language], spelling), pages);
}

/** Throws as exportLedger, and Fault("not_found") for a key that is not the account's. */
export async function exportRequests(
  books: Books,
  accountId: Uuid,
  { language, timezone, ...wish }: RequestsExport,
): Promise<AsyncGenerator<string>> {
  const spelling = spellFor({ language, timezone });
  checkRows(
    await countAccountRequests(books, accountId, {
      ...wish,
      before: null,
      limit: CSV_ROWS_MAX + 1,
    }),
  );
  const pages = eachPage(
    (before) => listAccountRequests(books, accountId, { ...wish, before, limit: PAGE }),
    (request) => requestCells(request, spelling),
  );
  return csvLines(language, withZone(REQUEST_HEADS[language], spelling), pages);
}

function withZone(
  [time = "", ...others]: readonly string[],
  { zone }: CsvSpelling,
): readonly string[] {
  return [`${time} (${zone})`, ...others];
}

function checkRows(count: number): void {
  if (count <= CSV_ROWS_MAX) return;
  throw new Fault("invalid_request", sayRefusal("rows_most", { limit: CSV_ROWS_MAX }));
}

async function* eachPage<Row>(
  load: (
    cursor: string | null,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>,
  cells: (row: Row) => readonly CsvCell[],
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  let cursor: string | null = null;
  // More may be booked while it is read.
  for (let rows = 0; rows < CSV_ROWS_MAX; rows += PAGE) {
    const page = await load(cursor);
    yield page.rows.map(cells);
    if (page.next === null) return;
    cursor = page.next;
  }
}

function ledgerCells(entry: LedgerEntry, { moment, word }: CsvSpelling): CsvCell[] {
  return [
    moment(entry.at),
    word(entry.kind),
    { figure: entry.change },
    { figure: entry.balanceAfter },
    { figure: entry.request?.id ?? null },
    { figure: entry.key?.mask ?? null },
    { text: entry.key?.name ?? null },
    { figure: entry.priceVersion },
    { text: entry.reference },
    { text: entry.note },
    entry.class === null ? { figure: null } : word(entry.class),
  ];
}

function requestCells(request: PanelRequest, { moment, word }: CsvSpelling): CsvCell[] {
  const { usage } = request;
  return [
    moment(request.startedAt),
    { figure: request.id },
    word(request.kind),
    { figure: request.protocol },
    { text: request.model },
    { text: request.modelRequested },
    { figure: request.key?.mask ?? null },
    { text: request.key?.name ?? null },
    word(request.state),
    { text: request.finishReason },
    { figure: usage?.inputTokens ?? null },
    { figure: usage?.cachedInputTokens ?? null },
    { figure: usage === null ? null : usage.cacheWrite5mTokens + usage.cacheWrite1hTokens },
    { figure: usage?.outputTokens ?? null },
    { figure: usage?.reasoningTokens ?? null },
    { figure: request.durationMs },
    { figure: request.timeToFirstTokenMs },
    { figure: request.charged },
  ];
}
