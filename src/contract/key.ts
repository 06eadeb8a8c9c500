/**
 * `GET /v1/key`: the key that was sent, its limits and what was spent with it (contract §3, §6).
 */
import Type from "typebox";
import { BUDGET_PERIODS } from "./enums/budget-period.ts";
import { Currency, moment, roubles } from "./money.ts";
import { nullableArray, nullableInteger, nullableString } from "./nullable.ts";

const KeyLimit = Type.Object(
  {
    amount: roubles("What the key may spend in a period.", "500"),
    period: Type.Enum([...BUDGET_PERIODS], {
      description: "Days and months begin at midnight in Moscow.",
    }),
    spent: roubles("Of it, spent in this period.", "12.34"),
    remaining: roubles("Of it, left: the amount less what is spent and held.", "487.16"),
    resetsAt: nullableString({
      description: "When the next period begins; null for a total. ISO 8601, UTC.",
      examples: ["2026-11-30T21:00:00.000Z"],
    }),
  },
  { description: "A spend limit." },
);

export const Key = Type.Object(
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
    models: nullableArray(Type.String(), {
      description: "The only models that it may call, family ids among them; null: all.",
      examples: [["sandbox-large"]],
    }),
    ips: nullableArray(Type.String(), {
      description: "The address ranges that it may be used from; null: anywhere.",
      examples: [["203.0.113.0/24"]],
    }),
    requestsPerMinute: nullableInteger(
      {},
      { description: "The key's own limit, besides its account's; null: none.", examples: [60] },
    ),
    tokensPerMinute: nullableInteger(
      {},
      { description: "Of input, cached input and output together; null: no limit of its own." },
    ),
    maxConcurrent: nullableInteger(
      {},
      { description: "Chat requests at the same time; null: no limit of its own." },
    ),
    maxTasks: nullableInteger(
      {},
      { description: "Tasks that have not ended; null: no limit of its own." },
    ),
    spent: roubles("Spent with it, ever.", "12.34"),
    held: roubles("Held for its requests that have not ended.", "0.5"),
    limit: Type.Union([KeyLimit, Type.Null()], { description: "Null: no limit but the balance." }),
    group: Type.Union(
      [
        Type.Object({
          models: nullableArray(Type.String(), {
            description: "The only models that keys of the group may call; null: all.",
            examples: [["sandbox-large"]],
          }),
          limit: Type.Union([KeyLimit, Type.Null()], {
            description: "Of all its keys together; null: no limit but the balance.",
          }),
        }),
        Type.Null(),
      ],
      { description: "The group that the key is in; null: none." },
    ),
    currency: Currency,
  },
  { description: "The key that was sent, without its secret." },
);
