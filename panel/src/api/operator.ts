/**
 * Reads what operators see, and does what they may do: a second press while the first is under way
 * does nothing.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import type { AnswerOf, BodyOf } from "../../../src/contract/panel/routes/panel-api.ts";
import { ApiError } from "./api-error.ts";
import type { JsonPath, ParamsFor, Read, Rest, Target } from "./route-call.ts";
import { callApi } from "./send-api.ts";

type OperatorPath<Method extends "GET" | "POST"> = Extract<JsonPath<Method>, `/operator/${string}`>;

interface Reading<Answer> {
  /** After which time it is read again; false: not by itself. */
  readonly everyMs?: number | false | ((data: Answer | undefined) => number | false);
  readonly enabled?: boolean;
}

export function useOperatorData<Path extends OperatorPath<"GET">>(
  path: Path,
  ...[options]: Rest<Target<`GET ${Path}`> & Reading<Read<Path>>>
): UseQueryResult<Read<Path>> {
  const reading: Reading<Read<Path>> = options ?? {};
  const { everyMs = false, enabled = true, ...target } = reading;
  return useQuery({
    queryKey: [path, target],
    queryFn: ({ signal }) => callApi<Read<Path>>("GET", path, { ...target, signal }),
    refetchInterval: ({ state }) => (typeof everyMs === "function" ? everyMs(state.data) : everyMs),
    enabled,
  });
}

export interface Action<Body> {
  /** `onRefused`: for what has to be done where it was. */
  send(body: Body, onRefused?: (error: unknown) => unknown): void;
  readonly busy: boolean;
  readonly error: unknown;
}

/** One change by an operator; afterwards everything that is shown is read anew. */
export function useAction<Path extends OperatorPath<"POST">>(
  path: Path,
  place: ParamsFor<`POST ${Path}`>,
  onDone: (answer: AnswerOf<`POST ${Path}`>, sent: BodyOf<`POST ${Path}`>) => void,
): Action<BodyOf<`POST ${Path}`>> {
  type Name = `POST ${Path}`;
  const client = useQueryClient();
  const running = useRef(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: BodyOf<Name>) => callApi<AnswerOf<Name>>("POST", path, { ...place, body }),
    onSuccess(answer, sent) {
      void client.invalidateQueries();
      onDone(answer, sent);
    },
    onError(refusal) {
      // What it was decided by is shown anew beside the refusal.
      if (refusal instanceof ApiError && refusal.reason === "changed_meanwhile")
        void client.invalidateQueries();
    },
    onSettled() {
      running.current = false;
    },
  });
  return {
    busy: isPending,
    error,
    send(body, onRefused) {
      if (running.current) return;
      running.current = true;
      mutate(body, { onError: (refusal) => void onRefused?.(refusal) });
    },
  };
}
