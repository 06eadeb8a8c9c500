/** The overview of an account, what it spent by day, key, model, group or member, and what it used in a time. */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { keyScopeOf } from "../../../business/panel/account/key-scope.ts";
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
      seen: true,
      handle: async ({ member }) => ({
        json: await readOverview(db, member.accountId),
      }),
    }),
    memberRoute("GET /spend", {
      needs: "developer",
      seen: true,
      async handle({
        member,
        query: { from = null, to = null, by = "day", keyHash = null, model = null },
      }) {
        const { ownerId } = keyScopeOf(member);
        const wish = { from, to, by, keyHash, model, ownerId };
        return { json: await readSpend(db, member.accountId, wish) };
      },
    }),
    memberRoute("GET /usage", {
      needs: "developer",
      seen: true,
      async handle({ member, query }) {
        const {
          range = "30d",
          by = "model",
          figure = "spent",
          from,
          to,
          keyHash,
          model,
          kind,
        } = query;
        const { ownerId } = keyScopeOf(member);
        const chosen = { keyHash: keyHash ?? null, model: model ?? null, kind: kind ?? null };
        const filters = { ...chosen, ownerId };
        const time = { range, from: from ?? null, to: to ?? null };
        return {
          json: await readUsage(db, member.accountId, {
            ...time,
            ...filters,
            by,
            figure,
          }),
        };
      },
    }),
  ];
}
