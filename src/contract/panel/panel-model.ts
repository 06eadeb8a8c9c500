/**
 * `GET /panel/api/models` and the calculator: what can be called, at what price, and how the form
 * of a task is drawn.
 */
import Type from "typebox";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import { Currency, roubles } from "../money.ts";
import { LINE_UNITS } from "../price/price-line.ts";
import { ChatPriceBody, SurchargesBody, TiersBody } from "../price/tariff-body.ts";
import { nullableInteger, nullableNumber } from "../nullable.ts";
import type { MediaDeclaration } from "../tasks/media-declaration.ts";
import { MistakeParams } from "./panel-error.ts";
import { PlaygroundTaskQuote } from "./playground.ts";

const Words = Type.Object({ en: Type.String(), ru: Type.String() });

/**
 * As the catalogue declares it, defaults filled in; a kind that is absent has no price.
 * `compileTariff` makes what is counted with from it.
 */
const ChatPrice = Type.Object({
  kind: Type.Literal("chat"),
  ...ChatPriceBody.properties,
  cachedInput: Type.String(),
  reasoning: Type.String(),
  image: Type.String(),
  request: Type.String(),
  tiers: Type.Optional(TiersBody),
  surcharges: Type.Optional(SurchargesBody),
});

/** quantity × amount × every multiplier whose parameters are so. */
const CallPrice = Type.Object({
  kind: Type.Literal("call"),
  /** One for each thing that has a price. */
  rows: Type.Array(
    Type.Object({
      /** A kind of tokens, `request`, `documents`, `characters`, `second`, `image`. */
      what: Type.String(),
      per: Type.Enum([...LINE_UNITS]),
      /** Of an image: what of the request it is for. */
      when: Type.Record(Type.String(), Type.String()),
      amount: roubles("For `per`."),
    }),
  ),
  batch: Type.Optional(
    Type.String({ description: "What the price of a line of a batch is multiplied by." }),
  ),
});

const TaskPrice = Type.Object({
  kind: Type.Literal("task"),
  unit: Type.String({ description: "What one unit is: `second`, `image`." }),
  /** The name of a parameter, or a number. */
  quantity: Type.String(),
  /** Roubles per unit, one row for each combination of the parameters that decide. */
  amounts: Type.Array(
    Type.Object({ when: Type.Record(Type.String(), Type.String()), amount: roubles("Per unit.") }),
  ),
  multiply: Type.Array(
    Type.Object({ when: Type.Record(Type.String(), Type.String()), by: Type.String() }),
  ),
});

/** Bounds are inclusive. */
const Media = Type.Unsafe<MediaDeclaration>({ type: "object", additionalProperties: true });

const fieldHead = {
  name: Type.String(),
  title: Words,
  description: Words,
  required: Type.Boolean(),
  advanced: Type.Boolean({ description: "A form may fold it away." }),
};
const bounds = {
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  minLength: Type.Optional(Type.Integer({ description: "Characters." })),
  maxLength: Type.Optional(Type.Integer()),
  multiline: Type.Optional(Type.Boolean()),
  /** How many entries a list has. */
  minItems: Type.Optional(Type.Integer()),
  maxItems: Type.Optional(Type.Integer()),
  media: Type.Optional(Media),
  /** What a file may be when it is the only one of the list, where that differs. */
  mediaAlone: Type.Optional(Media),
};

/** A field of the objects in a list. */
const ObjectField = Type.Object({
  ...fieldHead,
  kind: Type.Enum(["text", "number", "integer", "url", "urls"]),
  ...bounds,
});
export type PanelObjectField = Type.Static<typeof ObjectField>;

export const PanelTaskField = Type.Object({
  ...fieldHead,
  kind: Type.Enum([
    "text",
    "number",
    "integer",
    "flag",
    "choice",
    "url",
    "urls",
    "texts",
    "objects",
  ]),
  ...bounds,
  default: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  /** Of a choice. */
  values: Type.Optional(Type.Array(Type.String())),
  /** Of objects. */
  fields: Type.Optional(Type.Array(ObjectField)),
  /** Instead of a list of objects, true or false may be given. */
  orFlag: Type.Optional(Type.Boolean()),
});
export type PanelTaskField = Type.Static<typeof PanelTaskField>;

const TaskForm = Type.Object({
  table: Type.String({ description: "T1 to T19." }),
  title: Words,
  summary: Words,
  makes: Type.Enum(["image", "video"]),
  deadlineSeconds: Type.Integer(),
  fields: Type.Array(PanelTaskField),
  /**
   * What fields must keep together, as mistakes tell it; the first of `fields` is the one at fault.
   */
  rules: Type.Array(
    Type.Object({
      fields: Type.Array(Type.String()),
      code: Type.String(),
      params: MistakeParams,
      message: Type.String(),
    }),
  ),
  examples: Type.Object({
    minimal: Type.Record(Type.String(), Type.Unknown()),
    full: Type.Record(Type.String(), Type.Unknown()),
  }),
});
export type PanelTaskForm = Type.Static<typeof TaskForm>;

export const PanelModel = Type.Object({
  id: Type.String(),
  type: Type.Enum([...REQUEST_KINDS]),
  displayName: Type.String(),
  /** chat.completions, messages, tasks, embeddings … */
  endpoints: Type.Array(Type.String()),
  /** Other ids that lead to it, such as `claude-*opus*`. */
  aliases: Type.Array(Type.String()),
  contextTokens: nullableInteger({}, { description: "Null for tasks, and where none is stated." }),
  maxOutputTokens: nullableInteger({}, { description: "Null for all but chat." }),
  price: Type.Union([ChatPrice, TaskPrice, CallPrice]),
  form: Type.Union([TaskForm, Type.Null()], { description: "Null for all but tasks." }),
});
export type PanelModel = Type.Static<typeof PanelModel>;

export const PanelModelList = Type.Object({
  priceVersion: Type.Integer(),
  currency: Currency,
  data: Type.Array(PanelModel),
});
export type PanelModelList = Type.Static<typeof PanelModelList>;

/** Of the whole gateway, as everybody may know it: no counts, and of few requests nothing. */
export const PanelModelStatus = Type.Object({
  id: Type.String(),
  health: Type.Union([Type.Enum(["works", "impaired", "down"]), Type.Null()], {
    description: "Of its routes, now; null: no process has been heard of.",
  }),
  days: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description:
      "Which share of the requests was answered, 0 to 1, of the last thirty days of Moscow, the oldest first; null: too few.",
  }),
  share: nullableNumber({}, { description: "Of all these days; null: too few." }),
  firstTokenMs: nullableNumber(
    {},
    { description: "The mean of today and yesterday; null: too few." },
  ),
  tokensPerSecond: nullableNumber(
    {},
    {
      description:
        "Written in each second from the request to its end, of the answers of today and yesterday that came whole; null: too few.",
    },
  ),
});
export type PanelModelStatus = Type.Static<typeof PanelModelStatus>;

export const PanelModelStatusList = Type.Object({ data: Type.Array(PanelModelStatus) });
export type PanelModelStatusList = Type.Static<typeof PanelModelStatusList>;

/**
 * `POST /panel/api/quote/tasks/{model}`, with the body of the task, whatever key would order it.
 */
export const PanelTaskQuote = PlaygroundTaskQuote;
export type PanelTaskQuote = Type.Static<typeof PanelTaskQuote>;
