/** The account at a glance: for the header of every page, and for the overview. */
import { queryOptions } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";

const EVERY_MS = 30_000;

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  refetchInterval: EVERY_MS,
  queryFn: ({ signal }) => readApi("/overview", { signal }),
});
