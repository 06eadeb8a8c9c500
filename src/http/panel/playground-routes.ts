/** The playground, tasks and files: the panel's routes for it. */
import type { TaskWebhookSecrets } from "../../business/panel/playground/task-webhook-secret.ts";
import type { Route } from "../route.ts";
import { playgroundCallRoutes } from "./playground/call-routes.ts";
import type { PlaygroundCallRouteDeps } from "./playground/call-routes.ts";
import { playgroundChatRoutes } from "./playground/chat-routes.ts";
import type { PlaygroundChatUseCases } from "./playground/chat-routes.ts";
import { panelFileRoutes } from "./playground/file-routes.ts";
import type { PanelFilesUseCases } from "./playground/file-routes.ts";
import { playgroundOrderRoutes } from "./playground/order-routes.ts";
import type { OrderRouteDeps } from "./playground/order-routes.ts";
import { panelTaskRoutes } from "./playground/task-routes.ts";
import type { PanelTaskRouteDeps } from "./playground/task-routes.ts";
import { webhookSecretRoutes } from "./playground/webhook-secret-routes.ts";

export interface PlaygroundRouteDeps
  extends
    PlaygroundChatUseCases,
    PlaygroundCallRouteDeps,
    OrderRouteDeps,
    PanelTaskRouteDeps,
    PanelFilesUseCases {
  readonly webhookSecrets: TaskWebhookSecrets;
}

export function playgroundRoutes(deps: PlaygroundRouteDeps): Route[] {
  return [
    ...playgroundChatRoutes(deps),
    ...playgroundCallRoutes(deps),
    ...playgroundOrderRoutes(deps),
    ...panelTaskRoutes(deps),
    ...panelFileRoutes(deps),
    ...webhookSecretRoutes(deps.webhookSecrets),
  ];
}
