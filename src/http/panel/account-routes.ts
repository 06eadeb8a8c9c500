/** An account: its money, keys, requests and models: the panel's routes for it. */
import type { Route } from "../route.ts";
import { accountLogRoutes } from "./account/account-log-routes.ts";
import { batchRoutes, type BatchRouteDeps } from "./account/batch-routes.ts";
import { groupRoutes, type GroupRouteDeps } from "./account/group-routes.ts";
import { keyRoutes, type KeyRouteDeps } from "./account/key-routes.ts";
import { ledgerRoutes, type LedgerRouteDeps } from "./account/ledger-routes.ts";
import { modelRoutes, type ModelRouteDeps } from "./account/model-routes.ts";
import { requestRoutes, type RequestRouteDeps } from "./account/request-routes.ts";
import { spendRoutes, type SpendRouteDeps } from "./account/spend-routes.ts";

export type AccountRouteDeps = SpendRouteDeps &
  KeyRouteDeps &
  GroupRouteDeps &
  RequestRouteDeps &
  LedgerRouteDeps &
  ModelRouteDeps &
  BatchRouteDeps;

export function accountRoutes(deps: AccountRouteDeps): Route[] {
  return [
    ...spendRoutes(deps),
    ...keyRoutes(deps),
    ...groupRoutes(deps),
    ...requestRoutes(deps),
    ...ledgerRoutes(deps),
    ...modelRoutes(deps),
    ...batchRoutes(deps),
    ...accountLogRoutes(deps),
  ];
}
