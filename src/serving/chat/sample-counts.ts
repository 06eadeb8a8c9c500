/**
 * Counts a few of the answers whose upstream told its usage, so that a factor can be proposed for
 * what it does not tell (contract §6).
 */
import type { Route } from "../../catalogue/catalogue.ts";
import type { Clock } from "../../kernel/clock.ts";
import { promptTokensOf } from "../../kernel/token-usage.ts";
import type { CountSample } from "../../usage/count-samples.store.ts";
import type { ChatRun, ChatRunDeps } from "./chat-run.ts";
import { answerOf } from "./chat-run.ts";
import type { FinalCharge } from "./final-charge.ts";
import type { CountTexts } from "./refuse-too-long.ts";

export interface CountSamplerDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly countTexts: CountTexts;
  save(sample: CountSample): Promise<void>;
  /** A sample that could not be made or saved is left out, and told here. */
  onError(error: unknown): void;
}

/** To be offered every request that was settled, its text still at hand; takes few. */
export type SampleCounts = NonNullable<ChatRunDeps["sampleCounts"]>;

/** Of each route, one in so long: counting costs what a small request costs. */
const EVERY_MS = 5 * 60_000;
/** Shorter ones are mostly the format. */
const LEAST_TOKENS = 50;

export function createCountSampler({
  clock,
  countTexts,
  save,
  onError,
}: CountSamplerDeps): SampleCounts {
  /** When each route is due again, by model and upstream. */
  const dueAtMs = new Map<string, Map<string, number>>();

  async function sample(
    run: ChatRun,
    { upstream, model }: Route,
    { usage }: FinalCharge,
    text: string,
  ): Promise<void> {
    const { request, call } = run;
    const countedInput = (await countTexts(request.promptTexts())) + request.overheadTokens;
    const countedOutput = await countTexts([text]);
    if (countedInput === 0 || countedOutput === 0) return;
    const reported = { reportedInput: promptTokensOf(usage), reportedOutput: usage.outputTokens };
    await save({
      requestId: call.requestId,
      upstream,
      model,
      countedInput,
      countedOutput,
      ...reported,
    });
  }

  return (run, charge, delivered) => {
    const answer = answerOf(run);
    if (answer === null || !isFit(run, charge)) return;
    const { route } = answer;
    const nowMs = clock.monotonicMs();
    const due = dueAtMs.get(route.model);
    if (nowMs < (due?.get(route.upstream) ?? -Infinity)) return;
    if (due === undefined) dueAtMs.set(route.model, new Map([[route.upstream, nowMs + EVERY_MS]]));
    else due.set(route.upstream, nowMs + EVERY_MS);
    sample(run, route, charge, delivered.text).catch(onError);
  };
}

/**
 * Text alone, all of which was seen: what the upstream thinks unseen, media and its own tools are
 * in no count of ours.
 */
function isFit({ request, goneAtMs }: ChatRun, { usage, usageSource }: FinalCharge): boolean {
  return (
    usageSource === "upstream" &&
    goneAtMs === null &&
    request.images === 0 &&
    request.raises.every(({ kind }) => kind === "cacheWrite") &&
    usage.media === undefined &&
    usage.reasoningTokens === 0 &&
    usage.outputTokens >= LEAST_TOKENS &&
    promptTokensOf(usage) >= LEAST_TOKENS
  );
}
