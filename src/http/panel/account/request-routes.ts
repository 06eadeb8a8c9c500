/** The log of requests and tasks, and the receipt of each. */
import {
  PanelRequestQuery,
  type PanelReceipt,
  type PanelRequestList,
} from "../../../contract/panel/panel-request.ts";
import type {
  AccountRequestPage,
  AccountRequestQuery,
} from "../../../business/panel/account/list-account-requests.ts";
import type { RequestsExport } from "../../../business/panel/account/export-csv.ts";
import { formatRequestId, parseRequestId, type Uuid } from "../../../kernel/ids.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { csvAnswer, csvQuery, csvReader } from "./csv-answer.ts";

export interface RequestUseCases {
  listRequests(accountId: Uuid, query: AccountRequestQuery): Promise<AccountRequestPage>;
  readRequest(accountId: Uuid, id: string): Promise<PanelReceipt>;
  exportRequests(accountId: Uuid, wish: RequestsExport): Promise<AsyncGenerator<string>>;
}

export function requestRoutes(useCases: RequestUseCases): Route[] {
  return [
    memberRoute({
      method: "GET",
      path: "/panel/api/requests",
      needs: "viewer",
      query: PanelRequestQuery,
      async handle({ member, query }) {
        const { cursor, limit = LIST_PAGE_DEFAULT } = query;
        const before = cursor === undefined ? null : (parseRequestId(cursor) ?? cursor);
        const { rows, next } = await useCases.listRequests(member.accountId, {
          ...filtersOf(query),
          before,
          limit,
        });
        const json: PanelRequestList = {
          data: [...rows],
          nextCursor: next === null ? null : formatRequestId(next),
        };
        return { content: { json } };
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/requests.csv",
      needs: "viewer",
      query: csvQuery(PanelRequestQuery),
      async handle({ member, query }) {
        const wish = { ...filtersOf(query), ...csvReader(query) };
        return csvAnswer("requests", await useCases.exportRequests(member.accountId, wish));
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/requests/{id}",
      needs: "viewer",
      handle: async ({ member, params }) => ({
        content: { json: await useCases.readRequest(member.accountId, params["id"] ?? "") },
      }),
    }),
  ];
}

function filtersOf(query: PanelRequestQuery): Omit<AccountRequestQuery, "before" | "limit"> {
  const { keyHash, model, state, kind, from, to } = query;
  return {
    keyHash: keyHash ?? null,
    model: model ?? null,
    state: state ?? null,
    kind: kind ?? null,
    from: readMoment("from", from),
    to: readMoment("to", to),
  };
}
