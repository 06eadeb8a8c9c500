/** The account's groups of keys, and what to read again after a change. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";
import { pagesKey } from "./use-pages.ts";

const EVERY_MS = 30_000;

export const groupsQuery = queryOptions({
  queryKey: ["groups"],
  refetchInterval: EVERY_MS,
  queryFn: ({ signal }) => readApi("/groups", { signal }),
});

/** To be called after any change of groups: keys say in which they are. */
export function useGroupsChanged(): () => void {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [["groups"], ["keys"], pagesKey("/keys")])
      void client.invalidateQueries({ queryKey });
  };
}
