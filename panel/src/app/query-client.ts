/** How answers of the API are kept and asked for again. */
import { MutationCache, notifyManager, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.ts";

const FRESH_MS = 10_000;
const RETRIES = 2;

// Shown before the next event: a later turn would let the second press of a double click through,
// before its button is seen to be busy.
notifyManager.setScheduler(queueMicrotask);

interface Endings {
  /** Called at each answer that says that the session is over. */
  onSessionOver(): void;
  /** The same of seeing the panel as a customer. */
  onSeeingOver(): void;
}

export function createQueryClient({ onSessionOver, onSeeingOver }: Endings): QueryClient {
  const onError = (error: Error): void => {
    if (!(error instanceof ApiError)) return;
    if (error.code === "session_required") onSessionOver();
    if (error.reason === "see_as_over") onSeeingOver();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // Without a network it is tried all the same, and what is wrong is told, instead of waiting
        // without a word.
        networkMode: "always",
        refetchOnReconnect: true,
        // A refusal stays one; only silence and breakage may pass.
        retry: (failures, error) =>
          failures < RETRIES &&
          error instanceof ApiError &&
          (error.status === 0 || error.status >= 500),
      },
      // Nor is a change kept back, to be made by itself when the network comes again and the member
      // no longer expects it.
      mutations: { networkMode: "always" },
    },
  });
}
