/** Tells the log, the metrics and the trace what became of a call: figures, never content. */
import type { Clock } from "../kernel/clock.ts";
import { formatRequestId, type Uuid } from "../kernel/ids.ts";
import { formatRoubles } from "../kernel/money.ts";
import { promptTokensOf } from "../kernel/token-usage.ts";
import type { Replay } from "../serving/admission/idempotency.ts";
import type { CallRequest } from "../serving/calls/call-request.ts";
import type { CallAttempt, CallRun } from "../serving/calls/call-run.ts";
import type { CallSummary } from "../serving/calls/serve-call.ts";
import type { Metrics } from "./metrics.ts";
import type { LogExtra, RequestLogger } from "./request-log.ts";

/** Such an answer names neither. */
const UNREPORTED = { finishReason: null, model: null };

export interface CallReports {
  onSuspicion(run: CallRun, suspicion: string): void;
  onDone(summary: CallSummary): void;
  onReplayed(call: CallRequest, replay: Replay): void;
  /** What the request's log line says beyond the transport's figures; forgotten when taken. */
  takeExtra(requestId: Uuid): LogExtra;
}

export function reportCall(deps: {
  readonly log: Pick<RequestLogger, "error">;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): CallReports {
  const { log, metrics, clock } = deps;
  /** Of those whose line is about to be written. */
  const extras = new Map<Uuid, LogExtra>();

  return {
    onSuspicion(run, suspicion) {
      metrics.suspicious("unbelievable_usage");
      log.error(
        {
          requestId: formatRequestId(run.call.requestId),
          model: run.model.id,
          upstream: servedBy(run)?.upstream ?? null,
          suspicion,
        },
        "an upstream reported a usage that cannot be true; what was delivered is charged, the rest is the operator's loss",
      );
    },
    onDone({ run, state, settled, fault }) {
      const { call, model, modelRequested, asked, firstContentMs } = run;
      const { tokens } = settled.charge.usage;
      call.trace.settled({
        state,
        settled: { chargedNano: settled.chargedNano, charge: { usage: tokens } },
        fault,
        run: { model, request: { model: modelRequested, stream: asked.stream } },
        answer: { reported: UNREPORTED, delivery: { firstContentMs } },
      });
      let attempts = 0;
      for (const { upstream, outcome, ms } of run.attempts) {
        const called = outcome !== "skipped";
        if (called) attempts += 1;
        metrics.attemptDone({ upstream, outcome, seconds: called ? ms / 1000 : null });
      }
      const firstMs = firstContentMs === null ? null : firstContentMs - call.startedMs;
      metrics.chatDone({
        endpoint: call.dialect.protocol.endpoint,
        model: model.id,
        state,
        stream: asked.stream,
        usage: tokens,
        chargedNano: settled.chargedNano,
        lossNano: settled.lossNano,
        upstreamCostNano: settled.upstreamCostNano,
        seconds: (clock.monotonicMs() - call.startedMs) / 1000,
        firstContentSeconds: firstMs === null ? null : firstMs / 1000,
      });
      extras.set(call.requestId, {
        model: model.id,
        modelRequested: modelRequested === model.id ? undefined : modelRequested,
        stream: asked.stream,
        state,
        upstream: servedBy(run)?.upstream ?? null,
        brokenOff: servedBy(run)?.reason ?? undefined,
        attempts,
        inputTokens: promptTokensOf(tokens),
        outputTokens: tokens.outputTokens,
        usageSource: settled.charge.usageSource,
        charged: formatRoubles(settled.chargedNano),
        firstContentMs: firstMs === null ? null : Math.round(firstMs),
      });
    },
    onReplayed(call, replay) {
      extras.set(call.requestId, {
        stream: replay.answer.streamed,
        replayOf: formatRequestId(replay.requestId),
      });
    },
    takeExtra(requestId) {
      const extra = extras.get(requestId);
      extras.delete(requestId);
      return extra ?? {};
    },
  };
}

/** The one whose answer the caller got, or a part of it. */
function servedBy({ attempts }: CallRun): CallAttempt | undefined {
  return attempts.findLast(({ outcome }) => outcome === "served");
}
