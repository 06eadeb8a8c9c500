/** The overview of an account, and what it spent by day, key or model. */
import type { Overview } from "../../../contract/panel/overview.ts";
import { SpendQuery, type Spend } from "../../../contract/panel/spend.ts";
import type { SpendRequest } from "../../../business/panel/account/read-spend.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";

export interface SpendUseCases {
  readOverview(accountId: Uuid): Promise<Overview>;
  readSpend(accountId: Uuid, request: SpendRequest): Promise<Spend>;
}

export function spendRoutes(useCases: SpendUseCases): Route[] {
  return [
    memberRoute({
      method: "GET",
      path: "/panel/api/overview",
      needs: "viewer",
      handle: async ({ member }) => ({
        content: { json: await useCases.readOverview(member.accountId) },
      }),
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/spend",
      needs: "viewer",
      query: SpendQuery,
      async handle({
        member,
        query: { from = null, to = null, by = "day", keyHash = null, model = null },
      }) {
        return {
          content: {
            json: await useCases.readSpend(member.accountId, { from, to, by, keyHash, model }),
          },
        };
      },
    }),
  ];
}
