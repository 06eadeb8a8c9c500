/**
 * The account's keys: all of them for filters, one of them, and what to read again after a change.
 */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";
import { pagesKey } from "./use-pages.ts";

/** More than anybody chooses from. */
const MOST = 1000;
const EVERY_MS = 30_000;

/** The deleted ones too: their requests and spend stay. */
export const allKeysQuery = queryOptions({
  queryKey: ["keys", "all"],
  queryFn: ({ signal }) => readApi("/keys", { query: { limit: MOST, deleted: "true" }, signal }),
});

export function keyQuery(hash: string) {
  return queryOptions({
    queryKey: ["keys", "one", hash],
    refetchInterval: EVERY_MS,
    queryFn: ({ signal }) => readApi("/keys/{hash}", { params: { hash }, signal }),
  });
}

/** To be called after any change of keys. */
export function useKeysChanged(): () => void {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [["keys"], pagesKey("/keys"), ["groups"], ["overview"]])
      void client.invalidateQueries({ queryKey });
  };
}
