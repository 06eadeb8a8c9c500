/** The account's keys, for choosing the one that pays. */
import { queryOptions } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";

/** More than anybody chooses from. */
const MOST = 1000;

export const usableKeysQuery = queryOptions({
  queryKey: ["keys", "usable"],
  queryFn: async ({ signal }) => {
    const { data } = await readApi("/keys", { query: { limit: MOST }, signal });
    return data.filter(({ state }) => state === "active");
  },
});
