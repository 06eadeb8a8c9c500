/** `tollgate keys list`: lists the keys of an account with their spend. */
import type { ListedKey } from "../../business/keys/list-keys.ts";
import { LIST_PAGE_MAX } from "../../kernel/limits.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { isRateLimited, rateLimitsOf } from "../../kernel/rate-limits.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { readAllPages } from "../read-all-pages.ts";
import { describeRateLimits } from "../read-rate-limit-options.ts";
import { ACCOUNT_HINT, readAccountId } from "../read-values.ts";
import { withDb } from "../with-db.ts";

export const keysList: Command = {
  name: "keys list",
  summary: "An account's keys with what was spent by each, newest first; deleted ones are left out",
  positionals: [{ name: "ACCOUNT", help: "the account's id" }],
  options: {},
  async run({ positionals, deps }) {
    const account = positionals["ACCOUNT"] ?? "";
    const accountId = readAccountId(account);
    if (accountId === null) return usage(`"${account}" ${ACCOUNT_HINT}`);
    const { listKeys } = await import("../../business/keys/list-keys.ts");
    let unknown = false;
    const keys = await withDb(deps, (db) =>
      readAllPages<ListedKey>(async (cursor) => {
        const page = await listKeys(db, accountId, { limit: LIST_PAGE_MAX, cursor });
        if (page.kind === "page") return page;
        unknown = true;
        return { rows: [], next: null };
      }),
    );
    if (unknown)
      return failed(`there is no account ${accountId}; \`tollgate accounts list\` shows them`);
    if (keys.length === 0)
      return done(
        [],
        "This account has no key yet. Make one with: tollgate keys create ACCOUNT --name N",
      );
    const header = [
      "KEY",
      "NAME",
      "SPENT",
      "LIMIT",
      "LEFT",
      "EXPIRES",
      "LAST USED",
      "RESTRICTIONS",
      "HASH",
    ];
    return done(
      keys.map(forPrograms),
      alignColumns([header, ...keys.map(forPeople)], new Set([2, 3, 4])).join("\n"),
    );
  },
};

function forPrograms({ key, budget }: ListedKey): object {
  const limited = budget !== null && budget.limitNano !== null;
  return {
    hash: key.hash,
    mask: key.mask,
    name: key.name,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    models: key.models,
    ips: key.ips,
    ...rateLimitsOf(key),
    spent: budget === null ? null : formatRoubles(budget.chargedNano),
    held: budget === null ? null : formatRoubles(budget.heldNano),
    limit: limited
      ? {
          ...amounts(budget),
          period: budget.period,
          spent: formatRoubles(budget.periodChargedNano),
        }
      : null,
  };
}

function amounts({ limitNano, availableNano }: NonNullable<ListedKey["budget"]>): {
  amount: string | null;
  remaining: string | null;
} {
  return {
    amount: limitNano === null ? null : formatRoubles(limitNano),
    remaining: availableNano === null ? null : formatRoubles(availableNano),
  };
}

function forPeople({ key, budget }: ListedKey): string[] {
  const { amount, remaining } =
    budget === null ? { amount: null, remaining: null } : amounts(budget);
  const limit =
    amount === null || budget === null
      ? "-"
      : `${amount}${budget.period === "total" ? "" : `/${budget.period}`}`;
  const restrictions = [
    ...(key.models === null ? [] : [`models ${key.models.join(",")}`]),
    ...(key.ips === null ? [] : [`from ${key.ips.join(",")}`]),
    ...(isRateLimited(key) ? [describeRateLimits(key)] : []),
  ];
  const spent = budget === null ? "?" : formatRoubles(budget.chargedNano);
  return [
    key.mask,
    key.name,
    spent,
    limit,
    remaining ?? "-",
    shortTime(key.expiresAt, "never"),
    shortTime(key.lastUsedAt, "never"),
    restrictions.join("; ") || "-",
    key.hash,
  ];
}

function shortTime(moment: Date | null, otherwise: string): string {
  return moment === null ? otherwise : `${moment.toISOString().slice(0, 16)}Z`;
}
