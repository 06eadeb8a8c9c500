/** The overview of an account, and what it spent by day, key or model. */
import type { Overview } from "../../../contract/panel/overview.ts";
import type { Spend } from "../../../contract/panel/spend.ts";
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
    memberRoute("GET /overview", {
      needs: "viewer",
      handle: async ({ member }) => ({
        json: await useCases.readOverview(member.accountId),
      }),
    }),
    memberRoute("GET /spend", {
      needs: "viewer",
      async handle({
        member,
        query: { from = null, to = null, by = "day", keyHash = null, model = null },
      }) {
        return {
          json: await useCases.readSpend(member.accountId, { from, to, by, keyHash, model }),
        };
      },
    }),
  ];
}
