/** The account's alerts and who may get them. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { AlertList } from "../../../src/contract/panel/alert.ts";
import type { MemberList } from "../../../src/contract/panel/members.ts";
import { readApi } from "./call-api.ts";

/** The first webhook makes a secret too. */
export const ALERT_SECRET_PATH = "/alerts/webhook-secret";
const EVERY_MS = 30_000;
/** A new account gets its first rules by themselves, a moment after it is opened. */
const EMPTY_EVERY_MS = 5_000;

export const alertsQuery = queryOptions({
  queryKey: ["alerts"],
  queryFn: ({ signal }) => readApi<AlertList>("/alerts", { signal }),
  refetchInterval: ({ state }) => (state.data?.data.length === 0 ? EMPTY_EVERY_MS : EVERY_MS),
});

export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: ({ signal }) => readApi<MemberList>("/members", { signal }),
});

/** To be called after any change of rules, or when something was sent. */
export function useAlertsChanged(): () => void {
  const client = useQueryClient();
  return () => {
    for (const name of ["alerts", "/alerts/deliveries", ALERT_SECRET_PATH])
      void client.invalidateQueries({ queryKey: [name] });
  };
}
