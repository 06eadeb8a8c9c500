/**
 * The price of a call as it is written: in the catalogue file and in lists of models. One schema for
 * all types; which forms one may have is in `PRICE_FORMS`.
 */
import Type from "typebox";
import { formatRoubles } from "../../kernel/money.ts";
import { CALL_TOKEN_KINDS, CALL_UNITS, type CallAmountKind, type CallPrice } from "./call-price.ts";
import { decimalText } from "./decimal.ts";
import { Factor, roublesText } from "./tariff-body.ts";
import type { AmountTable } from "./task-price.ts";

const WORDS: Readonly<Record<CallAmountKind, string>> = {
  input: "1M tokens of what is sent",
  cachedInput: "1M tokens that are read from a cache",
  imageInput: "1M tokens of images that are sent",
  audioInput: "1M tokens of sound that is sent",
  output: "1M tokens of the answer",
  imageOutput: "1M tokens of images in the answer",
  request: "one request",
  documents1000: "1,000 documents",
  characters1M: "1M characters",
  second: "one second of sound",
};

const KINDS = [...CALL_TOKEN_KINDS, ...CALL_UNITS] as const;

/** Of one amount, by its key. */
export const CALL_AMOUNTS = Object.fromEntries(
  KINDS.map((kind) => [kind, Type.Optional(roublesText(WORDS[kind]))]),
) as Readonly<Record<CallAmountKind, ReturnType<typeof optionalRoubles>>>;

function optionalRoubles() {
  return Type.Optional(roublesText(""));
}

/** By the values of parameters of the request, as the catalogue writes it; of images alone. */
export interface DescribedTable {
  by: string[];
  values: Record<string, unknown>;
}

/** As the catalogue writes it. */
export type DescribedCallPrice = Partial<Record<CallAmountKind, string>> & {
  image?: string | DescribedTable;
  surcharges?: CallSurchargesBody;
};

/** In the words of a chat model's, of which a call has this one. */
export const CallSurchargesBody = Type.Object(
  {
    serviceTier: Type.Object(
      {
        batch: Type.Object(
          { multiply: Factor },
          { description: "What the price of a line of a batch is multiplied by." },
        ),
      },
      { description: "Calls have one: `batch`." },
    ),
  },
  {
    description: "What changes the price: that it is a line of a batch.",
    examples: [{ serviceTier: { batch: { multiply: "0.5" } } }],
  },
);
export type CallSurchargesBody = Type.Static<typeof CallSurchargesBody>;

export function describeCallPrice({ amounts, image, batch }: CallPrice): DescribedCallPrice {
  const pairs = KINDS.flatMap((kind) => {
    const amount = amounts.get(kind);
    return amount === undefined ? [] : [[kind, formatRoubles(amount)] as const];
  });
  return {
    ...Object.fromEntries(pairs),
    ...(image === undefined ? {} : { image: describeImage(image) }),
    ...(batch === undefined
      ? {}
      : { surcharges: { serviceTier: { batch: { multiply: decimalText(batch) } } } }),
  };
}

function describeImage(table: AmountTable): string | DescribedTable {
  return table.kind === "amount"
    ? formatRoubles(table.perUnitNano)
    : { by: parametersOf(table), values: valuesOf(table) };
}

/** Every branch has the same ones. */
function parametersOf(table: AmountTable): string[] {
  if (table.kind === "amount") return [];
  const [first] = table.values.values();
  return [table.parameter, ...(first === undefined ? [] : parametersOf(first))];
}

function valuesOf(table: Extract<AmountTable, { kind: "by" }>): Record<string, unknown> {
  return Object.fromEntries(
    [...table.values].map(([value, inner]) => [
      value,
      inner.kind === "amount" ? formatRoubles(inner.perUnitNano) : valuesOf(inner),
    ]),
  );
}

/** What one of the amounts is for, in the words of lists of models. */
export function unitOf({ amounts, image }: CallPrice): string {
  if (image !== undefined) return "image";
  if (amounts.has("request")) return "request";
  if (amounts.has("documents1000")) return "1K documents";
  if (amounts.has("characters1M")) return "1M characters";
  return amounts.has("second") ? "second" : "1M tokens";
}
