/** The log of requests and tasks, and the receipt of each. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { PanelRequestQuery } from "../../../contract/panel/panel-request.ts";
import type { AccountRequestQuery } from "../../../business/panel/account/list-account-requests.ts";
import { formatRequestId, parseRequestId } from "../../../kernel/ids.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import { parseRoubles, type Nano } from "../../../kernel/money.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import type { ListSourceOf } from "../list-source.ts";
import { memberContentRoute, memberRoute } from "../member-route.ts";
import { csvAnswer, csvReader } from "./csv-answer.ts";
import { keyScopeOf } from "../../../business/panel/account/key-scope.ts";
import { listAccountRequests } from "../../../business/panel/account/list-account-requests.ts";
import { readRequestTotals } from "../../../business/panel/account/read-request-totals.ts";
import { sortAccountRequests } from "../../../business/panel/account/sort-account-requests.ts";
import { exportRequests } from "../../../business/panel/account/export-csv.ts";
import { readAccountRequest } from "../../../business/panel/account/read-account-request.ts";
import type { Books } from "../../../business/past/books.ts";
import type { PriceHistory } from "../../../business/requests/price-history.ts";

export interface RequestRouteDeps {
  readonly books: Books;
  readonly lists: ListSourceOf;
  readonly prices: PriceHistory;
}

export function requestRoutes({ books, lists, prices }: RequestRouteDeps): Route[] {
  return [
    memberRoute("GET /requests", {
      needs: "developer",
      seen: true,
      async handle(call) {
        const { member, query } = call;
        const { books: listed } = lists(call);
        const { cursor, limit = LIST_PAGE_DEFAULT, order = "time" } = query;
        if (order !== "time") {
          const page = await sortAccountRequests(listed, member.accountId, {
            ...filtersOf(member, query),
            order,
            cursor: cursor ?? null,
            limit,
          });
          return { json: { data: [...page.rows], nextCursor: page.next } };
        }
        const before = cursor === undefined ? null : (parseRequestId(cursor) ?? cursor);
        const { rows, next } = await listAccountRequests(listed, member.accountId, {
          ...filtersOf(member, query),
          before,
          limit,
        });
        const nextCursor = next === null ? null : formatRequestId(next);
        return { json: { data: [...rows], nextCursor } };
      },
    }),
    memberContentRoute("GET /requests.csv", {
      needs: "developer",
      async handle(call) {
        const { member, query } = call;
        const wish = { ...filtersOf(member, query), ...csvReader(query) };
        const { fileName = "tollgate-requests" } = query;
        const { books: listed } = lists(call);
        return csvAnswer(fileName, await exportRequests(listed, member.accountId, wish));
      },
    }),
    memberRoute("GET /requests/totals", {
      needs: "developer",
      seen: true,
      async handle(call) {
        const { member, query } = call;
        const filters = filtersOf(member, query);
        return { json: await readRequestTotals(lists(call).books, member.accountId, filters) };
      },
    }),
    memberRoute("GET /requests/{id}", {
      needs: "developer",
      seen: true,
      handle: async ({ member, params }) => ({
        json: await readAccountRequest(books, prices, {
          ...keyScopeOf(member),
          id: params.id,
        }),
      }),
    }),
  ];
}

function filtersOf(
  member: MemberCaller,
  query: PanelRequestQuery,
): Omit<AccountRequestQuery, "before" | "limit"> {
  const { keyHash, model, state, kind, from, to } = query;
  const { chargedFrom, chargedTo, durationFromMs, durationToMs } = query;
  const weights = {
    chargedFromNano: amountOf(chargedFrom),
    chargedToNano: amountOf(chargedTo),
    durationFromMs: durationFromMs ?? null,
    durationToMs: durationToMs ?? null,
  };
  return {
    keyHash: keyHash ?? null,
    ownerId: keyScopeOf(member).ownerId,
    model: model ?? null,
    state: state ?? null,
    kind: kind ?? null,
    from: readMoment("from", from),
    to: readMoment("to", to),
    weights: Object.values(weights).every((bound) => bound === null) ? null : weights,
  };
}

/** Of an amount that the schema let through. */
function amountOf(roubles: string | undefined): Nano | null {
  return roubles === undefined ? null : parseRoubles(roubles);
}
