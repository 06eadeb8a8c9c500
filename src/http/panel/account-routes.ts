/**
 * An account: its money, keys, requests and models: the panel's routes for it, all under `/panel/api`.
 *
 * GET overview · GET spend?from&to&by&keyHash&model
 * GET keys?cursor&limit&deleted · POST keys → 201 {secret, key} · GET keys/{hash} · POST keys/{hash} (change) · DELETE keys/{hash} → {}
 * POST keys/{hash}/roll → 201 {secret, key} · POST keys/{hash}/freeze · POST keys/{hash}/unfreeze → the key · POST keys/freeze-all → {frozen}
 * GET requests?from&to&keyHash&model&state&kind&cursor&limit · GET requests/{id} · GET requests.csv (the same filters)
 * GET ledger?from&to&holds&cursor&limit · GET ledger.csv (the same filters)
 * GET models · POST quote/tasks/{model}?keyHash
 */
import type { Route } from "../route.ts";

export type AccountUseCases = Readonly<Record<never, never>>;

export function accountRoutes(_useCases: AccountUseCases): Route[] {
  return [];
}
