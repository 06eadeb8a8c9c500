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

/**
 * All under `/panel/api`:
 *
 * GET overview · GET spend?from&to&by&keyHash&model GET keys?cursor&limit&deleted · POST keys → 201
 * {secret, key} · GET keys/{hash} · POST keys/{hash} (change) · DELETE keys/{hash} → {} POST
 * keys/{hash}/roll → 201 {secret, key} · POST keys/{hash}/freeze · POST keys/{hash}/unfreeze → the
 * key · POST keys/freeze-all → {frozen} GET requests?from&to&keyHash&model&state&kind&cursor&limit
 * · GET requests/{id} · GET requests.csv (the same filters) GET ledger?from&to&holds&cursor&limit ·
 * GET ledger.csv (the same filters) GET models · POST quote/tasks/{model}
 */
export function accountRoutes(useCases: AccountUseCases): Route[] {
  return [
    ...spendRoutes(useCases),
    ...keyRoutes(useCases),
    ...requestRoutes(useCases),
    ...ledgerRoutes(useCases),
    ...modelRoutes(useCases),
  ];
}
