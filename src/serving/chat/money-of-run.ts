/**
 * The money of one admitted chat request while it runs: its growing hold, what is saved of its
 * charge in case the process dies, what its charge goes by.
 */
import type { Route } from "../../catalogue/catalogue.ts";
import { priceChat, priceChatAtMost } from "../../contract/price/price-chat.ts";
import type { ResolvedUse } from "../../contract/price/resolve-use.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO, minNano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { HoldTier } from "../../ledger/hold-verdicts.ts";
import { leastTokens } from "../../protocol/least-tokens.ts";
import type { HoldDetail } from "../money/hold-detail.ts";
import { encodeHoldDetail } from "../money/hold-detail.ts";
import { lifeOfWrites } from "./asked-cache-life.ts";
import type { ChatCall } from "./chat-call.ts";
import type { RollingHold, Deliverable } from "../money/rolling-hold.ts";
import { createRollingHold } from "../money/rolling-hold.ts";
import { countFactorPart, timesFactor } from "./count-factor.ts";
import type { DeliveredCount } from "./delivered-count.ts";
import { createDeliveredCount } from "./delivered-count.ts";
import type { ChargeSubject } from "./final-charge.ts";
import {
  claimedUsage,
  countedPrompt,
  countedSource,
  disbelief,
  finalCharge,
  withKnownSide,
} from "./final-charge.ts";
import type { HoldPlan } from "./plan-hold.ts";
import type { Relay } from "./relay-stream.ts";
import type { CacheOwner } from "./reported-caches.ts";
import { askedSoFar, usedOf } from "./used-of-run.ts";
import type { CheckedChat, ChatRun } from "./chat-run.ts";

/** The upper estimate of a prompt is rarely this many times its real count. */
const UPPER_TO_LOWER_ESTIMATE = 4;

/** The hold as it grows. */
export function rollingHoldOf(run: ChatRun): RollingHold {
  run.rolling ??= createRollingHold(
    {
      async extend(extension) {
        const verdict = await run.deps.ledger.extend(extension);
        if (verdict.kind === "extended" && extension.addNano > 0n) noteRaise(run, verdict.heldNano);
        return verdict;
      },
      priceAt: (tokens) => priceChatAtMost(run.model, run.plan, tokens, askedSoFar(run)),
      priceStoppedAt: (delivery) => priceStoppedAt(run, delivery),
      record() {
        const recorded = recordedUsage(run);
        return {
          recordedNano: minNano(priceRecorded(run, recorded.usage), heldNanoOf(run)),
          detail: encodeHoldDetail(
            holdDetail(run.call, run, recorded, run.call.startedAt.toISOString(), usedOf(run)),
          ),
        };
      },
    },
    {
      holdId: run.call.requestId,
      heldNano: run.hold.heldNano,
      coveredTokens: tokensHeld(run.plan, run.hold.tier),
      limitTokens: run.plan.limitTokens,
    },
  );
  return run.rolling;
}

function tokensHeld(plan: HoldPlan, tier: HoldTier): number {
  if (tier === "full") return plan.limitTokens;
  return tier === "slice" ? plan.sliceTokens : plan.minimumTokens;
}

/** A hold doubles as it grows, so there are few; an odd one must not make the receipt long. */
const MOST_RAISES = 100;

function noteRaise(run: ChatRun, heldNano: Nano): void {
  run.raises ??= [];
  if (run.raises.length === MOST_RAISES) run.raises.pop();
  run.raises.push({
    ms: Math.round(run.deps.clock.monotonicMs() - run.call.startedMs),
    heldNano: heldNano.toString(),
  });
}

export function heldNanoOf(run: ChatRun): Nano {
  return run.rolling === null ? run.hold.heldNano : run.rolling.heldNano;
}

/**
 * A longer prompt, by its upper estimate, is not even glanced at when the first words are saved.
 */
const GLANCED_AT_TOKENS = 16_384;

/**
 * Saves the price of what has been delivered, in case this process dies. `first`: at once when the
 * first words have passed, at the least that they may be; most streams end before they are saved
 * again, and then their upstream tells the count. Throws what the ledger throws.
 */
export async function saveProgress(run: ChatRun, first: boolean): Promise<void> {
  const text = run.relay?.progress.text() ?? "";
  if (first) {
    countedOf(run).glance(text);
    if (run.plan.inputTokens <= GLANCED_AT_TOKENS) run.leastPromptTokens = leastOfPrompt(run);
  }
  // Without an exact count the lower estimate is saved.
  else await Promise.allSettled([countedOf(run).update(text), countPrompt(run)]);
  await rollingHoldOf(run).save();
}

function leastOfPrompt({ request }: ChatRun): number {
  let tokens = request.overheadTokens;
  for (const text of request.promptTexts()) tokens += leastTokens(text);
  return tokens;
}

async function countPrompt(run: ChatRun): Promise<void> {
  const { request } = run;
  run.promptTokens ??= (await run.deps.countTokens(request.promptText())) + request.overheadTokens;
}

