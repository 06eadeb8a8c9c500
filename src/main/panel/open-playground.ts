/**
 * The playground, tasks and files, put together for the panel: the API's own use cases, asked for
 * by sessions.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { usedBytes } from "../../files/files.store.ts";
import type { Caller } from "../../serving/admission/find-caller.ts";
import { createPanelTasks } from "../../business/panel/playground/panel-tasks.ts";
import { readKeyHash } from "../../business/panel/playground/read-key-hash.ts";
import { createTaskWebhookSecrets } from "../../business/panel/playground/task-webhook-secret.ts";
import { checkOrigin } from "../../http/check-origin.ts";
import { checkMemberAccess } from "../../http/panel/member-access.ts";
import { PANEL_API_ROOT } from "../../http/panel/panel-head.ts";
import type { PlaygroundRouteDeps } from "../../http/panel/playground-routes.ts";
import { UPLOAD_PACE } from "../../http/sender-pace.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export interface PlaygroundDeps extends PanelDeps {
  /** For what is answered on the raw request, outside the router. */
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
}

export function openPlayground(deps: PlaygroundDeps): PanelPart<PlaygroundRouteDeps> {
  const { db, clock, config, files, inquiries, tasks } = deps;
  const chooseKey = async (
    { accountId }: Pick<MemberCaller, "accountId">,
    headers: IncomingHttpHeaders,
  ): Promise<Caller> => deps.chooseKey(readKeyHash(headers), accountId);
  return {
    routeDeps: {
      ...inquiries,
      tasks,
      chooseKey,
      panelTasks: createPanelTasks({ db, staticUrl: deps.staticUrl }),
      files: files.useCases,
      uploads: { useCases: files.useCases, clock, pace: UPLOAD_PACE },
      readStorage: async (accountId) => ({
        usedBytes: await usedBytes(db, accountId),
        limitBytes: config.accountStorageBytes,
      }),
      webhookSecrets: createTaskWebhookSecrets(deps.signing),
    },
    rawRoutes: deps.chat.routesAt({
      prefix: `${PANEL_API_ROOT}/playground`,
      forPages: true,
      // What the router does for the other routes of the panel; then the key that was chosen stands
      // where the API has the caller's.
      async authenticate(headers) {
        checkOrigin(headers, new URL(deps.baseUrl()).origin);
        const member = await deps.authenticateMember(headers);
        checkMemberAccess(member, "manager");
        return chooseKey(member, headers);
      },
    }),
    close: async () => undefined,
  };
}
