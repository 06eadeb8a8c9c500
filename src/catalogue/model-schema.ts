/** One model: a chat model with its token limits, or a task model with its parameter table. */
import Type from "typebox";
import type { Static, TUnsafe } from "typebox";
import { CHAT_ENDPOINTS } from "../contract/enums/chat-endpoint.ts";
import { parseDecimal } from "../contract/price/decimal.ts";
import { ChatPriceBody, SurchargesBody, TiersBody } from "../contract/price/tariff-body.ts";
import type { ModelReasoning } from "./catalogue.ts";
import {
  compiled,
  described,
  type Found,
  listOf,
  mapOf,
  named,
  orElse,
  ruled,
  value,
  whole,
  words,
} from "./schema-parts.ts";
import { CALL_MODELS, type WrittenCallModel } from "./call-model-schema.ts";
import { ANSWER_MODEL, HEAD, ROUTE, TOKENS, typeOf } from "./model-head-schema.ts";
import { expected } from "./single-values.ts";
import { NO_RESPONSES, type WrittenEndpoint } from "./served-endpoints.ts";
import { TASK_TABLE_IDS } from "./task-parameters.ts";
import { TASK_PRICE } from "./task-price-schema.ts";
import type { Place } from "./yaml-reader.ts";

const LONGEST_DEADLINE_SECONDS = 7 * 86_400;
/** Ids stand in paths and in logs; `/` is allowed because providers use it. */
export const MODEL_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._:/-]{0,126}[A-Za-z0-9])?$/;

/** No tokenizer is further from another one: beyond, it is a slip of the point. */
const LEAST_TENTHS = 2n;
const MOST_TENTHS = 100n;

const COUNT_FACTOR_JSON = {
  anyOf: [
    {
      type: "string",
      pattern: String.raw`^(?:0\.[2-9]\d{0,8}|[1-9](?:\.\d{1,9})?|10(?:\.0{1,9})?)$`,
    },
    { type: "number", minimum: 0.2, maximum: 10 },
  ],
};
const COUNT_FACTOR = value(COUNT_FACTOR_JSON, (text, found) => {
  const factor = parseDecimal(text);
  const tenths = factor === null ? 0n : factor.digits * 10n;
  const one = factor === null ? 1n : 10n ** BigInt(factor.scale);
  return factor !== null && tenths >= LEAST_TENTHS * one && tenths <= MOST_TENTHS * one
    ? factor
    : expected("count_factor", found);
});

const PRICE = named("chatPrice", ChatPriceBody);
const TIERS = named("tiers", TiersBody);
const SURCHARGES = named("surcharges", SurchargesBody);

const CHAT_ROUTE = ruled(
  Type.Object({
    ...ROUTE,
    cost: Type.Optional(described("What the upstream takes from you, as `price`.", PRICE)),
    costTiers: Type.Optional(described("The tiers of `cost`.", TIERS)),
    costSurcharges: Type.Optional(described("The surcharges of `cost`.", SURCHARGES)),
    // Both sides must be said: of a tokenizer whose factor is known on one side only, the other one
    // is not 1.
    countFactor: Type.Optional(
      described(
        "What our own counts of tokens are multiplied by, from 0.2 to 10.",
        Type.Object({
          input: described("Of the prompt.", COUNT_FACTOR),
          output: described("Of the answer.", COUNT_FACTOR),
        }),
      ),
    ),
  }),
  (_, { at, reader }) => {
    const more = ["costTiers", "costSurcharges"].find((name) => reader.has(at, name));
    if (more !== undefined && !reader.has(at, "cost"))
      reader.note(reader.child(at, more), "no_cost");
  },
);

const ENDPOINTS = ruled(
  Type.Unsafe<readonly WrittenEndpoint[]>({
    ...listOf(words([...CHAT_ENDPOINTS, NO_RESPONSES])),
    minItems: 1,
  }),
  (endpoints, { at, reader }) => {
    if (endpoints.length === 0) reader.note(at, "no_endpoint", { known: CHAT_ENDPOINTS });
    endpoints.forEach((endpoint, index) => {
      if (endpoint !== undefined && endpoints.indexOf(endpoint) < index)
        reader.note(reader.child(at, index), "endpoint_twice", { endpoint });
    });
  },
);

const REASONING: Readonly<Record<"true" | "false" | "adaptive", ModelReasoning>> = {
  true: true,
  false: false,
  adaptive: "adaptive",
};
const TYPE = typeOf();

export const CHAT_MODEL = ruled(
  Type.Object({
    type: TYPE,
    ...HEAD,
    endpoints: described(
      "Under which endpoints it is served; chat.completions brings responses along, unless no-responses stands beside it.",
      ENDPOINTS,
    ),
    contextTokens: described("Prompt and answer together.", TOKENS),
    maxOutputTokens: described("The longest answer.", TOKENS),
    reasoning: described(
      "Whether it thinks before it answers; adaptive: it decides itself how much.",
      orElse(
        compiled(words(["true", "false", "adaptive"]), (word) => REASONING[word]),
        null,
      ),
    ),
    imageTokens: described(
      "Upper bound of the prompt tokens that one image counts as.",
      orElse(whole(0, 1_000_000), 5_000),
    ),
    answerModel: ANSWER_MODEL,
    price: PRICE,
    tiers: Type.Optional(TIERS),
    surcharges: Type.Optional(SURCHARGES),
    routes: described("Which upstreams serve it.", listOf(CHAT_ROUTE, "route")),
  }),
  ({ contextTokens: context, maxOutputTokens: output }, { at, reader }) => {
    if (context !== undefined && output !== undefined && output > context)
      reader.note(reader.child(at, "maxOutputTokens"), "output_above_context", { output, context });
  },
);

/** Read when the table of the model is known. */
const LIMITS: TUnsafe<Place> = Type.Unsafe({
  type: "object",
  "~place": ({ at }: Found) => at,
});

const TASK_ROUTE = Type.Object({
  ...ROUTE,
  cost: Type.Optional(described("What the upstream takes from you, as `price`.", TASK_PRICE)),
  limits: Type.Optional(
    described("What this provider allows less of than the parameter table.", LIMITS),
  ),
});

export const TASK_MODEL = Type.Object({
  type: TYPE,
  ...HEAD,
  parameters: described("The parameter table: what may be sent.", words(TASK_TABLE_IDS)),
  price: TASK_PRICE,
  deadlineSeconds: described(
    "A task without an end by then fails and costs nothing.",
    orElse(whole(1, LONGEST_DEADLINE_SECONDS), 3_600),
  ),
  routes: described("Which upstreams serve it.", listOf(TASK_ROUTE, "route")),
});

export type WrittenChatModel = Static<typeof CHAT_MODEL>;
export type WrittenTaskModel = Static<typeof TASK_MODEL>;

export type WrittenModel = WrittenChatModel | WrittenTaskModel | WrittenCallModel;

const MODEL = Type.Unsafe<WrittenModel>({
  "~by": {
    key: "type",
    of: {
      chat: named("chatModel", CHAT_MODEL),
      task: named("taskModel", TASK_MODEL),
      ...CALL_MODELS,
    },
  },
});

export const MODELS = described(
  "By id: what is sold.",
  mapOf(MODEL, {
    none: "model",
    keyPattern: MODEL_ID.source,
    key: (name, { at, reader }) => {
      if (!MODEL_ID.test(name)) reader.note(at, "bad_name", { what: "model", name });
    },
  }),
);
