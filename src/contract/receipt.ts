/** `GET /v1/requests/{id}` and the list: one receipt per request (contract §4 to §6). */
import Type from "typebox";
import { REQUEST_ENDPOINTS } from "./enums/chat-endpoint.ts";
import { REQUEST_KINDS } from "./enums/request-kind.ts";
import { USAGE_SOURCES } from "./enums/usage-source.ts";
import { PriceLine, PriceMultiplier } from "./price/price-line.ts";
import { nullableInteger, nullableString } from "./nullable.ts";
import { Currency, moment, roubles } from "./money.ts";

const count = (description: string, example = 0) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const ReceiptMedia = Type.Object(
  {
    audioInput: count("Prompt tokens of audio."),
    imageInput: count("Prompt tokens of images."),
    audioOutput: count("Of outputTokens, those of audio."),
    imageOutput: count("Of outputTokens, those of images."),
  },
  { description: "Tokens that are no text; absent where the answer told of none." },
);

const ReceiptUsage = Type.Object(
  {
    inputTokens: count("Prompt tokens neither read from nor written to a cache.", 12),
    cachedInputTokens: count("Prompt tokens read from a cache."),
    cacheWrite5mTokens: count("Prompt tokens written to a five-minute cache."),
    cacheWrite1hTokens: count("Prompt tokens written to a one-hour cache."),
    outputTokens: count("Generated tokens, reasoning included.", 30),
    reasoningTokens: count("Of outputTokens, those spent on reasoning."),
    images: count("Input images."),
    media: Type.Optional(ReceiptMedia),
  },
  { description: "What was counted; every token once." },
);

const ReceiptCounts = Type.Object(
  {
    documents: Type.Optional(count("Documents that were ranked.", 10)),
    characters: Type.Optional(count("Characters that were spoken.", 120)),
    seconds: Type.Optional(
      Type.String({ description: "Seconds of sound, a decimal.", examples: ["12.5"] }),
    ),
    images: Type.Optional(count("Images that were made.", 1)),
    image: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "What the price of an image was looked up by.",
        examples: [{ size: "1024x1024", quality: "high" }],
      }),
    ),
  },
  { description: "What was counted beside tokens; absent where nothing was." },
);

const Attempt = Type.Object(
  {
    number: Type.Integer({ description: "The place in their order, from 1.", examples: [1] }),
    outcome: Type.String({
      description:
        "What came of it: `delivered`, `failed`, or `skipped` where it was passed over without a call.",
      examples: ["delivered"],
    }),
    status: Type.Optional(
      nullableInteger(
        {},
        {
          description: "The upstream's HTTP status; null when it never answered.",
          examples: [200],
        },
      ),
    ),
    durationMs: Type.Optional(Type.Number({ examples: [812] })),
  },
  { description: "One try at one upstream." },
);

const ReceiptVariant = Type.Object(
  {
    field: Type.Enum(["serviceTier", "speed", "inferenceGeo"]),
    asked: nullableString({
      description: "Null: not asked for, so charged as without it.",
      examples: ["priority"],
    }),
    used: nullableString({
      description: "What served the request; null: its upstream was not told of it.",
      examples: ["priority"],
    }),
    unconfirmed: Type.Optional(Type.Literal(true, { description: "The answer does not say it." })),
  },
  { description: "What was asked for and what was used." },
);

const ReceiptConversation = Type.Object(
  {
    previousId: Type.Optional(
      Type.String({
        description: "The answer that it went on from.",
        examples: ["resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"],
      }),
    ),
    replayedItems: Type.Optional(
      count("Items of earlier answers that were put before its own; part of inputTokens.", 4),
    ),
    compaction: Type.Optional(
      Type.Literal(true, { description: "A summary of the conversation was asked for." }),
    ),
  },
  { description: "Of a response: what it had to do with answers that are kept." },
);

