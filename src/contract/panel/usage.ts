/**
 * `GET /panel/api/usage`: what an account used in a time, hour by hour or day by day, what the most
 * of it went to, and what it was in the same length of time before.
 */
import Type from "typebox";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import { USAGE_FIGURES, USAGE_GRAINS, USAGE_PARTS, USAGE_RANGES } from "../enums/usage-range.ts";
import { Currency, moment } from "../money.ts";
import { nullableNumber, nullableString } from "../nullable.ts";
import { PanelKeyLimit } from "./panel-key.ts";
import { DAY, PanelGroupName, PanelKeyName, PanelKeyOwner, SpendSums } from "./spend.ts";

export const UsageQuery = Type.Object({
  range: Type.Optional(
    Type.Enum([...USAGE_RANGES], {
      default: "30d",
      description: "Up to now. Not asked where `from` and `to` are given.",
    }),
  ),
  from: Type.Optional(
    Type.String({ pattern: DAY, description: "First day of Moscow; with `to` only." }),
  ),
  to: Type.Optional(
    Type.String({
      pattern: DAY,
      description: "Last day, itself included; a later one than today is today. At most 366 days.",
    }),
  ),
  by: Type.Optional(Type.Enum([...USAGE_PARTS], { default: "model" })),
  figure: Type.Optional(
    Type.Enum([...USAGE_FIGURES], {
      default: "spent",
      description:
        "Of which the parts have most, and what their points are. Of times of answers those with most requests are named, of the share of the cache those with most input.",
    }),
  ),
  keyHash: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  kind: Type.Optional(Type.Enum([...REQUEST_KINDS])),
});
export type UsageQuery = Type.Static<typeof UsageQuery>;

/** Of what ended in the time; spend is that of the ledger, to the nano-rouble. */
export const UsageSums = Type.Object({
  ...SpendSums.properties,
  durationMs: nullableNumber(
    {},
    {
      description:
        "The mean of the requests, without tasks; null where there is none, and where the sums of that long a time do not have it.",
    },
  ),
  timeToFirstTokenMs: nullableNumber(
    {},
    { description: "The mean of those that had one; null as durationMs." },
  ),
});
export type UsageSums = Type.Static<typeof UsageSums>;

export const UsagePoint = Type.Object({
  at: Type.String({
    description: "A day of Moscow, YYYY-MM-DD, or when an hour began, ISO 8601 in UTC.",
  }),
  partial: Type.Boolean({ description: "It is not over yet." }),
  sums: UsageSums,
});

/** A decimal string, whatever the figure: exact. */
const FIGURE = Type.String({
  description:
    "The figure at each point of the answer: roubles, or how many; requests are those and tasks. None of a mean or a share, which do not add up.",
});

/** One of those with most: a key, a member, a group, a model or a kind, as was asked. */
export const UsagePart = Type.Object({
  key: Type.Union([PanelKeyName, Type.Null()], {
    description: "Null unless by key, and of what no key was charged for.",
  }),
  member: Type.Union([PanelKeyOwner, Type.Null()], {
    description: "Whose the keys are now. Null unless by member, and of keys of the account.",
  }),
  group: Type.Union([PanelGroupName, Type.Null()], {
    description:
      "In which the keys were when they were used. Null unless by group, and of keys in none.",
  }),
  model: nullableString({ description: "Null unless by model; empty where it is not known." }),
  kind: Type.Union([Type.Enum([...REQUEST_KINDS]), Type.Null()], {
    description: "Null unless by kind.",
  }),
  sums: UsageSums,
  points: Type.Array(FIGURE, { maxItems: 366 }),
  limit: Type.Union([PanelKeyLimit, Type.Null()], {
    description: "Of a key: what it may spend now; null: it has none.",
  }),
});
export type UsagePart = Type.Static<typeof UsagePart>;

export const Usage = Type.Object({
  asOf: moment("When this was so."),
  grain: Type.Enum([...USAGE_GRAINS]),
  currency: Currency,
  by: Type.Enum([...USAGE_PARTS]),
  figure: Type.Enum([...USAGE_FIGURES]),
  total: UsageSums,
  /** Of what is over alone: the same hours or days as many hours or days earlier. */
  compared: Type.Union([Type.Object({ now: UsageSums, before: UsageSums }), Type.Null()], {
    description: "Null: nothing of the time is over.",
  }),
  /** Every hour or day, the oldest first. */
  points: Type.Array(UsagePoint, { maxItems: 366 }),
  lead: Type.Array(UsagePoint, {
    maxItems: 6,
    description:
      "The ones right before them that a line of seven whole points lacks; none where it lacks none.",
  }),
  /** Those with most first, at most five; without those that have nothing of the figure. */
  parts: Type.Array(UsagePart, { maxItems: 5 }),
  others: Type.Integer({ description: "How many more there are that have some of it." }),
  rest: Type.Array(FIGURE, { maxItems: 366, description: "What those have of it at each point." }),
});
export type Usage = Type.Static<typeof Usage>;
