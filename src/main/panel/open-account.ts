/** An account: its money, keys, requests and models: put together for the panel. */
import { changeAccountKey } from "../../business/panel/account/change-account-key.ts";
import { createAccountKey } from "../../business/panel/account/create-account-key.ts";
import { exportLedger, exportRequests } from "../../business/panel/account/export-csv.ts";
import {
  freezeAccountKeys,
  setAccountKeyFrozen,
} from "../../business/panel/account/freeze-account-keys.ts";
import { listAccountKeys, readAccountKey } from "../../business/panel/account/list-account-keys.ts";
import { listAccountModels } from "../../business/panel/account/list-account-models.ts";
import { listAccountRequests } from "../../business/panel/account/list-account-requests.ts";
import { listLedger } from "../../business/panel/account/list-ledger.ts";
import { createPriceHistory } from "../../business/requests/price-history.ts";
import { readAccountRequest } from "../../business/panel/account/read-account-request.ts";
import { readOverview } from "../../business/panel/account/read-overview.ts";
import { readSpend } from "../../business/panel/account/read-spend.ts";
import { readTurnover } from "../../business/panel/account/read-turnover.ts";
import { rollAccountKey } from "../../business/panel/account/roll-account-key.ts";
import { deleteAccountKey } from "../../business/panel/account/delete-account-key.ts";
import type { AccountUseCases } from "../../http/panel/account-routes.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export type AccountDeps = Pick<PanelDeps, "db" | "clock" | "env" | "catalogue"> & {
  readonly taskCases: Pick<PanelDeps["taskCases"], "quoteTaskForAccount">;
};

export function openAccount({
  db,
  clock,
  env,
  catalogue,
  taskCases,
}: AccountDeps): PanelPart<AccountUseCases> {
  const prices = createPriceHistory(db, env);
  return {
    useCases: {
      readOverview: (accountId) => readOverview(db, accountId),
      readSpend: (accountId, request) => readSpend(db, accountId, request),
      listKeys: (accountId, request) => listAccountKeys(db, clock, accountId, request),
      readKey: (accountId, hash) => readAccountKey(db, clock, accountId, hash),
      createKey: (request) => createAccountKey(db, clock, request),
      changeKey: (accountId, hash, wishes) => changeAccountKey(db, clock, accountId, hash, wishes),
      rollKey: (accountId, roll) => rollAccountKey(db, clock, accountId, roll),
      setKeyFrozen: (accountId, hash, frozen) =>
        setAccountKeyFrozen(db, clock, accountId, hash, frozen),
      freezeKeys: (accountId) => freezeAccountKeys(db, accountId),
      deleteKey: (accountId, hash) => deleteAccountKey(db, accountId, hash),
      listRequests: (accountId, query) => listAccountRequests(db, accountId, query),
      readRequest: (accountId, id) => readAccountRequest(db, prices, { accountId, id }),
      exportRequests: (accountId, query) => exportRequests(db, accountId, query),
      listLedger: (accountId, request) => listLedger(db, accountId, request),
      readTurnover: (accountId, request) => readTurnover(db, accountId, request),
      exportLedger: (accountId, request) => exportLedger(db, accountId, request),
      listModels: () => listAccountModels(catalogue.current()),
      quoteTaskForAccount: (call) => taskCases.quoteTaskForAccount(call),
    },
    close: async () => undefined,
  };
}