/** By the rules of the charge, which it will be if the stream is stopped there. */
async function priceStoppedAt(run: ChatRun, { text, usage }: Deliverable): Promise<Nano> {
  await countPrompt(run);
  const charge = await finalCharge(
    subjectOf(run),
    usage,
    { anything: true, text },
    run.deps.countTokens,
  );
  return charge.priceNano;
}

function countedOf(run: ChatRun): DeliveredCount {
  run.counted ??= createDeliveredCount(run.deps.countTokens);
  return run.counted;
}

/**
 * Raises the hold where the upstream has run more of its own tools than was held for, and stops the
 * stream where that is refused: the calls that were made are charged within the hold, and no more
 * are made.
 */
export function coverCalls(run: ChatRun, relay: Relay): void {
  const { said } = run;
  // Another object once the answer says more.
  if (said === null || said.used === run.coveredUse || askedSoFar(run) === run.asked) return;
  run.coveredUse = said.used;
  const { estimatedTokens, usage } = relay.progress;
  rollingHoldOf(run)
    .growDearer({ outputTokens: estimatedTokens, text: relay.progress.text(), usage })
    .then(
      (outcome) => {
        if (outcome !== "covered") relay.unpaid(outcome);
      },
      // An admitted stream is not cut because the database is out of reach: the next turn asks
      // again.
      () => (run.coveredUse = null),
    );
}

/** What is saved of a usage, and whose count it is. */
export type RecordedUsage = Pick<HoldDetail, "usage" | "usageSource" | "countFactor">;

export const NOTHING_RECORDED: RecordedUsage = { usage: NO_USAGE, usageSource: "none" };

/**
 * What may be charged if this process dies now: at most what was delivered, and never more than the
 * hold.
 */
export function recordedUsage(run: ChatRun): RecordedUsage {
  const { relay, request, plan } = run;
  if (relay === null || !relay.progress.anything) return NOTHING_RECORDED;
  const { progress } = relay;
  const subject = subjectOf(run);
  if (progress.usage.kind === "valid") {
    const usage = claimedUsage(progress.usage, subject);
    if (disbelief(usage, subject, progress.usage.samplings) === null)
      return { usage, usageSource: "upstream" };
  }
  const atLeast = timesFactor(
    countedOf(run).atLeast(progress.characters),
    subject.countFactor?.output,
  );
  const outputTokens = Math.min(progress.estimatedTokens, atLeast, plan.limitTokens);
  const promptTokens =
    run.promptTokens ??
    Math.max(run.leastPromptTokens, Math.floor(request.inputTokens / UPPER_TO_LOWER_ESTIMATE));
  const counted = { ...countedPrompt(subject, promptTokens), outputTokens, images: request.images };
  const usage =
    progress.usage.kind === "partial" ? withKnownSide(counted, progress.usage, subject) : counted;
  const usageSource = countedSource(progress.usage, usage);
  return { usage, usageSource, ...countFactorPart(run.served, usageSource) };
}

export function subjectOf(run: ChatRun): ChargeSubject {
  return {
    model: run.model,
    limitTokens: run.plan.limitTokens,
    use: usedOf(run).charged,
    asked: run.asked,
    writesLive: run.translated ? null : lifeOfWrites(run.call.dialect.endpoint, run.request.raises),
    prompt: run.request,
    promptTokens: run.promptTokens,
    countFactor: run.served?.countFactor ?? null,
    cachedTokens: () => cachedTokensOf(run),
  };
}

/**
 * Of the prompt, by what the upstream told the last time. At a price above that of plain input none
 * are counted: nothing may cost more for it.
 */
function cachedTokensOf(run: ChatRun): number {
  const { served, request, model } = run;
  if (served === null || model.price.cachedInput > model.price.input) return 0;
  run.cachedTokens ??= run.deps.caches.cachedTokens(cacheOwnerOf(run, served), () =>
    request.promptBlocks(),
  );
  return run.cachedTokens;
}

export function cacheOwnerOf({ call }: ChatRun, { upstream, model }: Route): CacheOwner {
  return { keyId: call.key.keyId, upstream, model };
}

/** Where nothing was delivered, a price per request is not owed either. */
export function priceRecorded(run: ChatRun, usage: TokenUsage): Nano {
  return usage === NO_USAGE ? ZERO_NANO : priceChat(run.model, usage, usedOf(run).charged);
}

/** What recovery needs to write the receipt of a request whose process died. */
export function holdDetail(
  call: ChatCall,
  { request, model, priceVersion }: CheckedChat,
  recorded: RecordedUsage,
  startedAt: string,
  { charged, variants }: ResolvedUse,
): HoldDetail {
  const detail: HoldDetail = {
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    endpoint: call.dialect.endpoint,
    modelRequested: request.model,
    model: model.id,
    stream: request.stream,
    startedAt,
    priceVersion,
    ...recorded,
    ...(charged === null ? {} : { use: charged }),
    ...(variants.length === 0 ? {} : { variants }),
  };
  return call.idempotencyKey === null ? detail : { ...detail, idempotent: true };
}
