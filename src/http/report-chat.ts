/**
 * Tells the log, the metrics and the trace what became of a chat request: figures, never content.
 */
import { promptTokensOf } from "../kernel/token-usage.ts";
import type { ChatCall } from "../serving/chat/chat-call.ts";
import type { Attempt, ChatRun } from "../serving/chat/chat-run.ts";
import type { ChatSummary } from "../serving/chat/serve-chat.ts";
import type { Replay } from "../serving/admission/idempotency.ts";
import type { Metrics } from "./metrics.ts";
import type { LogExtra, RequestLogger } from "./request-log.ts";
import type { Clock } from "../kernel/clock.ts";
import { formatRequestId } from "../kernel/ids.ts";
import type { Uuid } from "../kernel/ids.ts";
import { formatRoubles } from "../kernel/money.ts";

const NO_EXTRA: LogExtra = {};

export interface ChatReports {
  onSuspicion(run: ChatRun, suspicion: string): void;
  onDone(summary: ChatSummary): void;
  onReplayed(call: ChatCall, replay: Replay): void;
  /** What the request's log line says beyond the transport's figures; forgotten when taken. */
  takeExtra(requestId: Uuid): LogExtra;
}

export function reportChat(deps: {
  readonly log: Pick<RequestLogger, "error">;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): ChatReports {
  const { log, metrics, clock } = deps;
  /**
   * Of those whose line is about to be written: few at a time. Not a Map, for the reason of
   * kernel/slot-list.ts.
   */
  const extras: { readonly requestId: Uuid; readonly extra: LogExtra }[] = [];

  return {
    onSuspicion(run, suspicion) {
      metrics.suspicious("unbelievable_usage");
      log.error(
        {
          requestId: formatRequestId(run.call.requestId),
          model: run.model.id,
          upstream: servedAttempt(run)?.upstream ?? null,
          suspicion,
        },
        "an upstream reported a usage that cannot be true; what was delivered is charged, the rest is the operator's loss",
      );
    },
    onDone(summary) {
      const { run, state, answer, settled } = summary;
      run.call.trace.settled(summary);
      const { call, model, request } = run;
      const seconds = (clock.monotonicMs() - call.startedMs) / 1000;
      const firstContentMs = answer?.delivery.firstContentMs ?? null;
      const firstContentSeconds =
        firstContentMs === null ? null : (firstContentMs - call.startedMs) / 1000;
      const { usage, usageSource } = settled.charge;
      const served = servedAttempt(run);
      let attempts = 0;
      for (const { upstream, outcome, ms } of run.attempts) {
        const called = outcome !== "skipped";
        if (called) attempts += 1;
        metrics.attemptDone({ upstream, outcome, seconds: called ? ms / 1000 : null });
      }
      metrics.chatDone({
        endpoint: call.dialect.endpoint,
        model: model.id,
        state,
        stream: request.stream,
        usage,
        chargedNano: settled.chargedNano,
        lossNano: settled.lossNano,
        upstreamCostNano: settled.upstreamCostNano,
        seconds,
        firstContentSeconds,
      });
      const extra = {
        model: model.id,
        modelRequested: request.model === model.id ? undefined : request.model,
        stream: request.stream,
        state,
        upstream: served?.upstream ?? null,
        brokenOff: served?.reason ?? undefined,
        attempts,
        inputTokens: promptTokensOf(usage),
        outputTokens: usage.outputTokens,
        usageSource,
        charged: formatRoubles(settled.chargedNano),
        firstContentMs:
          firstContentSeconds === null ? null : Math.round(firstContentSeconds * 1000),
      };
      extras.push({ requestId: call.requestId, extra });
    },
    onReplayed(call, replay) {
      extras.push({
        requestId: call.requestId,
        extra: { stream: replay.answer.streamed, replayOf: formatRequestId(replay.requestId) },
      });
    },
    takeExtra(requestId) {
      for (let at = extras.length - 1; at >= 0; at--) {
        const one = extras[at];
        if (one?.requestId !== requestId) continue;
        const last = extras.pop();
        if (last !== undefined && last !== one) extras[at] = last;
        return one.extra;
      }
      return NO_EXTRA;
    },
  };
}

/** The one whose answer the caller got, or a part of it. */
function servedAttempt({ attempts }: ChatRun): Attempt | undefined {
  return attempts.findLast((attempt) => attempt.outcome === "served");
}
