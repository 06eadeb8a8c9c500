/**
 * The bodies of the panel's API by the names that they have in its description: those under which
 * their files export them.
 */
import Type from "typebox";
import * as accountLog from "./account-log.ts";
import * as alert from "./alert.ts";
import * as installation from "./installation.ts";
import * as ledgerDays from "./ledger-days.ts";
import * as ledgerEntry from "./ledger-entry.ts";
import * as ledgerTurnover from "./ledger-turnover.ts";
import * as members from "./members.ts";
import * as operatorAccounts from "./operator-accounts.ts";
import * as operatorAlerts from "./operator-alerts.ts";
import * as operatorAudit from "./operator-audit.ts";
import * as operatorCatalogue from "./operator-catalogue.ts";
import * as operatorLedger from "./operator-ledger.ts";
import * as operatorMargin from "./operator-margin.ts";
import * as operatorOverview from "./operator-overview.ts";
import * as operatorRequests from "./operator-requests.ts";
import * as operatorSettings from "./operator-settings.ts";
import * as operatorTasks from "./operator-tasks.ts";
import * as operatorUpstreams from "./operator-upstreams.ts";
import * as overview from "./overview.ts";
import * as panelBatch from "./panel-batch.ts";
import * as panelError from "./panel-error.ts";
import * as panelGroup from "./panel-group.ts";
import * as panelFile from "./panel-file.ts";
import * as panelKey from "./panel-key.ts";
import * as panelModel from "./panel-model.ts";
import * as panelRequest from "./panel-request.ts";
import * as panelTask from "./panel-task.ts";
import * as passkeys from "./passkeys.ts";
import * as playground from "./playground.ts";
import * as requestTotals from "./request-totals.ts";
import * as sessions from "./sessions.ts";
import * as signUpCodes from "./sign-up-codes.ts";
import * as spend from "./spend.ts";
import * as topUp from "./top-up.ts";
import * as usage from "./usage.ts";

const EXPORTS: Readonly<Record<string, unknown>> = {
  ...accountLog,
  ...alert,
  ...installation,
  ...ledgerDays,
  ...ledgerEntry,
  ...ledgerTurnover,
  ...members,
  ...operatorAccounts,
  ...operatorAlerts,
  ...operatorAudit,
  ...operatorCatalogue,
  ...operatorLedger,
  ...operatorMargin,
  ...operatorOverview,
  ...operatorRequests,
  ...operatorSettings,
  ...operatorTasks,
  ...operatorUpstreams,
  ...overview,
  ...panelBatch,
  ...panelError,
  ...panelFile,
  ...panelGroup,
  ...panelKey,
  ...panelModel,
  ...panelRequest,
  ...panelTask,
  ...passkeys,
  ...playground,
  ...requestTotals,
  ...sessions,
  ...signUpCodes,
  ...spend,
  ...topUp,
  ...usage,
};

export const PANEL_SCHEMAS: Readonly<Record<string, Type.TSchema>> = Object.fromEntries(
  Object.entries(EXPORTS).filter((entry): entry is [string, Type.TSchema] =>
    Type.IsSchema(entry[1]),
  ),
);
