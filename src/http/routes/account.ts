/** `GET /v1/balance` and `GET /v1/key`: what the caller's account and key are worth at this moment. */
import Type from "typebox";
import { Balance } from "../../contract/balance.ts";
import { Currency, moment, roubles } from "../../contract/money.ts";
import { nullableArray, nullableInteger, nullableString } from "../../contract/nullable.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { Balance as AccountBalance } from "../../ledger/accounts.store.ts";
import type { BudgetState } from "../../ledger/budgets.store.ts";
import type { Route } from "../route.ts";
import { keyRoute } from "../route.ts";

export interface AccountRouteDeps {
  readBalance(key: KeyRecord): Promise<AccountBalance>;
  readKeySpend(key: KeyRecord): Promise<BudgetState>;
}

const KeyLimit = Type.Object(
  {
    amount: roubles("What the key may spend in a period.", "500"),
    period: Type.Enum(["day", "month", "total"], { description: "Days and months begin at midnight in Moscow." }),
    spent: roubles("Of it, spent in this period.", "12.34"),
    remaining: roubles("Of it, left: the amount less what is spent and held.", "487.16"),
    resetsAt: nullableString({
      description: "When the next period begins; null for a total. ISO 8601, UTC.",
      examples: ["2026-11-30T21:00:00.000Z"],
    }),
  },
  { description: "The key's own limit." },
);

const Key = Type.Object(
  {
    mask: Type.String({ examples: ["tg_live_Ab3d…x9Qz"] }),
    hash: Type.String({
      description: "SHA-256 of the secret, hex: how the key is named.",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    }),
    name: Type.String({ examples: ["production"] }),
    createdAt: moment("When it was made."),
    expiresAt: nullableString({ description: "When it ends; null: never. ISO 8601, UTC." }),
    lastUsedAt: nullableString({ description: "To the minute. ISO 8601, UTC." }),
    models: nullableArray(Type.String(), { description: "The only models that it may call; null: all.", examples: [["sandbox-large"]] }),
    ips: nullableArray(Type.String(), {
      description: "The address ranges that it may be used from; null: anywhere.",
      examples: [["203.0.113.0/24"]],
    }),
    requestsPerMinute: nullableInteger({}, { description: "null: no limit of its own. Not enforced by this version." }),
    spent: roubles("Spent with it, ever.", "12.34"),
    held: roubles("Held for its requests that have not ended.", "0.5"),
    limit: Type.Union([KeyLimit, Type.Null()], { description: "Null: no limit but the balance." }),
    currency: Currency,
  },
  { description: "The key that was sent, without its secret." },
);

const NO_QUERY = Type.Object({});

export function accountRoutes(deps: AccountRouteDeps): Route[] {
  return [
    keyRoute({
      method: "GET",
      path: "/v1/balance",
      query: NO_QUERY,
      doc: {
        operationId: "getBalance",
        summary: "The account's balance",
        tag: "Account",
        responses: { 200: { description: "The balance.", content: { "application/json": Balance } } },
        errors: [401, 403],
      },
      async handle({ key }) {
        const { balanceNano, heldNano, availableNano } = await deps.readBalance(key);
        const json = {
          balance: formatRoubles(balanceNano),
          held: formatRoubles(heldNano),
          available: formatRoubles(availableNano),
          currency: "RUB",
        };
        return { content: { json } };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/key",
      query: NO_QUERY,
      doc: {
        operationId: "getKey",
        summary: "The key itself: limits and spend",
        tag: "Account",
        responses: { 200: { description: "The key.", content: { "application/json": Key } } },
        errors: [401, 403],
      },
      async handle({ key }) {
        return { content: { json: describeKey(key, await deps.readKeySpend(key)) } };
      },
    }),
  ];
}

function describeKey(key: KeyRecord, budget: BudgetState): object {
  return {
    mask: key.mask,
    hash: key.hash,
    name: key.name,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    models: key.models,
    ips: key.ips,
    requestsPerMinute: key.requestsPerMinute,
    spent: formatRoubles(budget.chargedNano),
    held: formatRoubles(budget.heldNano),
    limit: describeLimit(budget),
    currency: "RUB",
  };
}

function describeLimit({ limitNano, availableNano, period, periodChargedNano, nextPeriodStart }: BudgetState): object | null {
  if (limitNano === null || availableNano === null) return null;
  return {
    amount: formatRoubles(limitNano),
    period,
    spent: formatRoubles(periodChargedNano),
    remaining: formatRoubles(availableNano),
    resetsAt: nextPeriodStart?.toISOString() ?? null,
  };
}
