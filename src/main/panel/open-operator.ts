/** What the business itself sees and does: put together for the panel. */
import { failAnyTask, retryAnyTask } from "../../business/operate/act-on-task.ts";
import { findStuckTasks, listTasksOfAll, readAnyTask } from "../../business/operate/any-tasks.ts";
import { applyFromPanel } from "../../business/operate/apply-from-panel.ts";
import { blockAccount, unblockAccount } from "../../business/operate/block-account.ts";
import {
  checkCatalogue,
  listCatalogueVersions,
  readCatalogueVersion,
} from "../../business/operate/catalogue-pages.ts";
import { dryRun } from "../../business/operate/dry-run.ts";
import { askForVerification, readLedgerStatus } from "../../business/operate/ledger-status.ts";
import { limitAccount } from "../../business/operate/limit-account.ts";
import { listAnyAccounts, readBlock } from "../../business/operate/list-any-accounts.ts";
import { listAnyRequests } from "../../business/operate/list-any-requests.ts";
import { listAudit } from "../../business/operate/list-audit.ts";
import { adjustAccount, creditAccount } from "../../business/operate/move-money.ts";
import { listAnyLedger } from "../../business/operate/list-any-ledger.ts";
import { readAnyAccount } from "../../business/operate/read-any-account.ts";
import { readAnyRequest } from "../../business/operate/read-any-request.ts";
import { readMargin } from "../../business/operate/read-margin.ts";
import { readOperatorOverview } from "../../business/operate/read-operator-overview.ts";
import { readUpstreams } from "../../business/operate/read-upstreams.ts";
import { createPriceHistory } from "../../business/requests/price-history.ts";
import type { OperatorUseCases } from "../../http/panel/operator-routes.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

/** What operators do needs no more of the process than this. */
export type OperatorDeps = Pick<PanelDeps, "catalogue" | "clock" | "db" | "env"> & {
  staticUrl(): string;
};

export function openOperator(deps: PanelDeps): PanelPart<OperatorUseCases> {
  const { baseUrl, config } = deps;
  return {
    useCases: operatorUseCases({
      ...deps,
      staticUrl: () => config.staticUrl ?? `${baseUrl()}/static`,
    }),
    close: async () => undefined,
  };
}

export function operatorUseCases(deps: OperatorDeps): OperatorUseCases {
  const { db, env } = deps;
  const prices = createPriceHistory(db, env);
  return {
    listAccounts: (query) => listAnyAccounts(db, query),
    listAccountLedger: (accountId, request) => listAnyLedger(db, accountId, request),
    readAccount: (accountId) => readAnyAccount(deps, accountId),
    credit: (operator, accountId, body) => creditAccount(db, operator, accountId, body),
    adjust: (operator, accountId, body) => adjustAccount(db, operator, accountId, body),
    block: (operator, accountId, reason) => blockAccount(db, operator, accountId, reason),
    unblock: (operator, accountId, reason) => unblockAccount(db, operator, accountId, reason),
    limit: (operator, accountId, changes) => limitAccount(db, operator, accountId, changes),
    readBlock: (member) => readBlock(db, member.accountId),
    listRequests: (query) => listAnyRequests(deps, query),
    readRequest: (id) => readAnyRequest(db, prices, id),
    listTasks: (query) => listTasksOfAll(db, query),
    readTask: (taskId) => readAnyTask(db, taskId, deps.staticUrl()),
    stuckTasks: (reconcile) => findStuckTasks(db, reconcile),
    retryTask: (operator, taskId, reason) => retryAnyTask(db, operator, taskId, reason),
    failTask: (operator, taskId, reason) => failAnyTask(db, operator, taskId, reason),
    readCatalogue: (version) => readCatalogueVersion(db, version),
    listVersions: (page) => listCatalogueVersions(db, page),
    checkCatalogue: (source) => checkCatalogue(db, env, source),
    applyCatalogue: (operator, body) => applyFromPanel(db, env, operator, body),
    dryRun: (source) => dryRun(deps, source),
    readOverview: () => readOperatorOverview(db),
    readUpstreams: (windowMs) => readUpstreams(deps, windowMs),
    readMargin: (query) => readMargin(db, query),
    readLedger: () => readLedgerStatus(db),
    verifyLedger: (operator) => askForVerification(db, operator),
    listAudit: (query) => listAudit(db, query),
  };
}
