/** The overview of an account, and what it spent by day, key or model. */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { readOverview } from "../../../business/panel/account/read-overview.ts";
import { readSpend } from "../../../business/panel/account/read-spend.ts";
import type { Db } from "../../../db/database.ts";

export interface SpendRouteDeps {
  readonly db: Db;
}

export function spendRoutes({ db }: SpendRouteDeps): Route[] {
  return [
    memberRoute("GET /overview", {
      needs: "viewer",
      handle: async ({ member }) => ({
        json: await readOverview(db, member.accountId),
      }),
    }),
    memberRoute("GET /spend", {
      needs: "viewer",
      async handle({
        member,
        query: { from = null, to = null, by = "day", keyHash = null, model = null },
      }) {
        return {
          json: await readSpend(db, member.accountId, { from, to, by, keyHash, model }),
        };
      },
    }),
  ];
}
