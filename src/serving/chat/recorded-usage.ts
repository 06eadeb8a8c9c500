/**
 * What a hold has recorded of its chat run, so that another process can charge it and write its
 * receipt when this one dies.
 */
import { priceChat } from "../../contract/price/price-chat.ts";
import type { ResolvedUse } from "../../contract/price/resolve-use.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { HoldDetail } from "../money/hold-detail.ts";
import { subjectOf } from "./charge-subject.ts";
import type { ChatCall } from "./chat-call.ts";
import type { CheckedChat, ChatRun } from "./chat-run.ts";
import { countFactorPart, timesFactor } from "./count-factor.ts";
import type { DeliveredCount } from "./delivered-count.ts";
import { createDeliveredCount } from "./delivered-count.ts";
import { droppedPart } from "./dropped-tools.ts";
import type { ChargeSubject } from "./final-charge.ts";
import {
  claimedUsage,
  countedPrompt,
  countedSource,
  disbelief,
  withKnownSide,
} from "./final-charge.ts";
import type { Answering, StreamedAnswer } from "./run-phase.ts";
import { usedOf } from "./used-of-run.ts";

/** The upper estimate of a prompt is rarely this many times its real count. */
const UPPER_TO_LOWER_ESTIMATE = 4;

/** What is saved of a usage, and whose count it is. */
export type RecordedUsage = Pick<HoldDetail, "usage" | "usageSource" | "countFactor">;

export const NOTHING_RECORDED: RecordedUsage = { usage: NO_USAGE, usageSource: "none" };

/**
 * What may be charged if this process dies now: at most what was delivered, and never more than the
 * hold.
 */
export function recordedUsage(run: ChatRun, answer: Answering | null): RecordedUsage {
  if (answer === null || answer.relay === null || !answer.relay.progress.anything)
    return NOTHING_RECORDED;
  const { usage } = answer.relay.progress;
  const subject = subjectOf(run, answer);
  if (usage.kind === "valid") {
    const claimed = claimedUsage(usage, subject);
    if (disbelief(claimed, subject, usage.samplings) === null)
      return { usage: claimed, usageSource: "upstream" };
  }
  return countedUsage(run, answer, subject);
}

/** By the lower estimates, where there is no count yet. */
function countedUsage(run: ChatRun, answer: StreamedAnswer, subject: ChargeSubject): RecordedUsage {
  const { request, plan, promptCount } = run;
  const { progress } = answer.relay;
  const atLeast = timesFactor(
    countOf(run, answer).atLeast(progress.characters),
    subject.countFactor?.output,
  );
  const outputTokens = Math.min(progress.estimatedTokens, atLeast, plan.limitTokens);
  const promptTokens =
    promptCount.exact ??
    Math.max(promptCount.least, Math.floor(request.inputTokens / UPPER_TO_LOWER_ESTIMATE));
  const counted = { ...countedPrompt(subject, promptTokens), outputTokens, images: request.images };
  const usage =
    progress.usage.kind === "partial" ? withKnownSide(counted, progress.usage, subject) : counted;
  const usageSource = countedSource(progress.usage, usage);
  return { usage, usageSource, ...countFactorPart(answer.route, usageSource) };
}

/** Of what has been delivered for certain. */
export function countOf({ deps }: ChatRun, { saved }: StreamedAnswer): DeliveredCount {
  saved.counted ??= createDeliveredCount(deps.countTokens);
  return saved.counted;
}

/** Where nothing was delivered, a price per request is not owed either. */
export function priceRecorded(run: ChatRun, answer: Answering | null, usage: TokenUsage): Nano {
  return usage === NO_USAGE ? ZERO_NANO : priceChat(run.model, usage, usedOf(run, answer).charged);
}

/** What recovery needs to write the receipt of a request whose process died. */
export function holdDetail(
  call: ChatCall,
  { request, model, priceVersion, dropped }: CheckedChat,
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
    ...droppedPart(dropped),
  };
  return call.idempotencyKey === null ? detail : { ...detail, idempotent: true };
}
