/**
 * `GET /v1/balance` and `GET /v1/key`: what the caller's account and key are worth at this moment.
 */
import Type from "typebox";
import { Balance } from "../../contract/balance.ts";
import { CURRENCY } from "../../contract/enums/currency.ts";
import { Key } from "../../contract/key.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { rateLimitsOf } from "../../kernel/rate-limits.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { Balance as AccountBalance } from "../../ledger/accounts.store.ts";
import type { BudgetState } from "../../ledger/budgets.store.ts";
import type { KeySpend } from "../../serving/money/read-key-spend.ts";
import type { Route } from "../route.ts";
import { keyRoute } from "../route.ts";

export interface AccountRouteDeps {
  readBalance(key: KeyRecord): Promise<AccountBalance>;
  readKeySpend(key: KeyRecord): Promise<KeySpend>;
}

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
        responses: {
          200: { description: "The balance.", content: { "application/json": Balance } },
        },
        errors: [401, 403],
      },
      async handle({ key }) {
        const { balanceNano, heldNano, availableNano } = await deps.readBalance(key);
        const json = {
          balance: formatRoubles(balanceNano),
          held: formatRoubles(heldNano),
          available: formatRoubles(availableNano),
          currency: CURRENCY,
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

function describeKey(key: KeyRecord, { own, group }: KeySpend): object {
  return {
    mask: key.mask,
    hash: key.hash,
    name: key.name,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    models: key.models,
    ips: key.ips,
    ...rateLimitsOf(key),
    spent: formatRoubles(own.chargedNano),
    held: formatRoubles(own.heldNano),
    limit: describeLimit(own),
    group: group === null ? null : { models: key.groupModels, limit: describeLimit(group) },
    currency: CURRENCY,
  };
}

function describeLimit({
  limitNano,
  availableNano,
  period,
  periodChargedNano,
  nextPeriodStart,
}: BudgetState): object | null {
  if (limitNano === null || availableNano === null) return null;
  return {
    amount: formatRoubles(limitNano),
    period,
    spent: formatRoubles(periodChargedNano),
    remaining: formatRoubles(availableNano),
    resetsAt: nextPeriodStart?.toISOString() ?? null,
  };
}
