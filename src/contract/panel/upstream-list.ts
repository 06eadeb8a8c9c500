/**
 * A catalogue held against the list of models that an upstream tells: new ones, ones that are gone,
 * costs that changed. Nothing is changed by it.
 */
import Type from "typebox";
import { UPSTREAM_PROTOCOLS } from "../enums/upstream-protocol.ts";
import { nullableInteger, nullableString } from "../nullable.ts";
import { CatalogueCheck, CatalogueCheckBody } from "./operator-catalogue.ts";

/** `GET operator/catalogue/upstream-lists`: the upstreams in force that can be asked for one. */
export const UpstreamLists = Type.Object({
  data: Type.Array(
    Type.Object({
      upstream: Type.String(),
      protocol: Type.Enum([...UPSTREAM_PROTOCOLS]),
      rate: nullableString({
        description: "Roubles for a dollar, as `reportedCost` of the upstream has it.",
      }),
    }),
  ),
});
export type UpstreamLists = Type.Static<typeof UpstreamLists>;

const { source } = CatalogueCheckBody.properties;
/** More is no rate and no markup. */
const decimal = (description: string) =>
  Type.String({ pattern: String.raw`^\d{1,6}(?:\.\d{1,6})?$`, description });

/** `POST operator/catalogue/upstream-list` */
export const UpstreamListBody = Type.Object({
  source,
  upstream: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "Of the catalogue in force, at whose address it is asked.",
  }),
  rate: Type.Optional(
    decimal("Roubles for a dollar; absent: the upstream's `reportedCost`, if it has one."),
  ),
  markup: Type.Optional(
    decimal("In percent, of the proposed price of a new model on its cost; absent: 0."),
  ),
});
export type UpstreamListBody = Type.Static<typeof UpstreamListBody>;

export const ListedCost = Type.Object({
  model: Type.String(),
  upstreamModel: Type.String(),
  kind: Type.String({ description: "As prices name it." }),
  before: nullableString({
    description: "Roubles, as the text has it; null: it has none of this kind.",
  }),
  after: Type.String({ description: "Roubles, by the list." }),
  percent: nullableString({ description: "As of a price that changes; null: there was none." }),
  big: Type.Boolean({ description: "By half or more, or from nothing." }),
  line: Type.Integer({ description: "Of the route, from 1." }),
  from: nullableInteger(
    {},
    { description: "Where the amount stands in the text, quotes too; null: nowhere." },
  ),
  to: nullableInteger({}, { description: "" }),
  editable: Type.Boolean({ description: "The amount stands for itself alone." }),
});
export type ListedCost = Type.Static<typeof ListedCost>;

export const NewListedModel = Type.Object({
  id: Type.String(),
  name: nullableString({ description: "" }),
  contextTokens: nullableInteger({}, { description: "" }),
  input: nullableString({ description: "Roubles for 1M tokens; null: not told." }),
  output: nullableString({ description: "" }),
  text: nullableString({
    description:
      "What may be written down at `endOfModels`; null: the list does not tell all that a model needs, or the id is taken.",
  }),
});
export type NewListedModel = Type.Static<typeof NewListedModel>;

const LIST_FAILURES = ["no_credential", "no_answer", "refused", "not_understood"] as const;

export const UpstreamListed = Type.Object({
  mistakes: CatalogueCheck.properties.mistakes,
  failure: Type.Union([
    Type.Object({
      why: Type.Enum([...LIST_FAILURES]),
      status: nullableInteger({}, { description: "HTTP; null: no answer." }),
    }),
    Type.Null(),
  ]),
  /** How many models it lists. */
  listed: Type.Integer(),
  /** The list is longer than what was read: none is said to be gone. */
  partial: Type.Boolean(),
  priced: Type.Boolean({ description: "It tells prices." }),
  rate: nullableString({ description: "That was counted by; null: there is none, and no cost." }),
  costs: Type.Array(ListedCost),
  fresh: Type.Array(NewListedModel),
  gone: Type.Array(
    Type.Object({
      model: Type.String(),
      upstreamModel: Type.String(),
      line: Type.Integer({ description: "Of the route, from 1." }),
    }),
  ),
  odd: Type.Array(
    Type.Object({
      id: Type.String(),
      fields: Type.Array(Type.String(), { description: "That hold no price to count by." }),
    }),
  ),
  endOfModels: nullableInteger(
    {},
    { description: "Where a model may be written down; null: nowhere." },
  ),
});
export type UpstreamListed = Type.Static<typeof UpstreamListed>;
