/** All commands, in the order of the help. */
import type { Command } from "./command.ts";
import { accountsCreate } from "./commands/accounts-create.ts";
import { accountsLimits } from "./commands/accounts-limits.ts";
import { accountsList } from "./commands/accounts-list.ts";
import { archive } from "./commands/archive.ts";
import { backup } from "./commands/backup.ts";
import { catalogueApply } from "./commands/catalogue-apply.ts";
import { catalogueCheck } from "./commands/catalogue-check.ts";
import { catalogueSchema } from "./commands/catalogue-schema.ts";
import { catalogueShow } from "./commands/catalogue-show.ts";
import { catalogueTry } from "./commands/catalogue-try.ts";
import { catalogueSuggest } from "./commands/catalogue-suggest.ts";
import { config } from "./commands/config.ts";
import { databaseDistribute } from "./commands/database-distribute.ts";
import { doctor } from "./commands/doctor.ts";
import { keysCreate } from "./commands/keys-create.ts";
import { keysDelete } from "./commands/keys-delete.ts";
import { keysList } from "./commands/keys-list.ts";
import { ledgerVerify } from "./commands/ledger-verify.ts";
import { requestsShow } from "./commands/requests-show.ts";
import { sandbox } from "./commands/sandbox.ts";
import { serve } from "./commands/serve.ts";
import { settingsSet } from "./commands/settings-set.ts";
import { settingsShow } from "./commands/settings-show.ts";
import { tasksFail } from "./commands/tasks-fail.ts";
import { tasksList } from "./commands/tasks-list.ts";
import { tasksReconcile } from "./commands/tasks-reconcile.ts";
import { tasksRetry } from "./commands/tasks-retry.ts";
import { tasksShow } from "./commands/tasks-show.ts";
import { topup } from "./commands/topup.ts";
import { webhooksSecret } from "./commands/webhooks-secret.ts";

export const COMMANDS: readonly Command[] = [
  serve,
  accountsCreate,
  accountsList,
  accountsLimits,
  topup,
  keysCreate,
  keysList,
  keysDelete,
  catalogueCheck,
  catalogueApply,
  catalogueShow,
  catalogueSchema,
  catalogueTry,
  catalogueSuggest,
  ledgerVerify,
  archive,
  databaseDistribute,
  requestsShow,
  tasksList,
  tasksShow,
  tasksRetry,
  tasksFail,
  tasksReconcile,
  settingsShow,
  settingsSet,
  webhooksSecret,
  backup,
  doctor,
  config,
  sandbox,
];
