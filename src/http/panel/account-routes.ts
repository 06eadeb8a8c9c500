/** An account: its money, keys, requests and models: the panel's routes for it. */
import type { Route } from "../route.ts";
import { keyRoutes, type KeyUseCases } from "./account/key-routes.ts";
import { ledgerRoutes, type LedgerUseCases } from "./account/ledger-routes.ts";
import { modelRoutes, type ModelUseCases } from "./account/model-routes.ts";
import { requestRoutes, type RequestUseCases } from "./account/request-routes.ts";
import { spendRoutes, type SpendUseCases } from "./account/spend-routes.ts";

export type AccountUseCases = SpendUseCases &
  KeyUseCases &
  RequestUseCases &
  LedgerUseCases &
  ModelUseCases;

export function accountRoutes(useCases: AccountUseCases): Route[] {
  return [
    ...spendRoutes(useCases),
    ...keyRoutes(useCases),
    ...requestRoutes(useCases),
    ...ledgerRoutes(useCases),
    ...modelRoutes(useCases),
  ];
}
