/**
 * What the account can be topped up with, and one top-up, followed until it ends or no answer has
 * come for long.
 */
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { QueryClient, UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { TopUp } from "../../../src/contract/panel/top-up.ts";
import { readApi } from "./call-api.ts";
import { pagesKey } from "./use-pages.ts";

const EVERY_MS = 1_500;
/** Who pays longer comes back to a page that asks no more by itself. */
const FOR_MS = 180_000;

export const billingQuery = queryOptions({
  queryKey: ["billing"],
  queryFn: ({ signal }) => readApi("/billing", { signal }),
});

export function isOpen({ state }: Pick<TopUp, "state">): boolean {
  return state === "created" || state === "pending";
}

/** The balance, and the lists of where it came from. */
function readMoneyAgain(client: QueryClient): void {
  for (const queryKey of [["billing"], ["overview"], pagesKey("/top-ups"), pagesKey("/ledger")])
    void client.invalidateQueries({ queryKey });
}

export interface FollowedTopUp {
  readonly query: UseQueryResult<TopUp>;
  /** It is open, and is not asked about any more. */
  readonly resting: boolean;
  askAgain(): void;
}

export function useTopUp(topUpId: string): FollowedTopUp {
  const client = useQueryClient();
  const [resting, setResting] = useState(false);
  const [round, setRound] = useState(0);
  const query = useQuery({
    queryKey: ["top-up", topUpId],
    async queryFn({ signal }) {
      const topUp = await readApi("/top-ups/{id}", { params: { id: topUpId }, signal });
      // Its end and the balance after it are told together.
      if (!isOpen(topUp))
        await client.query({ ...billingQuery, staleTime: 0 }).catch(() => undefined);
      return topUp;
    },
    refetchInterval: ({ state }) =>
      !resting && state.data !== undefined && isOpen(state.data) ? EVERY_MS : false,
  });
  const state = query.data?.state;
  const open = query.data !== undefined && isOpen(query.data);
  useEffect(() => {
    if (state !== undefined) readMoneyAgain(client);
  }, [client, state]);
  useEffect(() => {
    if (!open) return undefined;
    const timer = setTimeout(() => setResting(true), FOR_MS);
    return () => clearTimeout(timer);
  }, [open, round]);
  return {
    query,
    resting: open && resting,
    askAgain() {
      setResting(false);
      setRound(round + 1);
      void query.refetch();
    },
  };
}
