/**
 * An account's ledger and requests as CSV, however many there are: page by page, each read when the
 * one before is taken, so that a file of any size costs the memory of one page.
 */
import type { LedgerEntry } from "../../../contract/panel/ledger-entry.ts";
import { movementOf } from "../../../contract/enums/movement.ts";
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Books } from "../../past/books.ts";
import { csvLines, type CsvCell } from "./csv.ts";
import { LEDGER_HEADS, REQUEST_HEADS } from "./csv-heads.ts";
import { spellFor, type CsvReader, type CsvSpelling } from "./csv-spelling.ts";
import { listAccountRequests, type AccountRequestQuery } from "./list-account-requests.ts";
import { listLedger, type LedgerRequest } from "./list-ledger.ts";

export type LedgerExport = Omit<LedgerRequest, "cursor" | "limit"> & CsvReader;
export type RequestsExport = Omit<AccountRequestQuery, "before" | "limit"> & CsvReader;

const PAGE = 1_000;

/** Throws Fault("invalid_request") for a time zone that there is not, before the first row. */
export async function exportLedger(
  books: Books,
  accountId: Uuid,
  { language, timezone, ...wish }: LedgerExport,
): Promise<AsyncGenerator<string>> {
  const spelling = spellFor({ language, timezone });
  const pages = await eachPage(
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
  const pages = await eachPage(
    (before) => listAccountRequests(books, accountId, { ...wish, before, limit: PAGE }),
    (request) => requestCells(request, spelling),
  );
  return csvLines(language, withZone(REQUEST_HEADS[language], spelling), pages);
}

/** Heads whose first one is told in which zone its moments are. */
export function withZone(
  [time = "", ...others]: readonly string[],
  { zone }: CsvSpelling,
): readonly string[] {
  return [`${time} (${zone})`, ...others];
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** The first page is read at once: what it refuses is an answer, not half a file. */
export async function eachPage<Row>(
  load: (cursor: string | null) => Promise<Page<Row>>,
  cells: (row: Row) => readonly CsvCell[],
): Promise<AsyncGenerator<readonly (readonly CsvCell[])[]>> {
  const first = await load(null);
  return (async function* pages() {
    // The newest first: what is booked while it is read stands before it, so there is an end.
    for (let page = first; ; page = await load(page.next)) {
      yield page.rows.map(cells);
      if (page.next === null) return;
    }
  })();
}

function ledgerCells(entry: LedgerEntry, { moment, word }: CsvSpelling): CsvCell[] {
  return [
    moment(entry.at),
    word(movementOf(entry)),
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
