/** The account's books: every movement of its money with the balance after it. */
import type { LedgerPage, LedgerQuery } from "../../../contract/panel/ledger-entry.ts";
import type { LedgerRequest, LedgerRows } from "../../../business/panel/account/list-ledger.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import type { ListSourceOf } from "../list-source.ts";
import { memberContentRoute, memberRoute } from "../member-route.ts";
import { csvAnswer, csvReader } from "./csv-answer.ts";
import { listLedger } from "../../../business/panel/account/list-ledger.ts";
import { listLedgerDays } from "../../../business/panel/account/list-ledger-days.ts";
import { readTurnover } from "../../../business/panel/account/read-turnover.ts";
import { exportLedger } from "../../../business/panel/account/export-csv.ts";
import type { Books } from "../../../business/past/books.ts";

const DAYS_DEFAULT = 31;

export interface LedgerRouteDeps {
  readonly books: Books;
  readonly lists: ListSourceOf;
}

export function ledgerRoutes({ books, lists }: LedgerRouteDeps): Route[] {
  return [
    memberRoute("GET /ledger", {
      needs: "viewer",
      seen: true,
      async handle(call) {
        const request = ledgerRequest(call.query);
        const { accountId } = call.member;
        return { json: ledgerPage(await listLedger(lists(call).books, accountId, request)) };
      },
    }),
    memberRoute("GET /ledger/turnover", {
      needs: "viewer",
      seen: true,
      async handle({ member, query }) {
        const times = { from: readMoment("from", query.from), to: readMoment("to", query.to) };
        return { json: await readTurnover(books, member.accountId, times) };
      },
    }),
    memberRoute("GET /ledger/days", {
      needs: "viewer",
      seen: true,
      async handle({ member, query: { from = null, to = null, cursor = null, limit } }) {
        const wish = { from, to, cursor, limit: limit ?? DAYS_DEFAULT };
        return { json: await listLedgerDays(books, member.accountId, wish) };
      },
    }),
    memberContentRoute("GET /ledger.csv", {
      needs: "viewer",
      async handle(call) {
        const { member, query } = call;
        const wish = { ...filtersOf(query), ...csvReader(query) };
        const { fileName = "tollgate-ledger" } = query;
        return csvAnswer(fileName, await exportLedger(lists(call).books, member.accountId, wish));
      },
    }),
  ];
}

/** Throws Fault("invalid_request"). */
export function ledgerRequest(query: LedgerQuery): LedgerRequest {
  const { cursor = null, limit = LIST_PAGE_DEFAULT } = query;
  return { ...filtersOf(query), cursor, limit };
}

export function ledgerPage({ rows, next }: LedgerRows): LedgerPage {
  return { data: [...rows], nextCursor: next };
}

function filtersOf({
  from,
  to,
  holds = false,
  kind,
}: LedgerQuery): Omit<LedgerRequest, "cursor" | "limit"> {
  return { from: readMoment("from", from), to: readMoment("to", to), holds, kind: kind ?? null };
}
