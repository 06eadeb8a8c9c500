/** `GET /v1/requests/{id}` and the list: one receipt per request (contract §4 to §6). */
import Type from "typebox";
import { nullableInteger, nullableString } from "./nullable.ts";
import { Currency, moment, roubles } from "./money.ts";

const count = (description: string, example = 0) => Type.Integer({ minimum: 0, description, examples: [example] });

const ReceiptUsage = Type.Object(
  {
    inputTokens: count("Prompt tokens neither read from nor written to a cache.", 12),
    cachedInputTokens: count("Prompt tokens read from a cache."),
    cacheWrite5mTokens: count("Prompt tokens written to a five-minute cache."),
    cacheWrite1hTokens: count("Prompt tokens written to a one-hour cache."),
    outputTokens: count("Generated tokens, reasoning included.", 30),
    reasoningTokens: count("Of outputTokens, those spent on reasoning."),
    images: count("Input images."),
  },
  { description: "What was counted; every token once." },
);

const Attempt = Type.Object(
  {
    upstream: Type.String({ description: "The route's upstream.", examples: ["sandbox-chat"] }),
    outcome: Type.String({
      description: "What came of it: `delivered`, `failed`, or `skipped` where it was passed over without a call.",
      examples: ["delivered"],
    }),
    status: Type.Optional(
      nullableInteger({}, { description: "The upstream's HTTP status; null when it never answered.", examples: [200] }),
    ),
    durationMs: Type.Optional(Type.Number({ examples: [812] })),
  },
  { description: "One try at one upstream." },
);

export const Receipt = Type.Object(
  {
    id: Type.String({ description: "As in the x-request-id header.", examples: ["req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"] }),
    endpoint: Type.Enum(["chat.completions", "messages"]),
    model: Type.String({ description: "The model whose price counts.", examples: ["sandbox-large"] }),
    modelRequested: Type.String({ description: "The model as it was asked for.", examples: ["sandbox-large"] }),
    keyMask: Type.Optional(nullableString({ description: "The key that paid.", examples: ["tg_live_Ab3d…x9Qz"] })),
    stream: Type.Boolean(),
    state: Type.String({
      description: "completed, interrupted (the upstream broke off), stopped_by_balance, client_gone, failed, or running.",
      examples: ["completed"],
    }),
    startedAt: moment("When the request was admitted."),
    completedAt: Type.Optional(
      nullableString({
        description: "When it ended; of a request whose process died, when its hold was ended. ISO 8601, UTC.",
        examples: ["2026-11-21T09:30:01.250Z"],
      }),
    ),
    timeToFirstTokenMs: Type.Optional(Type.Unsafe<number | null>({ type: ["number", "null"], examples: [240] })),
    finishReason: Type.Optional(nullableString({ description: "The upstream's own word.", examples: ["stop"] })),
    usage: Type.Optional(Type.Union([ReceiptUsage, Type.Null()])),
    usageSource: Type.Optional(Type.Enum(["upstream", "counted", "none"], { description: "Whose count the charge rests on." })),
    priceVersion: Type.Optional(Type.Integer({ description: "The price list frozen at admission.", examples: [1] })),
    held: roubles("The largest amount that was held.", "0.02"),
    charged: roubles("What was taken.", "0.0198"),
    currency: Currency,
    attempts: Type.Optional(Type.Array(Attempt, { description: "Every try, in order; only the one that delivered is charged." })),
  },
  { description: "The record of one request." },
);

export const ReceiptList = Type.Object(
  {
    data: Type.Array(Receipt, { description: "Newest first." }),
    nextCursor: nullableString({ description: "Pass it as `cursor` for the next page; null on the last one." }),
  },
  { description: "A page of receipts." },
);
