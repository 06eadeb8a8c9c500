/**
 * `GET /panel/api/spend`: what was spent, in days of Moscow, by day, by key, by model, by group or by
 * member.
 */
import Type from "typebox";
import { SPEND_GROUPINGS } from "../enums/spend-grouping.ts";
import { nullableString } from "../nullable.ts";
import { Currency, roubles } from "../money.ts";

/** YYYY-MM-DD. */
export const DAY = "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$";

export const SpendQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      pattern: DAY,
      description: "First day, 29 days before the last one when left out.",
    }),
  ),
  to: Type.Optional(
    Type.String({ pattern: DAY, description: "Last day, itself included; today when left out." }),
  ),
  by: Type.Optional(Type.Enum([...SPEND_GROUPINGS], { default: "day" })),
  keyHash: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
  model: Type.Optional(Type.String({ maxLength: 256 })),
});
export type SpendQuery = Type.Static<typeof SpendQuery>;

/** Requests and tasks that ended in the time. Spend is that of the ledger, to the nano-rouble. */
export const SpendSums = Type.Object({
  charged: roubles("What was taken."),
  requests: Type.Integer({ description: "Chat requests." }),
  tasks: Type.Integer(),
  errors: Type.Integer({ description: "Of both, those that failed." }),
  inputTokens: Type.Integer({
    description: "All of the prompts: plain, cached and written to a cache.",
  }),
  cachedTokens: Type.Integer({ description: "Of inputTokens, those read from a cache." }),
  outputTokens: Type.Integer(),
});
export type SpendSums = Type.Static<typeof SpendSums>;

/** How a key is named in lists. */
export const PanelKeyName = Type.Object({
  hash: Type.String(),
  mask: Type.String(),
  name: Type.String(),
});
export type PanelKeyName = Type.Static<typeof PanelKeyName>;

/** How a group is named in lists. */
export const PanelGroupName = Type.Object({ id: Type.String(), name: Type.String() });
export type PanelGroupName = Type.Static<typeof PanelGroupName>;

/** How the owner of a key is named in lists. */
export const PanelKeyOwner = Type.Object({
  memberId: Type.String(),
  name: Type.String({ description: "What the member calls itself, or its e-mail." }),
});
export type PanelKeyOwner = Type.Static<typeof PanelKeyOwner>;

export const SpendRow = Type.Intersect([
  Type.Object({
    day: nullableString({ description: "YYYY-MM-DD; null unless by day." }),
    key: Type.Union([PanelKeyName, Type.Null()], { description: "Null unless by key." }),
    group: Type.Union([PanelGroupName, Type.Null()], {
      description: "Null unless by group; then also what was spent in none.",
    }),
    member: Type.Union([PanelKeyOwner, Type.Null()], {
      description:
        "Who owns the keys now. Null unless by member; then also what keys of the account itself spent.",
    }),
    model: nullableString({
      description: "Null unless by model; empty where it is not known any more.",
    }),
  }),
  SpendSums,
]);
export type SpendRow = Type.Static<typeof SpendRow>;

export const Spend = Type.Object({
  from: Type.String(),
  to: Type.String(),
  by: Type.Enum([...SPEND_GROUPINGS]),
  currency: Currency,
  total: SpendSums,
  /** By day: every day, oldest first. By key, model, group or member: dearest first. */
  rows: Type.Array(SpendRow),
});
export type Spend = Type.Static<typeof Spend>;
