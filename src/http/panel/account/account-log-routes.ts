/** What members changed of their account: a list and a file, for all but developers. */
import {
  exportAccountLog,
  listAccountLog,
  type LogWish,
} from "../../../business/panel/account/account-log.ts";
import type { AccountLogQuery } from "../../../contract/panel/account-log.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import type { ListSourceOf } from "../list-source.ts";
import { memberContentRoute, memberRoute } from "../member-route.ts";
import { csvAnswer, csvReader } from "./csv-answer.ts";

export function accountLogRoutes({ lists }: { readonly lists: ListSourceOf }): Route[] {
  return [
    memberRoute("GET /log", {
      needs: "viewer",
      seen: true,
      async handle(call) {
        const { member, query } = call;
        const { cursor = null, limit } = query;
        const page = { ...wishOf(query), cursor, ...(limit === undefined ? {} : { limit }) };
        const { rows, next } = await listAccountLog(lists(call).db, member.accountId, page);
        return { json: { data: [...rows], nextCursor: next } };
      },
    }),
    memberContentRoute("GET /log.csv", {
      needs: "viewer",
      async handle(call) {
        const { member, query } = call;
        const wish = { ...wishOf(query), ...csvReader(query) };
        const { fileName = "tollgate-log" } = query;
        return csvAnswer(fileName, await exportAccountLog(lists(call).db, member.accountId, wish));
      },
    }),
  ];
}

function wishOf({ member, action, from, to }: AccountLogQuery): LogWish {
  return {
    memberId: member ?? null,
    action: action ?? null,
    from: readMoment("from", from),
    to: readMoment("to", to),
  };
}
