/** The account's batches: seen by every member, stopped by those who manage. */
import { batchView } from "../../../business/panel/account/batch-view.ts";
import type { Route } from "../../route.ts";
import type { AccountBatches } from "../../../serving/batches/account-batches.ts";
import { memberRoute } from "../member-route.ts";

export interface BatchRouteDeps {
  readonly batches: Pick<AccountBatches, "listAll" | "cancelAny">;
}

export function batchRoutes({ batches }: BatchRouteDeps): Route[] {
  return [
    memberRoute("GET /batches", {
      needs: "viewer",
      seen: true,
      async handle({ member: { accountId }, query }) {
        const page = await batches.listAll(accountId, query);
        return { json: { data: page.rows.map(batchView), nextCursor: page.next } };
      },
    }),
    memberRoute("POST /batches/{id}/cancel", {
      needs: "manager",
      handle: async ({ member: { accountId }, params }) => ({
        json: batchView(await batches.cancelAny(accountId, params.id)),
      }),
    }),
  ];
}
