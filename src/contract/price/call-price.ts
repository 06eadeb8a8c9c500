/**
 * The shape of what a call costs that is no chat: kinds of tokens, or one unit, or images by what is
 * asked of them (contract §12).
 */
import type { Nano } from "../../kernel/money.ts";
import type { CallType } from "../enums/call-endpoint.ts";
import type { TokenKind } from "./chat-price.ts";
import type { Decimal } from "./decimal.ts";
import type { AmountTable } from "./task-price.ts";

/** Kinds of tokens: for 1,000,000 of them. */
export const CALL_TOKEN_KINDS = [
  "input",
  "cachedInput",
  "imageInput",
  "audioInput",
  "output",
  "imageOutput",
] as const satisfies readonly TokenKind[];
export type CallTokenKind = (typeof CALL_TOKEN_KINDS)[number];

/** For one request, 1,000 documents, 1,000,000 characters, one second of sound. */
export const CALL_UNITS = ["request", "documents1000", "characters1M", "second"] as const;
export type CallUnit = (typeof CALL_UNITS)[number];

export type CallAmountKind = CallTokenKind | CallUnit;

/** Of one of the forms that its type may have; nothing has a price that is not written. */
export interface CallPrice {
  readonly amounts: ReadonlyMap<CallAmountKind, Nano>;
  /** For one image. */
  readonly image?: AmountTable;
  /** A line of a batch costs so many times as much; absent: as much. */
  readonly batch?: Decimal;
  /** It is the price of such lines: all of it counts so many times. */
  readonly times?: Decimal;
}

/** What the same costs as a line of a batch. */
export function inBatches({ batch, ...price }: CallPrice): CallPrice {
  return batch === undefined ? price : { ...price, times: batch };
}

/** One way to say a price: what it has to state, and may. */
export interface PriceForm {
  readonly required: readonly (CallAmountKind | "image")[];
  readonly optional: readonly CallTokenKind[];
}

const alone = (kind: CallAmountKind | "image"): PriceForm => ({ required: [kind], optional: [] });

/** A price has exactly one of the forms. */
export const PRICE_FORMS: Readonly<Record<CallType, readonly PriceForm[]>> = {
  embedding: [alone("input")],
  rerank: [alone("request"), alone("documents1000")],
  image: [
    alone("image"),
    { required: ["input", "output"], optional: ["cachedInput", "imageInput", "imageOutput"] },
  ],
  speech: [alone("characters1M")],
  transcription: [
    alone("second"),
    { required: ["input", "output"], optional: ["cachedInput", "audioInput"] },
  ],
  moderation: [alone("request"), alone("input")],
  completion: [alone("request"), { required: ["input", "output"], optional: ["cachedInput"] }],
};
