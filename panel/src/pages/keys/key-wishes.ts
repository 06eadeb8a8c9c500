/** What the form of a key holds, and what of it is sent. */
import type { BudgetPeriod } from "../../../../src/contract/enums/budget-period.ts";
import type { PanelKey, PanelKeyChange } from "../../../../src/contract/panel/panel-key.ts";

export interface KeyValues {
  readonly name: string;
  /** Empty: none. */
  readonly limit: string;
  readonly period: BudgetPeriod;
  /** Its id; empty: none. */
  readonly group: string;
  /** The id of a member; empty: the account's. */
  readonly owner: string;
  /** None: all. */
  readonly models: readonly string[];
  /** As typed: one a line. */
  readonly ips: string;
  readonly expiresAt: string | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly maxConcurrent: number | null;
  readonly maxTasks: number | null;
}

export const NEW_KEY: KeyValues = {
  name: "",
  limit: "",
  period: "month",
  group: "",
  owner: "",
  models: [],
  ips: "",
  expiresAt: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  maxConcurrent: null,
  maxTasks: null,
};

export function valuesOf({
  name,
  limit,
  group,
  owner,
  models,
  ips,
  expiresAt,
  requestsPerMinute,
  tokensPerMinute,
  maxConcurrent,
  maxTasks,
}: PanelKey): KeyValues {
  return {
    name,
    limit: limit?.amount ?? "",
    period: limit?.period ?? "month",
    group: group?.id ?? "",
    owner: owner?.memberId ?? "",
    models: models ?? [],
    ips: (ips ?? []).join("\n"),
    expiresAt,
    requestsPerMinute,
    tokensPerMinute,
    maxConcurrent,
    maxTasks,
  };
}

/** All of it, for a new key. */
export function wishesOf({
  limit,
  period,
  group,
  owner,
  models,
  ips,
  expiresAt,
  name,
  ...rates
}: KeyValues): PanelKeyChange & { readonly name: string } {
  const addresses = ips.split(/[\s,;]+/).filter((one) => one !== "");
  return {
    ...rates,
    name: name.trim(),
    limit: limit === "" ? null : { amount: limit, period },
    group: group === "" ? null : group,
    owner: owner === "" ? null : owner,
    models: models.length === 0 ? null : [...models],
    ips: addresses.length === 0 ? null : addresses,
    expiresAt,
  };
}

/**
 * What differs from the key as it is: the rest stays, whatever another member made of it meanwhile.
 */
export function changesOf(key: PanelKey, values: KeyValues): PanelKeyChange {
  const before: Readonly<Record<string, unknown>> = wishesOf(valuesOf(key));
  const differing = Object.entries(wishesOf(values)).filter(
    ([name, wish]) => JSON.stringify(wish) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(differing);
}
