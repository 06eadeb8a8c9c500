/**
 * The playground, tasks and files, put together for the panel: the API's own use cases, asked for
 * by sessions.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { Caller } from "../../serving/admission/find-caller.ts";
import { createPanelTasks } from "../../business/panel/playground/panel-tasks.ts";
import { readKeyHash } from "../../business/panel/playground/read-key-hash.ts";
import { createTaskWebhookSecrets } from "../../business/panel/playground/task-webhook-secret.ts";
import { checkOrigin } from "../../http/check-origin.ts";
import { checkMemberAccess } from "../../http/panel/member-access.ts";
import { PANEL_API_ROOT } from "../../http/panel/panel-head.ts";
import type { PlaygroundRouteDeps } from "../../http/panel/playground-routes.ts";
import type { RawHandler } from "../../http/node-server.ts";
import { UPLOAD_PACE } from "../../http/sender-pace.ts";
import type { PanelParts } from "./panel-parts.ts";

export interface Playground {
  readonly routeDeps: PlaygroundRouteDeps;
  /** Paths that it answers itself, on the raw request. */
  readonly rawRoutes: ReadonlyMap<string, RawHandler>;
}

/** @param authenticateMember for what is answered on the raw request, outside the router. */
export function openPlayground(
  parts: PanelParts,
  authenticateMember: (headers: IncomingHttpHeaders) => Promise<MemberCaller>,
): Playground {
  const { clock, files, inquiries, tasks } = parts;
  const prefix = `${PANEL_API_ROOT}/playground`;
  const chooseKey = async (
    { accountId }: Pick<MemberCaller, "accountId">,
    headers: IncomingHttpHeaders,
  ): Promise<Caller> => parts.chooseKey(readKeyHash(headers), accountId);
  // What the router does for the other routes of the panel; then the key that was chosen stands
  // where the API has the caller's.
  const authenticate = async (headers: IncomingHttpHeaders): Promise<Caller> => {
    checkOrigin(headers, new URL(parts.baseUrl()).origin);
    const member = await authenticateMember(headers);
    checkMemberAccess(member, "manager");
    return chooseKey(member, headers);
  };
  return {
    routeDeps: {
      ...inquiries,
      tasks,
      chooseKey,
      calls: {
        ...inquiries,
        tasks,
        useCases: files.useCases,
        clock,
        pace: UPLOAD_PACE,
        imageCalls: parts.calls.images,
        ...(parts.answerWaitMs === undefined ? {} : { waitMs: parts.answerWaitMs }),
      },
      panelTasks: createPanelTasks(parts),
      files: files.useCases,
      uploads: { useCases: files.useCases, clock, pace: UPLOAD_PACE },
      readStorage: files.useCases.readStorage,
      webhookSecrets: createTaskWebhookSecrets(parts.signing),
    },
    rawRoutes: new Map([
      ...parts.chat.routesAt({ prefix, forPages: true, authenticate }),
      ...parts.calls.routesAt({ prefix, errors: "panel", authenticate }),
    ]),
  };
}
