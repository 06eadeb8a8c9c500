/** What members changed of their account, newest first: by page, and as a file. */
import type { AccountAction } from "../../../contract/enums/account-action.ts";
import type { AccountLogEntry } from "../../../contract/panel/account-log.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { readPage, type Page, type PageRequest } from "../../../serving/read-page.ts";
import { csvLines, type CsvCell } from "./csv.ts";
import { ACCOUNT_LOG_HEADS } from "./csv-heads.ts";
import { spellFor, type CsvReader, type CsvSpelling } from "./csv-spelling.ts";
import { eachPage, withZone } from "./export-csv.ts";
import { listActs } from "../../account-log/account-actions.store.ts";

export interface LogWish {
  readonly memberId: Uuid | null;
  readonly action: AccountAction | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

const EXPORT_PAGE = 1_000;

/** Throws Fault("invalid_request") on a limit or cursor that cannot be. */
export async function listAccountLog(
  q: Queryable,
  accountId: Uuid,
  { memberId, action, from, to, ...page }: LogWish & PageRequest,
): Promise<Page<AccountLogEntry>> {
  const { rows, next } = await readPage(
    page,
    (part) => listActs(q, { accountId, memberId, action, from, to, ...part }),
    ({ auditId }) => auditId,
  );
  return { rows: rows.map(({ at, ...act }) => ({ ...act, at: at.toISOString() })), next };
}

/** Throws Fault("invalid_request") for a time zone that there is not, before the first row. */
export async function exportAccountLog(
  q: Queryable,
  accountId: Uuid,
  { language, timezone, ...wish }: LogWish & CsvReader,
): Promise<AsyncGenerator<string>> {
  const spelling = spellFor({ language, timezone });
  const pages = await eachPage(
    (cursor) => listAccountLog(q, accountId, { ...wish, cursor, limit: EXPORT_PAGE }),
    (entry) => cellsOf(entry, spelling),
  );
  return csvLines(language, withZone(ACCOUNT_LOG_HEADS[language], spelling), pages);
}

function cellsOf(entry: AccountLogEntry, { moment }: CsvSpelling): CsvCell[] {
  return [
    moment(entry.at),
    { text: entry.actor },
    { figure: entry.action },
    { text: entry.subject },
    { figure: entry.subjectId },
    { text: jsonOf(entry.before) },
    { text: jsonOf(entry.after) },
  ];
}

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
