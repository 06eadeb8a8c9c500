/** Everything that the account may call, with prices and the forms of tasks. */
import { queryOptions } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";

const FRESH_MS = 60_000;

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  staleTime: FRESH_MS,
  queryFn: ({ signal }) => readApi("/models", { signal }),
});
