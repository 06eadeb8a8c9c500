/** `tollgate accounts list`: lists the accounts with their money. */
import type { ListedAccount } from "../../business/accounts/list-accounts.ts";
import { LIST_PAGE_MAX } from "../../kernel/limits.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { rateLimitsOf } from "../../kernel/rate-limits.ts";
import { alignColumns } from "../align-columns.ts";
import { readAllPages } from "../read-all-pages.ts";
import { describeRateLimits } from "../read-rate-limit-options.ts";
import type { Command } from "../command.ts";
import { done } from "../command.ts";
import { withDb } from "../with-db.ts";

export const accountsList: Command = {
  name: "accounts list",
  summary: "All accounts with their money, newest first",
  positionals: [],
  options: {},
  async run({ deps }) {
    const { listAccounts } = await import("../../business/accounts/list-accounts.ts");
    const accounts = await withDb(deps, (db) =>
      readAllPages((cursor) => listAccounts(db, { limit: LIST_PAGE_MAX, cursor })),
    );
    if (accounts.length === 0)
      return done([], "There is no account yet. Open one with: tollgate accounts create --name N");
    const header = [
      "ACCOUNT",
      "NAME",
      "BALANCE",
      "HELD",
      "AVAILABLE",
      "STATE",
      "CREATED",
      "LIMITS",
      "MEMBERS",
    ];
    return done(
      accounts.map(forPrograms),
      alignColumns([header, ...accounts.map(forPeople)], new Set([2, 3, 4])).join("\n"),
    );
  },
};

function forPrograms(account: ListedAccount): object {
  const { accountId, name, createdAt, balance, members } = account;
  return {
    accountId,
    name,
    createdAt: createdAt.toISOString(),
    ...moneyOf(balance),
    ...rateLimitsOf(account),
    members: members.map(({ memberId, email, operator }) => ({ memberId, email, operator })),
  };
}

function forPeople(account: ListedAccount): string[] {
  const { accountId, name, createdAt, balance, members } = account;
  const { balance: owned, held, available, state } = moneyOf(balance);
  return [
    accountId,
    name,
    owned,
    held,
    available,
    state,
    createdAt.toISOString().slice(0, 10),
    describeRateLimits(account) || "-",
    members.map(({ email, operator }) => `${email}${operator ? " (operator)" : ""}`).join(", "),
  ];
}

function moneyOf(balance: ListedAccount["balance"]) {
  if (balance === null) return { balance: "?", held: "?", available: "?", state: "no books" };
  return {
    balance: formatRoubles(balance.balanceNano),
    held: formatRoubles(balance.heldNano),
    available: formatRoubles(balance.availableNano),
    state: balance.state,
  };
}
