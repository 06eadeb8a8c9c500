/**
 * How much a chat request can cost at most, and how its hold begins: whole, by a first slice, or by
 * the least that admits it (contract §6).
 */
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import { priceChatAtMost, type UsageBound } from "../../contract/price/price-chat.ts";
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import { LEAST_OUTPUT_LIMIT } from "../../kernel/limits.ts";
import type { Nano } from "../../kernel/money.ts";
import { raisedByFactor } from "./count-factor.ts";

/** Output tokens a rolling hold starts with. */
const FIRST_SLICE_TOKENS = 1024;
/**
 * A request is refused for money only when its input and this many output tokens are not covered.
 */
export const MINIMUM_OUTPUT_TOKENS = 256;

/**
 * Its input is the upper estimate of the prompt, images included; never above the context window.
 */
export interface HoldPlan extends UsageBound {
  /** Output tokens that the answer can have at most, all choices together. */
  readonly limitTokens: number;
  readonly sliceTokens: number;
  readonly minimumTokens: number;
  readonly fullNano: Nano;
  readonly sliceNano: Nano;
  readonly minimumNano: Nano;
}

export interface HoldSubject extends UsageBound {
  readonly maxTokens: number | null;
  readonly n: number;
}

/**
 * The least that admits a request with a prompt of exactly so many tokens; `writes`: they may be
 * written to a cache, at the price of that.
 */
export function minimumFor(
  model: ChatModel,
  { images, cacheTtl, minimumTokens }: HoldPlan,
  asked: AskedRaises | null,
  prompt: { readonly inputTokens: number; readonly writes: boolean },
): Nano {
  const { inputTokens, writes } = prompt;
  return priceChatAtMost(
    model,
    { inputTokens, images, cacheTtl: writes ? cacheTtl : "none" },
    minimumTokens,
    asked,
  );
}

/** What a smaller limit is raised to where an upstream of the model would refuse it. */
export function leastLimitOf({ routes }: ChatModel, { upstreams }: Catalogue): number {
  return routes.some(({ upstream }) => upstreams.get(upstream)?.protocol === "responses")
    ? LEAST_OUTPUT_LIMIT
    : 1;
}

/**
 * `asked`: what makes the request dearer than its tokens, as it was judged; null: nothing.
 * `leastLimit`: what its limit is raised to where it is smaller.
 */
export function planHold(
  model: ChatModel,
  request: HoldSubject,
  asked: AskedRaises | null = null,
  leastLimit = 1,
): HoldPlan {
  const inputTokens = Math.min(
    raisedByFactor(request.inputTokens, "input", model.routes),
    model.contextTokens,
  );
  // No answer is longer than the window, whatever limit was sent.
  const limit = Math.max(request.maxTokens ?? model.maxOutputTokens, leastLimit);
  const perChoice = Math.min(limit, model.contextTokens);
  const limitTokens = perChoice * request.n;
  const sliceTokens = Math.min(perChoice, FIRST_SLICE_TOKENS) * request.n;
  const minimumTokens = Math.min(perChoice, MINIMUM_OUTPUT_TOKENS) * request.n;
  const { images, cacheTtl } = request;
  const prompt = { inputTokens, images, cacheTtl };
  const fullNano = priceChatAtMost(model, prompt, limitTokens, asked);
  // A short answer has the same worst case in all three.
  const sliceNano =
    sliceTokens === limitTokens ? fullNano : priceChatAtMost(model, prompt, sliceTokens, asked);
  const minimumNano =
    minimumTokens === sliceTokens
      ? sliceNano
      : priceChatAtMost(model, prompt, minimumTokens, asked);
  return {
    inputTokens,
    images,
    cacheTtl,
    limitTokens,
    sliceTokens,
    minimumTokens,
    fullNano,
    sliceNano,
    minimumNano,
  };
}
