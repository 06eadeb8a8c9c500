/**
 * `/panel/api/requests`: chat requests and tasks in one list, and the receipt of one with the trail
 * of its money.
 */
import Type from "typebox";
import { REQUEST_ENDPOINTS } from "../enums/chat-endpoint.ts";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import { REQUEST_ORDERS } from "../enums/request-order.ts";
import { Currency, moment, roubles } from "../money.ts";
import { PriceLine, PriceMultiplier } from "../price/price-line.ts";
import { nullableInteger, nullableNumber, nullableString } from "../nullable.ts";
import { PanelKeyName } from "./spend.ts";

/** Roubles, to a billionth. */
const AMOUNT = "^\\d{1,9}(\\.\\d{1,9})?$";
const LONGEST_MS = 2_147_483_647;

export const PanelRequestQuery = Type.Object({
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  from: Type.Optional(Type.String({ description: "ISO 8601; from this moment on." })),
  to: Type.Optional(Type.String({ description: "ISO 8601; before this moment." })),
  keyHash: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  state: Type.Optional(Type.String({ pattern: "^[a-z_]{1,40}$" })),
  kind: Type.Optional(Type.Enum([...REQUEST_KINDS])),
  chargedFrom: Type.Optional(
    Type.String({
      pattern: AMOUNT,
      description:
        "Roubles: what cost as much or more. With any of these four only what has ended is found, and none of archived months; a page may be short, even empty, and yet have a next one.",
    }),
  ),
  chargedTo: Type.Optional(
    Type.String({ pattern: AMOUNT, description: "Roubles: what cost as much or less." }),
  ),
  durationFromMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: LONGEST_MS, description: "What took as long or longer." }),
  ),
  durationToMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: LONGEST_MS, description: "What took as long or shorter." }),
  ),
  order: Type.Optional(
    Type.Enum([...REQUEST_ORDERS], {
      default: "time",
      description:
        "`charged` and `duration`: what is most first, of what has ended; within one day, from `from` to `to`.",
    }),
  ),
});
export type PanelRequestQuery = Type.Static<typeof PanelRequestQuery>;

const Usage = Type.Object({
  inputTokens: Type.Integer({ description: "Neither read from nor written to a cache." }),
  cachedInputTokens: Type.Integer(),
  cacheWrite5mTokens: Type.Integer(),
  cacheWrite1hTokens: Type.Integer(),
  outputTokens: Type.Integer({ description: "Reasoning included." }),
  reasoningTokens: Type.Integer(),
  images: Type.Integer(),
  media: Type.Optional(
    Type.Object({
      audioInput: Type.Integer(),
      imageInput: Type.Integer(),
      audioOutput: Type.Integer({ description: "Of outputTokens." }),
      imageOutput: Type.Integer({ description: "Of outputTokens." }),
    }),
  ),
});

export const PanelRequest = Type.Object({
  id: Type.String({
    description:
      "`req_…` of a chat request, the task's id of a task: what the receipt is asked for by.",
  }),
  kind: Type.Enum([...REQUEST_KINDS]),
  protocol: Type.Enum([...REQUEST_ENDPOINTS]),
  startedAt: moment("When it arrived."),
  completedAt: nullableString({ description: "When it ended; null: it runs." }),
  model: Type.String({ description: "Whose price counts." }),
  modelRequested: Type.String(),
  key: Type.Union([PanelKeyName, Type.Null()]),
  stream: Type.Boolean(),
  /**
   * Chat: completed, interrupted, stopped_by_balance, client_gone, failed. Tasks: queued,
   * processing, completed, failed.
   */
  state: Type.String(),
  finishReason: nullableString({ description: "The upstream's own word." }),
  usage: Type.Union([Usage, Type.Null()], { description: "Null for tasks." }),
  durationMs: nullableNumber({}, { description: "From arrival to end." }),
  timeToFirstTokenMs: nullableNumber(
    {},
    { description: "Null where nothing came, and for tasks." },
  ),
  charged: roubles("What was taken; 0 while it runs."),
});
export type PanelRequest = Type.Static<typeof PanelRequest>;

export const PanelRequestList = Type.Object({
  data: Type.Array(PanelRequest),
  nextCursor: nullableString({ description: "Null: the last page." }),
});
export type PanelRequestList = Type.Static<typeof PanelRequestList>;

/** One movement of the request's money, in order. */
export const TrailStep = Type.Object({
  kind: Type.Enum(["hold", "growth", "charge", "release"]),
  at: moment("When."),
  amount: roubles("How much was held, added, taken or given back."),
  heldAfter: roubles("What was held for it then."),
  entryId: nullableString({ description: "The ledger's entry, of a charge and a release." }),
});
export type TrailStep = Type.Static<typeof TrailStep>;

export const PriceReason = Type.Object({
  version: Type.Integer({ description: "Of the price list, frozen at admission." }),
  appliedAt: nullableString({ description: "When that list came into force." }),
  lines: Type.Array(PriceLine),
  /**
   * Of a task: of all lines, for its parameters. Of a chat request: of the lines per 1M tokens, for
   * its variants.
   */
  multipliers: Type.Array(PriceMultiplier),
  tier: nullableInteger(
    {},
    {
      description:
        "Of a chat request: the prompt tokens that its tier begins above; null: below all tiers.",
    },
  ),
  exact: Type.String({ description: "The sum, before it is rounded." }),
  price: roubles("Rounded up once, to a billionth of a rouble."),
  /** What was taken, where that is less: use beyond what was held is not charged. */
  charged: roubles("What was taken."),
});
export type PriceReason = Type.Static<typeof PriceReason>;

export const PanelReceipt = Type.Intersect([
  PanelRequest,
  Type.Object({
    currency: Currency,
    batch: nullableString({
      description: "The batch that it was a line of, as the API names it; null: of none.",
    }),
    usageSource: nullableString({ description: "upstream, counted, counted-with-cache or none." }),
    held: roubles("The largest amount that was held."),
    trail: Type.Array(TrailStep),
    /** Null where nothing was charged, or the old list cannot be read any more. */
    price: Type.Union([PriceReason, Type.Null()]),
    priceVersion: nullableInteger({}, { description: "Of the price list." }),
    /** Service tier, speed, region: what was asked for and what was used. Empty for tasks. */
    variants: Type.Array(
      Type.Object({
        field: Type.Enum(["serviceTier", "speed", "inferenceGeo"]),
        asked: nullableString({ description: "Null: not asked for." }),
        used: nullableString({ description: "Null: its upstream was not told of it." }),
        unconfirmed: Type.Optional(Type.Literal(true)),
      }),
    ),
    toolCalls: Type.Record(Type.String(), Type.Integer()),
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        outcome: Type.String({ description: "delivered, failed or skipped." }),
        status: nullableInteger({}, { description: "HTTP status; null: no answer." }),
        durationMs: nullableNumber({}, { description: "Null where it is not known." }),
      }),
    ),
    error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()], {
      description: "Of a failed task.",
    }),
  }),
]);
export type PanelReceipt = Type.Static<typeof PanelReceipt>;
