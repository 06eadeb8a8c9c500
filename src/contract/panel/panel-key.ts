/** `/panel/api/keys`: API keys as the panel shows, makes and changes them. */
import Type from "typebox";
import { BUDGET_PERIODS } from "../enums/budget-period.ts";
import { Currency, moment, roubles } from "../money.ts";
import { HIGHEST_RATE_LIMITS } from "../../kernel/rate-limits.ts";
import { IP_RANGE_PATTERN } from "../ip-range-pattern.ts";
import { nullableInteger, nullableString } from "../nullable.ts";
import { Revision, REVISION } from "./revision.ts";
import { PanelGroupName, PanelKeyOwner } from "./spend.ts";

const MODEL_ID = Type.String({ minLength: 1, maxLength: 128 });

export const PanelKeyLimit = Type.Object({
  amount: roubles("What may be spent in a period."),
  period: Type.Enum([...BUDGET_PERIODS]),
  spent: roubles(
    "Of it, used in this period, the key before it included where this one took its place.",
  ),
  remaining: roubles("Of it, left: less what is spent and held."),
  resetsAt: nullableString({ description: "When the next period begins; null for a total." }),
});
export type PanelKeyLimit = Type.Static<typeof PanelKeyLimit>;

export const PanelKey = Type.Object({
  hash: Type.String(),
  mask: Type.String(),
  name: Type.String(),
  state: Type.Enum(["active", "frozen", "expired", "deleted"]),
  createdAt: moment("When it was made."),
  expiresAt: nullableString({ description: "Null: never." }),
  frozenAt: nullableString({ description: "Null: it is not." }),
  deletedAt: nullableString({ description: "Null: it is not." }),
  lastUsedAt: nullableString({ description: "To the minute; null: not yet." }),
  models: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "The only ones that it may call; null: all.",
  }),
  ips: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "Where it may be used from; null: anywhere.",
  }),
  requestsPerMinute: nullableInteger({}, { description: "Null: no limit of its own." }),
  tokensPerMinute: nullableInteger({}, { description: "Null: no limit of its own." }),
  maxConcurrent: nullableInteger(
    {},
    { description: "Chat requests at once. Null: no limit of its own." },
  ),
  maxTasks: nullableInteger({}, { description: "Unfinished tasks. Null: no limit of its own." }),
  currency: Currency,
  spentToday: roubles("Today, in Moscow."),
  spentMonth: roubles("This month, in Moscow."),
  spentTotal: roubles("Ever."),
  held: roubles("Held for what runs now."),
  limit: Type.Union([PanelKeyLimit, Type.Null()], {
    description: "Null: no limit but the balance.",
  }),
  owner: Type.Union([PanelKeyOwner, Type.Null()], {
    description: "The member whose it is; null: the account's.",
  }),
  group: Type.Union([PanelGroupName, Type.Null()], {
    description: "Within whose limit and models it is used, too; null: in no group.",
  }),
  /** The key that took its place: it may be used until `expiresAt`. */
  rolledTo: nullableString({ description: "Hash; null: none." }),
  revision: Revision,
});
export type PanelKey = Type.Static<typeof PanelKey>;

export const PanelKeyList = Type.Object({
  data: Type.Array(PanelKey),
  nextCursor: nullableString({ description: "Null: the last page." }),
});
export type PanelKeyList = Type.Static<typeof PanelKeyList>;

export const PanelKeyQuery = Type.Object({
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  deleted: Type.Optional(Type.Boolean({ description: "Deleted keys too." })),
});
export type PanelKeyQuery = Type.Static<typeof PanelKeyQuery>;

const LimitWish = Type.Union([
  Type.Object({
    amount: Type.String({
      pattern: "^(?=.*[1-9])\\d{1,10}(\\.\\d{1,9})?$",
      description: "Roubles, above 0.",
    }),
    period: Type.Enum([...BUDGET_PERIODS]),
  }),
  Type.Null(),
]);

const settings = {
  owner: Type.Optional(
    Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
      description:
        "The id of a member whose it shall be; null: the account's. Developers make keys for themselves only.",
    }),
  ),
  limit: Type.Optional(LimitWish),
  group: Type.Optional(
    Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
      description: "The id of a group; null: none.",
    }),
  ),
  expiresAt: Type.Optional(
    nullableString({ description: "ISO 8601, in the future; null: never." }),
  ),
  models: Type.Optional(Type.Union([Type.Array(MODEL_ID), Type.Null()])),
  ips: Type.Optional(
    Type.Union([
      Type.Array(Type.String({ maxLength: 64, pattern: IP_RANGE_PATTERN })),
      Type.Null(),
    ]),
  ),
  requestsPerMinute: Type.Optional(
    nullableInteger(
      { minimum: 1, maximum: HIGHEST_RATE_LIMITS.requestsPerMinute },
      { description: "Null: none." },
    ),
  ),
  tokensPerMinute: Type.Optional(
    nullableInteger(
      { minimum: 1, maximum: HIGHEST_RATE_LIMITS.tokensPerMinute },
      { description: "Null: none." },
    ),
  ),
  maxConcurrent: Type.Optional(
    nullableInteger(
      { minimum: 1, maximum: HIGHEST_RATE_LIMITS.maxConcurrent },
      { description: "Null: none." },
    ),
  ),
  maxTasks: Type.Optional(
    nullableInteger(
      { minimum: 1, maximum: HIGHEST_RATE_LIMITS.maxTasks },
      { description: "Null: none." },
    ),
  ),
};

export const NewPanelKey = Type.Object({
  /**
   * A UUID that the form made: the same one again makes no second key but is a `conflict` (the
   * secret was shown to the first).
   */
  once: Type.Optional(Type.String({ format: "uuid" })),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  ...settings,
});
export type NewPanelKey = Type.Static<typeof NewPanelKey>;

/** Of what was seen before. */
/** What is left out stays as it is; null takes a restriction away. */
export const PanelKeyChange = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  revision: REVISION,
  ...settings,
});
export type PanelKeyChange = Type.Static<typeof PanelKeyChange>;

/**
 * The new key has the settings of the old one. Of a limit, it has used what the old one had used in
 * the running period, or held; what the old one spends after the roll is beside it. Alerts about
 * the old key are about the new one from then on. With 0 hours the old key is deleted at once. A
 * key is rolled once: again is a `conflict`.
 */
export const PanelKeyRoll = Type.Object({
  overlapHours: Type.Integer({ minimum: 0, maximum: 168 }),
});
export type PanelKeyRoll = Type.Static<typeof PanelKeyRoll>;

export const PanelKeyMade = Type.Object({
  secret: Type.String({ description: "Shown this once." }),
  key: PanelKey,
});
export type PanelKeyMade = Type.Static<typeof PanelKeyMade>;

export const PanelKeysFrozen = Type.Object({
  frozen: Type.Integer({ description: "How many were not frozen before." }),
});
export type PanelKeysFrozen = Type.Static<typeof PanelKeysFrozen>;
