/**
 * The playground, tasks and files, put together for the panel: the API's own use cases, asked for
 * by sessions.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { Caller } from "../../serving/admission/find-caller.ts";
import { checkKeySeen, keyScopeOf } from "../../business/panel/account/key-scope.ts";
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
  const chooseKey = async (member: MemberCaller, headers: IncomingHttpHeaders): Promise<Caller> => {
    const hash = readKeyHash(headers);
    // Before anything is said of its state: another member's key is one that never was.
    await checkKeySeen(tasks.db, keyScopeOf(member), hash);
    const key = await parts.chooseKey(hash, member.accountId);
    return member.role === "developer" ? { ...key, seesKept: false } : key;
  };
  // What the router does for the other routes of the panel; then the key that was chosen stands
  // where the API has the caller's.
  const authenticate = async (headers: IncomingHttpHeaders): Promise<Caller> => {
    checkOrigin(headers, new URL(parts.baseUrl()).origin);
    const member = await authenticateMember(headers);
    checkMemberAccess(member, "keyholder");
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
