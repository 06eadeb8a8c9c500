/** What a price is made of, as receipts, quotes and the panel say it. */
import Type from "typebox";
import { roubles } from "../money.ts";

/** What a unit price is for. */
export const LINE_UNITS = ["1M tokens", "1M characters", "1K documents", "each"] as const;
export type LineUnit = (typeof LINE_UNITS)[number];

export const PriceLine = Type.Object(
  {
    what: Type.String({
      description:
        "A kind of the price (input, cachedInput, cacheWrite5m, cacheWrite1h, imageInput, audioInput, output, reasoning, audioOutput, imageOutput, image, request), `web_search.perCall` or `web_search.perRequest` of a tool; documents, characters or second of a call that is priced by them; of a task its unit, such as `second`.",
      examples: ["input"],
    }),
    quantity: Type.String({ description: "A decimal number.", examples: ["1000"] }),
    unitPrice: roubles("For `per`.", "150"),
    per: Type.Enum([...LINE_UNITS]),
    amount: Type.String({
      description: "quantity × unit price, roubles, exact: up to 15 decimal places.",
      examples: ["0.15"],
    }),
  },
  { description: "One line of a price." },
);
export type PriceLine = Type.Static<typeof PriceLine>;

export const PriceMultiplier = Type.Object(
  {
    by: Type.String({ description: "A decimal number.", examples: ["2"] }),
    when: Type.Record(Type.String(), Type.String(), {
      description: "What it is for.",
      examples: [{ serviceTier: "priority" }],
    }),
  },
  { description: "A factor of a price." },
);
export type PriceMultiplier = Type.Static<typeof PriceMultiplier>;
