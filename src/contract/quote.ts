/** `POST /v1/quote/…`: what a request would hold, charging nothing (contract §6). */
import Type from "typebox";
import { Currency, roubles } from "./money.ts";

export const Quote = Type.Object(
  {
    model: Type.String({ description: "The model whose price counts.", examples: ["sandbox-large"] }),
    endpoint: Type.String({ examples: ["chat.completions"] }),
    currency: Currency,
    priceVersion: Type.Integer({ examples: [1] }),
    price: Type.Optional(roubles("Of a task: what it will cost when it completes.", "32")),
    hold: Type.Optional(roubles("Of a chat request: the worst case, with the longest answer that it allows.", "19.2")),
    minimum: Type.Optional(roubles("Of a chat request: the least that must be available for it to start.", "0.21")),
    inputTokens: Type.Optional(Type.Integer({ description: "Upper estimate of the prompt.", examples: [120] })),
    maxOutputTokens: Type.Optional(Type.Integer({ description: "The longest answer that the request allows.", examples: [32000] })),
  },
  { description: "The price or the hold of a request that has not been made." },
);
