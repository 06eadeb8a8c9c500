/**
 * What the business itself sees and does: the panel's routes for it. To members who are not
 * operators each is the 404 of a path that is not there.
 *
 * All under `/panel/api/operator`; bodies and answers are in `src/contract/panel/operator-*.ts`:
 * GET overview (OperatorOverview); GET accounts?search&state=open|blocked&cursor&limit
 * (OperatorAccountList); GET accounts/{id} (OperatorAccountDetail); POST accounts/{id}/credit
 * (CreditBody -> MoneyMoved), /adjust (AdjustBody -> MoneyMoved), /block (BlockBody ->
 * OperatorAccountDetail), /unblock (UnblockBody -> OperatorAccountDetail), /limits
 * (AccountLimitsBody -> OperatorAccountDetail); GET
 * requests?account&key&model&state&upstream&from&to&cursor&limit (OperatorRequestList); GET
 * requests/{id} (OperatorReceipt); GET tasks?account&model&state&cursor&limit (OperatorTaskList);
 * GET tasks/stuck?reconcile=true|false (StuckTasks); GET tasks/{id} (OperatorTaskDetail); POST
 * tasks/{id}/retry (TaskRetryBody -> TaskRetried), /fail (TaskFailBody -> TaskFailed); GET
 * catalogue (CatalogueSource); GET catalogue/versions?cursor&limit (CatalogueVersionList); GET
 * catalogue/versions/{version} (CatalogueSource); POST catalogue/check (CatalogueCheckBody ->
 * CatalogueCheck), /apply (CatalogueApplyBody -> CatalogueApplied), /dry-run (CatalogueCheckBody ->
 * CatalogueDryRun); GET upstreams?window=15m|24h (UpstreamsReport); GET
 * margin?from&to&by=day|model|upstream (MarginReport); GET ledger (LedgerStatus); POST
 * ledger/verify {} (202, Verification); GET audit?account&member&action&from&to&cursor&limit
 * (AuditList). And for every member: GET /panel/api/account/block (AccountBlock).
 */
import type { Route } from "../route.ts";
import {
  operatorAccountsRoutes,
  type OperatorAccountsUseCases,
} from "./operator/accounts-routes.ts";
import {
  operatorBusinessRoutes,
  type OperatorBusinessUseCases,
} from "./operator/business-routes.ts";
import {
  operatorCatalogueRoutes,
  type OperatorCatalogueUseCases,
} from "./operator/catalogue-routes.ts";
import { operatorWorkRoutes, type OperatorWorkUseCases } from "./operator/work-routes.ts";

export type OperatorUseCases = OperatorAccountsUseCases &
  OperatorWorkUseCases &
  OperatorCatalogueUseCases &
  OperatorBusinessUseCases;

export function operatorRoutes(useCases: OperatorUseCases): Route[] {
  return [
    ...operatorAccountsRoutes(useCases),
    ...operatorWorkRoutes(useCases),
    ...operatorCatalogueRoutes(useCases),
    ...operatorBusinessRoutes(useCases),
  ];
}
