/**
 * What the charge of a chat run goes by: its prices, what it asked for, what its answer says, and
 * how many tokens its prompt has.
 */
import type { Route } from "../../catalogue/catalogue.ts";
import { leastTokens } from "../../protocol/least-tokens.ts";
import { lifeOfWrites } from "./asked-cache-life.ts";
import type { ChatRun } from "./chat-run.ts";
import type { ChargeSubject } from "./final-charge.ts";
import type { CacheOwner } from "./reported-caches.ts";
import type { Answering } from "./run-phase.ts";
import { usedOf } from "./used-of-run.ts";

/** `answer`: null where no route had one. */
export function subjectOf(run: ChatRun, answer: Answering | null): ChargeSubject {
  const { request, promptCount } = run;
  return {
    model: run.model,
    limitTokens: run.plan.limitTokens,
    use: usedOf(run, answer).charged,
    asked: run.asked,
    writesLive:
      answer?.translated === true ? null : lifeOfWrites(run.call.dialect.endpoint, request.raises),
    prompt: request,
    promptTokens: promptCount.exact,
    countFactor: answer?.route.countFactor ?? null,
    cachedTokens: () => (answer === null ? 0 : cachedTokensOf(run, answer.route)),
  };
}

/**
 * Of the prompt, by what the upstream told the last time. At a price above that of plain input none
 * are counted: nothing may cost more for it.
 */
function cachedTokensOf(run: ChatRun, route: Route): number {
  const { request, model, promptCount } = run;
  if (model.price.cachedInput > model.price.input) return 0;
  promptCount.cached ??= run.deps.caches.cachedTokens(cacheOwnerOf(run, route), () =>
    request.promptBlocks(),
  );
  return promptCount.cached;
}

export function cacheOwnerOf({ call }: ChatRun, { upstream, model }: Route): CacheOwner {
  return { keyId: call.key.keyId, upstream, model };
}

/** Throws what the counter throws. */
export async function countPrompt({ request, promptCount, deps }: ChatRun): Promise<void> {
  promptCount.exact ??= (await deps.countTokens(request.promptText())) + request.overheadTokens;
}

/**
 * A longer prompt, by its upper estimate, is not even glanced at when the first words are saved.
 */
const GLANCED_AT_TOKENS = 16_384;

/** Notes once how many tokens the prompt has at least, for next to nothing, until it is counted. */
export function glanceAtPrompt({ plan, request, promptCount }: ChatRun): void {
  if (promptCount.least > 0 || plan.inputTokens > GLANCED_AT_TOKENS) return;
  let tokens = request.overheadTokens;
  for (const text of request.promptTexts()) tokens += leastTokens(text);
  promptCount.least = tokens;
}
