/** How much a chat request can cost at most, and how its hold begins: whole, by a first slice, or by the least that admits it (contract §6). */
import { priceChatAtMost } from "../../catalogue/price.ts";
import type { ChatModel, ChatPrice } from "../../catalogue/catalogue.ts";
import type { Nano } from "../../kernel/money.ts";

/** Output tokens a rolling hold starts with. */
const FIRST_SLICE_TOKENS = 1024;
/** A request is refused for money only when its input and this many output tokens are not covered. */
export const MINIMUM_OUTPUT_TOKENS = 256;

export interface HoldPlan {
  /** Upper estimate of the prompt, images included; never above the context window. */
  readonly inputTokens: number;
  readonly images: number;
  /** Output tokens that the answer can have at most, all choices together. */
  readonly limitTokens: number;
  readonly sliceTokens: number;
  readonly minimumTokens: number;
  readonly fullNano: Nano;
  readonly sliceNano: Nano;
  readonly minimumNano: Nano;
}

/**
 * The most that this much input and output can cost, whichever class of tokens the upstream reports it as. An upstream of this protocol
 * can report cache writes of five minutes at the most.
 */
export function worstCaseNano(price: ChatPrice, inputTokens: number, images: number, outputTokens: number): Nano {
  return priceChatAtMost({ ...price, cacheWrite1h: price.cacheWrite5m }, { inputTokens, outputTokens, images });
}

export interface HoldSubject {
  readonly inputTokens: number;
  readonly images: number;
  readonly maxTokens: number | null;
  readonly n: number;
}

export function planHold(model: ChatModel, request: HoldSubject): HoldPlan {
  const inputTokens = Math.min(request.inputTokens, model.contextTokens);
  const perChoice = request.maxTokens ?? model.maxOutputTokens;
  const limitTokens = perChoice * request.n;
  const sliceTokens = Math.min(perChoice, FIRST_SLICE_TOKENS) * request.n;
  const minimumTokens = Math.min(perChoice, MINIMUM_OUTPUT_TOKENS) * request.n;
  const worst = (tokens: number): Nano => worstCaseNano(model.price, inputTokens, request.images, tokens);
  return {
    inputTokens,
    images: request.images,
    limitTokens,
    sliceTokens,
    minimumTokens,
    fullNano: worst(limitTokens),
    sliceNano: worst(sliceTokens),
    minimumNano: worst(minimumTokens),
  };
}
