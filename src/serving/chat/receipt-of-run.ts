/** The receipt of one chat run: figures and names, never content. */
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { receiptFigures } from "../../usage/receipt-figures.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import { chargedParts } from "../money/charged-parts.ts";
import type { Figures } from "./price-answer.ts";
import type { ChatRun } from "./chat-run.ts";
import { countFactorPart } from "./count-factor.ts";
import type { FinalCharge } from "./final-charge.ts";
import { heldParts } from "./hold-of-run.ts";
import type { Answering } from "./run-phase.ts";

export function receiptOf(
  run: ChatRun,
  answer: Answering | null,
  state: ChatState,
  charge: FinalCharge,
  { chargeNano, lossNano, upstreamCostNano, use }: Figures,
): ReceiptRow {
  const { call, request } = run;
  const firstContentMs = answer?.delivery.firstContentMs ?? null;
  return {
    requestId: call.requestId,
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    endpoint: call.dialect.endpoint,
    modelRequested: request.model,
    model: run.model.id,
    state,
    startedAt: call.startedAt,
    chargedNano: chargeNano,
    figures: receiptFigures(
      charge.usage,
      answer?.route.upstream ?? null,
      upstreamCostNano,
      lossNano,
    ),
    detail: {
      stream: request.stream,
      priceVersion: run.priceVersion,
      usage: charge.usage,
      usageSource: charge.usageSource,
      ...countFactorPart(answer?.route ?? null, charge.usageSource),
      ...chargedParts(run.model, charge.usage, use),
      ...heldParts(run),
      lossNano: lossNano.toString(),
      upstreamCostNano: upstreamCostNano === null ? null : upstreamCostNano.toString(),
      attempts: run.attempts,
      durationMs: Math.round(run.deps.clock.monotonicMs() - call.startedMs),
      firstContentMs: firstContentMs === null ? null : Math.round(firstContentMs - call.startedMs),
      finishReason:
        state === "stopped_by_balance" ? "length" : (answer?.reported.finishReason ?? null),
      suspicion: charge.suspicion,
      ...(charge.suspicionCoded === undefined ? {} : { suspicionCoded: charge.suspicionCoded }),
      ...(charge.note === undefined ? {} : { usageNote: charge.note }),
    },
  };
}
