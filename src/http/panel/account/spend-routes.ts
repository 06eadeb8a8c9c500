/** The overview of an account, what it spent by day, key or model, and what it used in a time. */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { readOverview } from "../../../business/panel/account/read-overview.ts";
import { readSpend } from "../../../business/panel/account/read-spend.ts";
import { readUsage } from "../../../business/panel/account/read-usage.ts";
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
    memberRoute("GET /usage", {
      needs: "viewer",
      async handle({ member, query }) {
        const { range = "30d", by = "model", from, to, keyHash, model, kind } = query;
        const filters = { keyHash: keyHash ?? null, model: model ?? null, kind: kind ?? null };
        const time = { range, from: from ?? null, to: to ?? null };
        return { json: await readUsage(db, member.accountId, { ...time, ...filters, by }) };
      },
    }),
  ];
}
