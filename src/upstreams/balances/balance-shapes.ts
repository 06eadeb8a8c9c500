/**
 * Where providers tell a balance, as their documentation has it. Another one is another entry.
 */
import type { BalanceKind } from "../../contract/enums/balance-kind.ts";
import type { JsonPointer } from "../../protocol/task-provider.ts";

export interface BalanceShape {
  /** Below the origin. */
  readonly path: string;
  /** Where it is asked unless the catalogue says otherwise; absent: at the origin of `baseUrl`. */
  readonly baseUrl?: string;
  /** Of the `authorization` header. */
  readonly scheme: "Bearer" | "Key";
  /** A list of balances, of which the first that is not zero counts; the others are places in it. */
  readonly list?: JsonPointer;
  readonly amount: JsonPointer;
  /** No amount, but null, is said where nothing limits it. */
  readonly nullIsUnlimited?: true;
  /** What is used of `amount`. */
  readonly used?: JsonPointer;
  /** So many make one of the currency. */
  readonly parts?: bigint;
  /** Where it says the currency; else `is`, and at some hosts another one. */
  readonly currency: {
    readonly at?: JsonPointer;
    readonly is: string;
    readonly hosts?: Readonly<Record<string, string>>;
  };
}

export const BALANCE_SHAPES: Readonly<Record<BalanceKind, BalanceShape>> = {
  // https://openrouter.ai/docs/api/api-reference/credits/get-credits: a management key
  "openrouter-credits": {
    path: "/api/v1/credits",
    scheme: "Bearer",
    amount: "/data/total_credits",
    used: "/data/total_usage",
    currency: { is: "USD" },
  },
  // https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key: of the key's own limit
  "openrouter-key": {
    path: "/api/v1/key",
    scheme: "Bearer",
    amount: "/data/limit_remaining",
    nullIsUnlimited: true,
    currency: { is: "USD" },
  },
  // https://api-docs.deepseek.com/api/get-user-balance
  deepseek: {
    path: "/user/balance",
    scheme: "Bearer",
    list: "/balance_infos",
    amount: "/total_balance",
    currency: { at: "/currency", is: "USD" },
  },
  // https://platform.moonshot.ai/docs/api/balance: without a word of its currency
  moonshot: {
    path: "/v1/users/me/balance",
    scheme: "Bearer",
    amount: "/data/available_balance",
    currency: { is: "USD", hosts: { "api.moonshot.cn": "CNY" } },
  },
  // https://novita.ai/docs/api-reference/basic-get-user-balance: in ten-thousandths
  novita: {
    path: "/openapi/v1/billing/balance/detail",
    scheme: "Bearer",
    amount: "/availableBalance",
    parts: 10_000n,
    currency: { is: "USD" },
  },
  // https://docs.kie.ai/common-api/get-account-credits
  kie: {
    path: "/api/v1/chat/credit",
    scheme: "Bearer",
    amount: "/data",
    currency: { is: "credits" },
  },
  // https://fal.ai/docs/platform-apis/v1/account/billing: an admin key
  fal: {
    path: "/v1/account/billing?expand=credits",
    baseUrl: "https://api.fal.ai",
    scheme: "Key",
    amount: "/credits/current_balance",
    currency: { at: "/credits/currency", is: "USD" },
  },
};
