/** The playground, tasks and files: the panel's routes for it. */
import type { TaskWebhookSecrets } from "../../business/panel/playground/task-webhook-secret.ts";
import type { Route } from "../route.ts";
import { playgroundChatRoutes } from "./playground/chat-routes.ts";
import type { PlaygroundChatUseCases } from "./playground/chat-routes.ts";
import { panelFileRoutes } from "./playground/file-routes.ts";
import type { PanelFilesUseCases } from "./playground/file-routes.ts";
import { playgroundOrderRoutes } from "./playground/order-routes.ts";
import type { OrderUseCases } from "./playground/order-routes.ts";
import { panelTaskRoutes } from "./playground/task-routes.ts";
import type { PanelTasksUseCases } from "./playground/task-routes.ts";
import { webhookSecretRoutes } from "./playground/webhook-secret-routes.ts";

export interface PlaygroundUseCases
  extends PlaygroundChatUseCases, OrderUseCases, PanelTasksUseCases, PanelFilesUseCases {
  readonly webhookSecrets: TaskWebhookSecrets;
}

export function playgroundRoutes(useCases: PlaygroundUseCases): Route[] {
  return [
    ...playgroundChatRoutes(useCases),
    ...playgroundOrderRoutes(useCases),
    ...panelTaskRoutes(useCases),
    ...panelFileRoutes(useCases),
    ...webhookSecretRoutes(useCases.webhookSecrets),
  ];
}
