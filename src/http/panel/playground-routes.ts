/**
 * The playground, tasks and files: the panel's routes for it. Under /panel/api; (K): with the header `x-tollgate-key`, the hash of a key of the account.
 *
 * Raw, in the words of the API's own protocols (manager, K): POST playground/chat/completions, POST playground/messages.
 * Of the playground (manager, K): POST playground/quote/chat/completions, POST playground/quote/messages -> PlaygroundChatQuote;
 * POST playground/quote/tasks/{model} -> PlaygroundTaskQuote; POST playground/tasks/{model} -> 202 PlaygroundTaskOrdered.
 * Of files: POST playground/files (manager; multipart, part `file`) -> 201 PanelFile; GET files (viewer) -> PanelFileList; DELETE files/{name} (manager) -> {}.
 * Of tasks: GET tasks, GET tasks/{id}, GET tasks/{id}/events (server-sent, the API's), GET tasks/{id}/deliveries (viewer);
 * POST tasks/{id}/cancel, POST tasks/{id}/deliveries/retry (manager).
 * Of webhooks: GET webhook-secret (manager), POST webhook-secret/roll (owner).
 */
import type { Route } from "../route.ts";

export type PlaygroundUseCases = Readonly<Record<never, never>>;

export function playgroundRoutes(_useCases: PlaygroundUseCases): Route[] {
  return [];
}
