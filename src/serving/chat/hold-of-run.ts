/** The money that is held for one admitted chat request: how much, how it grows, what is saved. */
import { priceChatAtMost } from "../../contract/price/price-chat.ts";
import type { Nano } from "../../kernel/money.ts";
import { minNano } from "../../kernel/money.ts";
import type { HoldTier } from "../../ledger/hold-verdicts.ts";
import { encodeHoldDetail } from "../money/hold-detail.ts";
import type { Deliverable, Recorded, RollingHold } from "../money/rolling-hold.ts";
import { createRollingHold } from "../money/rolling-hold.ts";
import { countPrompt, glanceAtPrompt, subjectOf } from "./charge-subject.ts";
import type { ChatRun } from "./chat-run.ts";
import { answerOf } from "./chat-run.ts";
import { finalCharge } from "./final-charge.ts";
import type { HoldPlan } from "./plan-hold.ts";
import { countOf, holdDetail, priceRecorded, recordedUsage } from "./recorded-usage.ts";
import type { StreamedAnswer } from "./run-phase.ts";
import { askedSoFar, usedOf } from "./used-of-run.ts";

/** The longest answer there can be is paid for. */
export function isHeldWhole({ admission }: ChatRun): boolean {
  return admission.held.tier === "full";
}

export function heldNanoOf({ admission, growth }: ChatRun): Nano {
  return growth.rolling === null ? admission.held.heldNano : growth.rolling.heldNano;
}

/** For its receipt. */
const NO_RAISES = {};

export function raiseParts(run: ChatRun): {
  readonly firstHeldNano?: string;
  readonly raises?: readonly { readonly ms: number; readonly heldNano: string }[];
} {
  const { raises } = run.growth;
  if (raises === null) return NO_RAISES;
  return { firstHeldNano: run.admission.held.heldNano.toString(), raises };
}

/** The hold as it grows. */
export function rollingHoldOf(run: ChatRun): RollingHold {
  const { held } = run.admission;
  run.growth.rolling ??= createRollingHold(
    {
      async extend(extension) {
        const verdict = await run.deps.ledger.extend(extension);
        if (verdict.kind === "extended" && extension.addNano > 0n) noteRaise(run, verdict.heldNano);
        return verdict;
      },
      priceAt: (tokens) =>
        priceChatAtMost(run.model, run.plan, tokens, askedSoFar(run, answerOf(run))),
      priceStoppedAt: (delivery) => priceStoppedAt(run, delivery),
      record: () => record(run),
    },
    {
      holdId: run.call.requestId,
      heldNano: held.heldNano,
      coveredTokens: tokensHeld(run.plan, held.tier),
      limitTokens: run.plan.limitTokens,
    },
  );
  return run.growth.rolling;
}

function tokensHeld(plan: HoldPlan, tier: HoldTier): number {
  if (tier === "full") return plan.limitTokens;
  return tier === "slice" ? plan.sliceTokens : plan.minimumTokens;
}

function record(run: ChatRun): Recorded {
  const answer = answerOf(run);
  const recorded = recordedUsage(run, answer);
  const startedAt = run.call.startedAt.toISOString();
  return {
    recordedNano: minNano(priceRecorded(run, answer, recorded.usage), heldNanoOf(run)),
    detail: encodeHoldDetail(holdDetail(run.call, run, recorded, startedAt, usedOf(run, answer))),
  };
}

/** By the rules of the charge, which it will be if the stream is stopped there. */
async function priceStoppedAt(run: ChatRun, { text, usage }: Deliverable): Promise<Nano> {
  await countPrompt(run);
  const charge = await finalCharge(
    subjectOf(run, answerOf(run)),
    usage,
    { anything: true, text },
    run.deps.countTokens,
  );
  return charge.priceNano;
}

/** A hold doubles as it grows, so there are few; an odd one must not make the receipt long. */
const MOST_RAISES = 100;

function noteRaise({ growth, deps, call }: ChatRun, heldNano: Nano): void {
  growth.raises ??= [];
  if (growth.raises.length === MOST_RAISES) growth.raises.pop();
  growth.raises.push({
    ms: Math.round(deps.clock.monotonicMs() - call.startedMs),
    heldNano: heldNano.toString(),
  });
}

/**
 * Raises the hold where the upstream has run more of its own tools than was held for, and stops the
 * stream where that is refused: the calls that were made are charged within the hold, and no more
 * are made.
 */
export function coverCalls(run: ChatRun, answer: StreamedAnswer): void {
  const { growth } = run;
  const { relay, reported } = answer;
  // Another object once the answer says more.
  if (reported.used === growth.coveredUse || askedSoFar(run, answer) === run.asked) return;
  growth.coveredUse = reported.used;
  const { estimatedTokens, usage } = relay.progress;
  rollingHoldOf(run)
    .growDearer({ outputTokens: estimatedTokens, text: relay.progress.text(), usage })
    .then(
      (outcome) => {
        if (outcome !== "covered") relay.unpaid(outcome);
      },
      // An admitted stream is not cut because the database is out of reach: the next turn asks
      // again.
      () => (growth.coveredUse = null),
    );
}

/**
 * Saves the price of what has been delivered, in case this process dies: by a count, or at the least
 * that it may be, which costs next to nothing; most streams end before they are counted, and then
 * their upstream tells the count. Throws what the ledger throws.
 */
export async function saveProgress(
  run: ChatRun,
  answer: StreamedAnswer,
  how: "counted" | "at least",
): Promise<void> {
  const text = answer.relay.progress.text();
  if (how === "at least") {
    countOf(run, answer).glance(text);
    glanceAtPrompt(run);
  }
  // Without an exact count the lower estimate is saved.
  else await Promise.allSettled([countOf(run, answer).update(text), countPrompt(run)]);
  await rollingHoldOf(run).save();
}
