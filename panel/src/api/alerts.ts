/** The account's alerts and who may get them. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";
import { pagesKey } from "./use-pages.ts";

/** The first webhook makes a secret too. */
export const ALERT_SECRET_KEY = ["alert-secret"];
const EVERY_MS = 30_000;
/** A new account gets its first rules by themselves, a moment after it is opened. */
const EMPTY_EVERY_MS = 5_000;

export const alertsQuery = queryOptions({
  queryKey: ["alerts"],
  queryFn: ({ signal }) => readApi("/alerts", { signal }),
  refetchInterval: ({ state }) => (state.data?.data.length === 0 ? EMPTY_EVERY_MS : EVERY_MS),
});

export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: ({ signal }) => readApi("/members", { signal }),
});

/** The reader's chat, and whether there is a bot at all. */
export const telegramQuery = queryOptions({
  queryKey: ["alerts-telegram"],
  queryFn: ({ signal }) => readApi("/alerts/telegram", { signal }),
});

/** To be called after any change of rules, or when something was sent. */
export function useAlertsChanged(): () => void {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [["alerts"], pagesKey("/alerts/deliveries"), ALERT_SECRET_KEY])
      void client.invalidateQueries({ queryKey });
  };
}
