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
  readonly cacheTtl: "5m" | "1h";
  /** Output tokens that the answer can have at most, all choices together. */
  readonly limitTokens: number;
  readonly sliceTokens: number;
  readonly minimumTokens: number;
  readonly fullNano: Nano;
  readonly sliceNano: Nano;
  readonly minimumNano: Nano;
}

/**
 * The most that this input and so much output can cost, whichever class of tokens the upstream reports it as. What nobody asked to be
 * cached for an hour is not cached for longer than five minutes.
 */
export function worstCaseNano(
  price: ChatPrice,
  prompt: Pick<HoldSubject, "inputTokens" | "images" | "cacheTtl">,
  outputTokens: number,
): Nano {
  const possible = prompt.cacheTtl === "1h" ? price : { ...price, cacheWrite1h: price.cacheWrite5m };
  return priceChatAtMost(possible, { inputTokens: prompt.inputTokens, outputTokens, images: prompt.images });
}

export interface HoldSubject {
  readonly inputTokens: number;
  readonly images: number;
  readonly cacheTtl: "5m" | "1h";
  readonly maxTokens: number | null;
  readonly n: number;
}

export function planHold(model: ChatModel, request: HoldSubject): HoldPlan {
  const inputTokens = Math.min(request.inputTokens, model.contextTokens);
  // No answer is longer than the window, whatever limit was sent.
  const perChoice = Math.min(request.maxTokens ?? model.maxOutputTokens, model.contextTokens);
  const limitTokens = perChoice * request.n;
  const sliceTokens = Math.min(perChoice, FIRST_SLICE_TOKENS) * request.n;
  const minimumTokens = Math.min(perChoice, MINIMUM_OUTPUT_TOKENS) * request.n;
  const prompt = { inputTokens, images: request.images, cacheTtl: request.cacheTtl };
  const worst = (tokens: number): Nano => worstCaseNano(model.price, prompt, tokens);
  return {
    ...prompt,
    limitTokens,
    sliceTokens,
    minimumTokens,
    fullNano: worst(limitTokens),
    sliceNano: worst(sliceTokens),
    minimumNano: worst(minimumTokens),
  };
}
