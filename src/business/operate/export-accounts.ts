/** The accounts that operators look at, as CSV: page by page, as they are read. */
import type { OperatorAccount } from "../../contract/panel/operator-accounts.ts";
import type { Queryable } from "../../db/database.ts";
import { LIST_PAGE_MAX } from "../../kernel/limits.ts";
import { csvLines, type CsvCell } from "../panel/account/csv.ts";
import { ACCOUNT_HEADS } from "../panel/account/csv-heads.ts";
import { spellFor, type CsvReader, type CsvSpelling } from "../panel/account/csv-spelling.ts";
import { listAnyAccounts, type AccountFilters } from "./list-any-accounts.ts";

/** More than a spreadsheet is read for. */
const MOST_ROWS = 100_000;

/** Throws Fault("invalid_request") for a time zone that there is not. */
export function exportAccounts(
  q: Queryable,
  { language, timezone, ...filters }: AccountFilters & CsvReader,
): AsyncGenerator<string> {
  const spelling = spellFor({ language, timezone });
  const [opened = "", ...others] = ACCOUNT_HEADS[language];
  const heads = [`${opened} (${spelling.zone})`, ...others];
  return csvLines(language, heads, eachPage(q, filters, spelling));
}

async function* eachPage(
  q: Queryable,
  filters: AccountFilters,
  spelling: CsvSpelling,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  let cursor: string | null = null;
  for (let rows = 0; rows < MOST_ROWS; rows += LIST_PAGE_MAX) {
    const page = await listAnyAccounts(q, { ...filters, cursor, limit: LIST_PAGE_MAX });
    yield page.data.map((account) => cells(account, spelling));
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}

function cells(account: OperatorAccount, { moment, word }: CsvSpelling): CsvCell[] {
  return [
    moment(account.createdAt),
    { text: account.name },
    { figure: account.accountId },
    { text: account.emails.join(" ") },
    { figure: account.balance },
    { figure: account.held },
    { figure: account.available },
    { figure: account.spent30Days },
    account.lastUsedAt === null ? { figure: null } : moment(account.lastUsedAt),
    word(account.blocked === null ? "open" : "blocked"),
    { text: account.tags.join(", ") },
  ];
}
