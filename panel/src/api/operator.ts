/**
 * Reads what operators see, and does what they may do: a second press while the first is under way
 * does nothing.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { postApi, readApi } from "./call-api.ts";
import type { Query } from "./call-api.ts";

/** After which time it is read again; false: not by itself. */
type Every<Answer> = number | false | ((data: Answer | undefined) => number | false);

/** @param path below /panel/api/operator: `/accounts/…`. */
export function useOperatorData<Answer>(
  path: string,
  query: Query = {},
  options: { readonly everyMs?: Every<Answer>; readonly enabled?: boolean } = {},
): UseQueryResult<Answer> {
  const whole = `/operator${path}`;
  const everyMs = options.everyMs ?? false;
  return useQuery({
    queryKey: [whole, query],
    queryFn: ({ signal }) => readApi<Answer>(whole, { query, signal }),
    refetchInterval: ({ state }) => (typeof everyMs === "function" ? everyMs(state.data) : everyMs),
    enabled: options.enabled ?? true,
  });
}

export interface Action<Body> {
  send(body: Body): void;
  readonly busy: boolean;
  readonly error: unknown;
}

/** One change by an operator; afterwards everything that is shown is read anew. */
export function useAction<Body, Answer>(
  path: string,
  onDone: (answer: Answer, sent: Body) => void,
): Action<Body> {
  const client = useQueryClient();
  const running = useRef(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: Body) => postApi<Answer>(`/operator${path}`, body),
    onSuccess(answer, sent) {
      void client.invalidateQueries();
      onDone(answer, sent);
    },
    onSettled() {
      running.current = false;
    },
  });
  return {
    busy: isPending,
    error,
    send(body) {
      if (running.current) return;
      running.current = true;
      mutate(body);
    },
  };
}
