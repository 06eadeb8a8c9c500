/** The receipt of one chat run: figures and names, never content. */
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { countsToKeep, receiptFigures } from "../../usage/receipt-figures.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import { chargedParts } from "../money/charged-parts.ts";
import type { Conversation } from "../responses/conversation.ts";
import type { Figures } from "./price-answer.ts";
import type { ChatRun } from "./chat-run.ts";
import { countFactorPart } from "./count-factor.ts";
import { droppedPart } from "./dropped-tools.ts";
import type { FinalCharge } from "./final-charge.ts";
import { raiseParts } from "./hold-of-run.ts";
import type { Answering } from "./run-phase.ts";

export function receiptOf(
  run: ChatRun,
  answer: Answering | null,
  state: ChatState,
  charge: FinalCharge,
  { upstreamCostNano, costLacks, use }: Figures,
): ReceiptRow {
  const { call, request } = run;
  const firstContentMs = answer?.delivery.firstContentMs ?? null;
  const finishReason =
    state === "stopped_by_balance" ? "length" : (answer?.reported.finishReason ?? null);
  return {
    endpoint: call.dialect.endpoint,
    modelRequested: request.model,
    model: run.model.id,
    state,
    startedAt: call.startedAt,
    durationMs: run.deps.clock.monotonicMs() - call.startedMs,
    firstMs: firstContentMs === null ? null : firstContentMs - call.startedMs,
    figures: receiptFigures(charge.usage, answer?.route.upstream ?? null, upstreamCostNano),
    detail: {
      ...(request.stream ? { stream: true } : {}),
      usage: countsToKeep(charge.usage),
      usageSource: charge.usageSource,
      ...countFactorPart(answer?.route ?? null, charge.usageSource),
      ...chargedParts(run.model, charge.usage, use),
      ...droppedPart(run.dropped),
      ...raiseParts(run),
      ...conversationPart(call.conversation),
      attempts: run.attempts,
      ...(finishReason === null ? {} : { finishReason }),
      ...(charge.suspicion === null ? {} : { suspicion: charge.suspicion }),
      ...(charge.suspicionCoded === undefined ? {} : { suspicionCoded: charge.suspicionCoded }),
      ...(charge.note === undefined ? {} : { usageNote: charge.note }),
      ...(costLacks === null ? {} : { costLacks }),
    },
  };
}

const NOTHING: Record<string, unknown> = {};

/** What was put before its input, or asked of it beside an answer. */
function conversationPart(conversation: Conversation | undefined): Record<string, unknown> {
  if (conversation === undefined) return NOTHING;
  const facts = conversation.onReceipt;
  return Object.keys(facts).length === 0 ? NOTHING : { conversation: facts };
}
