/** The log of requests and tasks, and the receipt of each. */
import type { PanelReceipt, PanelRequestQuery } from "../../../contract/panel/panel-request.ts";
import type {
  AccountRequestPage,
  AccountRequestQuery,
} from "../../../business/panel/account/list-account-requests.ts";
import type { RequestsExport } from "../../../business/panel/account/export-csv.ts";
import { formatRequestId, parseRequestId, type Uuid } from "../../../kernel/ids.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberContentRoute, memberRoute } from "../member-route.ts";
import { csvAnswer, csvReader } from "./csv-answer.ts";

export interface RequestUseCases {
  listRequests(accountId: Uuid, query: AccountRequestQuery): Promise<AccountRequestPage>;
  readRequest(accountId: Uuid, id: string): Promise<PanelReceipt>;
  exportRequests(accountId: Uuid, wish: RequestsExport): Promise<AsyncGenerator<string>>;
}

export function requestRoutes(useCases: RequestUseCases): Route[] {
  return [
    memberRoute("GET /requests", {
      needs: "viewer",
      async handle({ member, query }) {
        const { cursor, limit = LIST_PAGE_DEFAULT } = query;
        const before = cursor === undefined ? null : (parseRequestId(cursor) ?? cursor);
        const { rows, next } = await useCases.listRequests(member.accountId, {
          ...filtersOf(query),
          before,
          limit,
        });
        const nextCursor = next === null ? null : formatRequestId(next);
        return { json: { data: [...rows], nextCursor } };
      },
    }),
    memberContentRoute("GET /requests.csv", {
      needs: "viewer",
      async handle({ member, query }) {
        const wish = { ...filtersOf(query), ...csvReader(query) };
        return csvAnswer("requests", await useCases.exportRequests(member.accountId, wish));
      },
    }),
    memberRoute("GET /requests/{id}", {
      needs: "viewer",
      handle: async ({ member, params }) => ({
        json: await useCases.readRequest(member.accountId, params.id),
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
