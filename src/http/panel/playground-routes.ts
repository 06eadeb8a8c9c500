/**
 * The playground, tasks and files: the panel's routes for it. Under /panel/api; (K): with the
 * header `x-tollgate-key`, the hash of a key of the account.
 *
 * Raw, in the words of the API's own protocols (manager, K): POST playground/chat/completions, POST
 * playground/messages. Of the playground (manager, K): POST playground/quote/chat/completions, POST
 * playground/quote/messages -> PlaygroundChatQuote; POST playground/quote/tasks/{model} ->
 * PlaygroundTaskQuote; POST playground/tasks/{model} -> 202 PlaygroundTaskOrdered. Of files: POST
 * playground/files (manager; multipart, part `file`) -> 201 PanelFile; GET files (viewer) ->
 * PanelFileList; DELETE files/{name} (manager) -> {}. Of tasks: GET tasks, GET tasks/{id}, GET
 * tasks/{id}/events (server-sent, the API's), GET tasks/{id}/deliveries (viewer); POST
 * tasks/{id}/cancel, POST tasks/{id}/deliveries/retry (manager). Of webhooks: GET webhook-secret
 * (manager), POST webhook-secret/roll (owner).
 */
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