export const Receipt = Type.Object(
  {
    id: Type.String({
      description: "As in the x-request-id header; of a task its taskId.",
      examples: ["req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"],
    }),
    kind: Type.Enum([...REQUEST_KINDS], { description: "A task has neither usage nor attempts." }),
    endpoint: Type.Enum([...REQUEST_ENDPOINTS]),
    model: Type.String({
      description: "The model whose price counts.",
      examples: ["sandbox-large"],
    }),
    modelRequested: Type.String({
      description: "The model as it was asked for.",
      examples: ["sandbox-large"],
    }),
    batch: Type.Optional(
      Type.String({
        description: "The batch that it was a line of; absent where it was sent by itself.",
        examples: ["batch_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"],
      }),
    ),
    keyMask: Type.Optional(
      nullableString({ description: "The key that paid.", examples: ["tg_live_Ab3d…x9Qz"] }),
    ),
    stream: Type.Boolean(),
    state: Type.String({
      description:
        "completed, interrupted (the upstream broke off), stopped_by_balance, client_gone, failed, or running; of a task queued, processing, completed or failed.",
      examples: ["completed"],
    }),
    startedAt: moment("When the request was admitted."),
    completedAt: Type.Optional(
      nullableString({
        description:
          "When it ended; of a request whose process died, when its hold was ended. ISO 8601, UTC.",
        examples: ["2026-11-21T09:30:01.250Z"],
      }),
    ),
    timeToFirstTokenMs: Type.Optional(
      Type.Unsafe<number | null>({ type: ["number", "null"], examples: [240] }),
    ),
    finishReason: Type.Optional(
      nullableString({ description: "The upstream's own word.", examples: ["stop"] }),
    ),
    usage: Type.Optional(Type.Union([ReceiptUsage, Type.Null()])),
    counts: Type.Optional(ReceiptCounts),
    usageSource: Type.Optional(
      Type.Enum([...USAGE_SOURCES], {
        description:
          "Whose count the charge rests on; with cache: ours, with as much of the prompt cached as the upstream told of the same beginning the last time.",
      }),
    ),
    countFactor: Type.Optional(
      Type.Object(
        { input: Type.String({ examples: ["1.2"] }), output: Type.String({ examples: ["1.6"] }) },
        {
          description:
            "What our count was multiplied by, because the model's tokenizer is another one.",
        },
      ),
    ),
    priceVersion: Type.Optional(
      Type.Integer({ description: "The price list frozen at admission.", examples: [1] }),
    ),
    tier: Type.Optional(
      nullableInteger(
        {},
        {
          description:
            "The prompt tokens that the tier of the price begins above; null: below all tiers.",
          examples: [128000],
        },
      ),
    ),
    variants: Type.Optional(
      Type.Array(ReceiptVariant, {
        description:
          "Service tier, speed and region, where one was asked for or told that has a price.",
      }),
    ),
    toolCalls: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description: "Calls of the upstream's own tools that were charged, by tool.",
        examples: [{ web_search: 2 }],
      }),
    ),
    droppedTools: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Tools of the request that the model did not get, because they have no price here or no upstream of the model runs them.",
        examples: [["web_search"]],
      }),
    ),
    lines: Type.Optional(
      Type.Array(PriceLine, {
        description:
          "What the price is made of, by the list of priceVersion; absent where that cannot be read.",
      }),
    ),
    multipliers: Type.Optional(
      Type.Array(PriceMultiplier, {
        description:
          "What the lines per 1M tokens are multiplied by before they are added to the others and rounded up once.",
      }),
    ),
    conversation: Type.Optional(ReceiptConversation),
    held: roubles("The largest amount that was held.", "0.02"),
    charged: roubles("What was taken.", "0.0198"),
    currency: Currency,
    error: Type.Optional(
      Type.Union(
        [
          Type.Object({
            code: Type.String({ examples: ["provider_error"] }),
            message: Type.String(),
          }),
          Type.Null(),
        ],
        {
          description: "Why a task failed; null where it did not.",
        },
      ),
    ),
    attempts: Type.Optional(
      Type.Array(Attempt, {
        description: "Every try, in order; only the one that delivered is charged.",
      }),
    ),
  },
  { description: "The record of one request." },
);

export const ReceiptList = Type.Object(
  {
    data: Type.Array(Receipt, { description: "Newest first." }),
    nextCursor: nullableString({
      description: "Pass it as `cursor` for the next page; null on the last one.",
    }),
  },
  { description: "A page of receipts." },
);
