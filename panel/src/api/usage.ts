/** What the account used in a time, by its keys, models or kinds. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";
import type { QueryFor } from "./route-call.ts";

const EVERY_MS = 30_000;

export type UsageFilter = QueryFor<"GET /usage">;

export function usageQuery(filter: UsageFilter) {
  return queryOptions({
    queryKey: ["usage", filter],
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readApi("/usage", { query: filter, signal }),
  });
}
