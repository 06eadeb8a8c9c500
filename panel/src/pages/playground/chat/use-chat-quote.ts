/** What the message that is being written would cost at most, of all models that would answer it. */
import { useQueries } from "@tanstack/react-query";
import type { PlaygroundChatQuote } from "../../../../../src/contract/panel/playground.ts";
import { ApiError } from "../../../api/api-error.ts";
import { postRaw } from "../../../api/call-api.ts";
import { sumOf } from "../../../ui/decimal.ts";
import { useDebounced } from "../../../ui/use-debounced.ts";
import { PAYER_HEADER } from "../payer.tsx";
import type { ChatDialect } from "./chat-dialect.ts";
import type { DraftedRequest } from "./use-drafted-requests.ts";

interface ChatQuoteWish {
  readonly path: ChatDialect["path"];
  readonly payerHash: string;
  readonly requests: readonly DraftedRequest[];
  /** Whether there is anything to price. */
  readonly asks: boolean;
}

export interface ChatQuote {
  /** `none`: nothing is asked for. */
  readonly state: "none" | "waiting" | "priced" | "failed";
  readonly models: number;
  /** Decimal roubles, of all. */
  readonly estimate: string;
  readonly inputTokens: number;
  readonly available: string;
  /** Why it would not be admitted now, for the first model of which that is so. */
  readonly notAdmitted: PlaygroundChatQuote["refusal"];
  /** Why it has no price. */
  readonly refusal: ApiError | null;
}

export function useChatQuote({ path, payerHash, requests, asks }: ChatQuoteWish): ChatQuote {
  const rested = useDebounced(requests);
  const current = rested === requests;
  const priced = useQueries({
    queries: rested.map((request, at) => ({
      // The same model may stand on both sides.
      queryKey: ["playground", "chat-quote", path, payerHash, at, request],
      retry: false,
      gcTime: 0,
      enabled: asks && current,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        postRaw(`/playground/quote${path}`, {
          headers: { [PAYER_HEADER]: payerHash },
          body: request,
          signal,
        }),
    })),
  });
  const quotes = priced.flatMap(({ data }) => data ?? []);
  const wrong = priced.find(({ error, isFetching }) => error !== null && !isFetching);
  const whole = current && quotes.length === requests.length;
  return {
    state: !asks ? "none" : wrong !== undefined ? "failed" : whole ? "priced" : "waiting",
    models: requests.length,
    estimate: sumOf(quotes.map(({ estimate }) => estimate)),
    inputTokens: quotes.reduce((sum, quote) => sum + quote.inputTokens.counted, 0),
    available: quotes[0]?.available ?? "0",
    notAdmitted: quotes.find(({ refusal }) => refusal !== null)?.refusal ?? null,
    refusal: wrong?.error instanceof ApiError ? wrong.error : null,
  };
}
