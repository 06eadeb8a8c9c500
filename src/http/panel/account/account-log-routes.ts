/** What members changed of their account: a list and a file, for all but developers. */
import {
  exportAccountLog,
  listAccountLog,
  type LogWish,
} from "../../../business/panel/account/account-log.ts";
import type { AccountLogQuery } from "../../../contract/panel/account-log.ts";
import type { Db } from "../../../db/database.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberContentRoute, memberRoute } from "../member-route.ts";
import { csvAnswer, csvReader } from "./csv-answer.ts";

export function accountLogRoutes({ db }: { readonly db: Db }): Route[] {
  return [
    memberRoute("GET /log", {
      needs: "viewer",
      async handle({ member, query }) {
        const { cursor = null, limit } = query;
        const page = { ...wishOf(query), cursor, ...(limit === undefined ? {} : { limit }) };
        const { rows, next } = await listAccountLog(db, member.accountId, page);
        return { json: { data: [...rows], nextCursor: next } };
      },
    }),
    memberContentRoute("GET /log.csv", {
      needs: "viewer",
      async handle({ member, query }) {
        const wish = { ...wishOf(query), ...csvReader(query) };
        const { fileName = "tollgate-log" } = query;
        return csvAnswer(fileName, await exportAccountLog(db, member.accountId, wish));
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
