/**
 * One model of a kind of call that is no chat: the price in one of the forms that its type may have,
 * and the routes that serve it.
 */
import Type from "typebox";
import type { Static, TSchema, TUnsafe } from "typebox";
import { BATCH_CALL_ENDPOINTS } from "../contract/enums/batch-endpoint.ts";
import { CALL_TYPE_OF, CALL_TYPES, type CallType } from "../contract/enums/call-endpoint.ts";
import { CALL_AMOUNTS, CallSurchargesBody } from "../contract/price/call-price-body.ts";
import { PRICE_FORMS, type CallAmountKind, type PriceForm } from "../contract/price/call-price.ts";
import type { Nano } from "../kernel/money.ts";
import { ANSWER_MODEL, HEAD, ROUTE, TOKENS, typeOf } from "./model-head-schema.ts";
import { described, listOf, mapOf, named, oneOrMore, ruled, words } from "./schema-parts.ts";
import { ROUBLES } from "./single-values.ts";

/** By what of the request the price of an image is looked up; a value that is not there is not sold. */
export const IMAGE_PARAMETERS = ["size", "quality"] as const;

export type WrittenImageValues = ReadonlyMap<string, Nano | ReadonlyMap<string, Nano>>;
/** An amount for every image, or a table of such. */
export type WrittenImage =
  | Nano
  | { readonly by: readonly string[]; readonly values: WrittenImageValues };

const INNER: TUnsafe<Nano | ReadonlyMap<string, Nano>> = Type.Unsafe({
  ...mapOf(ROUBLES, { none: "amount" }),
  description: "Roubles for one image, or by the value of the second parameter.",
  "~plain": ROUBLES,
});

const IMAGE: TUnsafe<WrittenImage> = Type.Unsafe({
  ...Type.Object({
    by: described(
      "By what of the request the amount is looked up.",
      oneOrMore(words(IMAGE_PARAMETERS), "value"),
    ),
    values: described(
      "By value of the first: roubles, or by value of the second. What is not here is not sold.",
      mapOf(INNER, { none: "amount" }),
    ),
  }),
  description: "Roubles for one image, or a table of such by size and quality.",
  "~name": "imageAmount",
  "~plain": ROUBLES,
});

type WrittenPrice = Partial<Record<CallAmountKind, string>> & { readonly image?: WrittenImage };

function priceOf(type: CallType): TUnsafe<WrittenPrice> {
  const forms = PRICE_FORMS[type];
  const kinds = new Set(forms.flatMap(({ required, optional }) => [...required, ...optional]));
  const properties = Object.fromEntries(
    [...kinds].map((kind) => [
      kind,
      kind === "image" ? Type.Optional(IMAGE as TSchema) : CALL_AMOUNTS[kind],
    ]),
  );
  const body = Type.Object(properties, {
    description: `Roubles: ${forms.map(wordsOf).join(", or ")}.`,
    allOf: [{ oneOf: forms.map((form) => shapeOf(form, kinds)) }],
  });
  const price = ruled(body as unknown as TUnsafe<WrittenPrice>, (_, { at, reader }) => {
    const stated = [...kinds].filter((kind) => reader.has(at, kind));
    if (forms.some((form) => fits(form, stated))) return;
    reader.note(at, "price_form", { forms: forms.map(wordsOf), given: stated });
  });
  return named(`${type}Price`, price);
}

function fits({ required, optional }: PriceForm, given: readonly string[]): boolean {
  return (
    required.every((kind) => given.includes(kind)) &&
    given.every(
      (kind) =>
        required.some((known) => known === kind) || optional.some((known) => known === kind),
    )
  );
}

function wordsOf({ required }: PriceForm): string {
  return required.join(" + ");
}

/** For editors: what it has, and nothing of the others. */
function shapeOf({ required, optional }: PriceForm, kinds: ReadonlySet<string>): object {
  const own = new Set<string>([...required, ...optional]);
  const others = [...kinds].filter((kind) => !own.has(kind));
  return {
    ...havingAll(required),
    ...(others.length === 0 ? {} : { not: { anyOf: others.map((kind) => havingAll([kind])) } }),
  };
}

function havingAll(keys: readonly string[]): object {
  return { required: keys, properties: Object.fromEntries(keys.map((key) => [key, {}])) };
}

/** Types whose tokens our own count bounds: the longest that one of their texts may be. */
const WINDOW: Readonly<Partial<Record<CallType, "required" | "optional">>> = {
  completion: "required",
  embedding: "optional",
};

const CONTEXT = {
  embedding: described("The longest that one input may be.", TOKENS),
  completion: described("Prompt and answer together.", TOKENS),
};

/** Types that a line of a batch may ask for. */
const IN_BATCHES: ReadonlySet<CallType> = new Set(
  BATCH_CALL_ENDPOINTS.map((endpoint) => CALL_TYPE_OF[endpoint]),
);
const CALL_SURCHARGES = named("callSurcharges", CallSurchargesBody);

/** A route without a cost has none that could be another in a batch. */
const routeOf = (type: CallType, price: TUnsafe<WrittenPrice>): TSchema =>
  ruled(
    Type.Object({
      ...ROUTE,
      cost: Type.Optional(described("What the upstream takes from you, as `price`.", price)),
      ...(IN_BATCHES.has(type)
        ? {
            costSurcharges: Type.Optional(
              described("What it takes for a line of a batch of its own.", CALL_SURCHARGES),
            ),
          }
        : {}),
    }),
    (_, { at, reader }) => {
      if (reader.has(at, "costSurcharges") && !reader.has(at, "cost"))
        reader.note(reader.child(at, "costSurcharges"), "no_cost");
    },
  );

function modelOf(type: CallType): TUnsafe<WrittenCallModel> {
  const price = priceOf(type);
  const window = WINDOW[type];
  const context = type === "completion" ? CONTEXT.completion : CONTEXT.embedding;
  const model = Type.Object({
    type: typeOf(),
    ...HEAD,
    ...(window === undefined
      ? {}
      : { contextTokens: window === "required" ? context : Type.Optional(context) }),
    answerModel: ANSWER_MODEL,
    price,
    ...(IN_BATCHES.has(type) ? { surcharges: Type.Optional(CALL_SURCHARGES) } : {}),
    routes: described("Which upstreams serve it.", listOf(routeOf(type, price), "route")),
  });
  return named(`${type}Model`, model as unknown as TUnsafe<WrittenCallModel>);
}

interface WrittenRoute {
  readonly upstream: string;
  readonly model: string;
  readonly order: number;
  readonly weight: number;
  readonly maxConcurrent?: number;
  readonly cost?: WrittenPrice;
  readonly costSurcharges?: CallSurchargesBody;
}

export interface WrittenCallModel {
  readonly type: CallType;
  readonly displayName?: string;
  readonly createdAt?: Date;
  readonly contextTokens?: number;
  readonly answerModel?: Static<typeof ANSWER_MODEL>;
  readonly price: WrittenPrice;
  readonly surcharges?: CallSurchargesBody;
  readonly routes: readonly WrittenRoute[];
}

export const CALL_MODELS = Object.fromEntries(
  CALL_TYPES.map((type) => [type, modelOf(type)]),
) as Readonly<Record<CallType, TUnsafe<WrittenCallModel>>>;
