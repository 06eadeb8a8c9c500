/**
 * Writes chat requests down as spans, by OpenTelemetry's conventions for HTTP servers and for
 * generative AI (status: development).
 */
import { promptTokensOf } from "../../kernel/token-usage.ts";
import type { Clock } from "../../kernel/clock.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { OtlpTracer, SpanAttributes, TraceSpan } from "../../net/otlp-tracer.ts";
import type { ChatTracer, TracedChat } from "./chat-trace.ts";
import { addressOf, errorOf, operationOf, providerOf } from "./gen-ai-names.ts";

/** One SERVER span per request and one CLIENT span per call of an upstream. */
export function createChatTracer(deps: {
  readonly tracer: OtlpTracer;
  readonly clock: Clock;
}): ChatTracer {
  const { tracer, clock } = deps;
  return {
    begin(uuid, route, startedAt, startedMs, traceparent) {
      const requestId = formatRequestId(uuid);
      const operation = operationOf(route);
      /** Wall time of a monotonic moment, so that a clock that is set meanwhile bends no span. */
      const at = (ms: number): number => startedAt.getTime() + (ms - startedMs);
      const now = (): number => at(clock.monotonicMs());
      const server = tracer.start(
        {
          name: `POST ${route}`,
          kind: "server",
          startMs: at(startedMs),
          attributes: {
            "http.request.method": "POST",
            "http.route": route,
            "url.path": route,
            "tollgate.request_id": requestId,
          },
        },
        traceparent,
      );
      let attempt: TraceSpan | null = null;
      let answeredMs: number | null = null;
      let broken = false;

      function endAttempt(
        atMs: number,
        attributes: SpanAttributes,
        errorType: string | null,
      ): void {
        attempt?.set(errorType === null ? attributes : { ...attributes, "error.type": errorType });
        attempt?.end(atMs, errorType === null ? "ok" : "error");
        attempt = null;
      }

      return {
        attempt(upstream, { model }) {
          attempt = server.child({
            name: `${operation} ${model}`,
            kind: "client",
            startMs: now(),
            attributes: {
              "gen_ai.operation.name": operation,
              "gen_ai.provider.name": providerOf(upstream),
              "gen_ai.request.model": model,
              "tollgate.upstream": upstream.name,
              "tollgate.request_id": requestId,
              ...addressOf(upstream),
            },
          });
          return attempt.traceparent;
        },
        attemptFailed(failure) {
          // The failure's reason may quote the upstream, and an upstream may quote the prompt.
          if (failure.status === null) endAttempt(now(), {}, failure.kind);
          else
            endAttempt(
              now(),
              { "http.response.status_code": failure.status },
              String(failure.status),
            );
        },
        answered() {
          answeredMs ??= now();
        },
        settled(chat) {
          const error = errorOf(chat);
          broken = error !== null;
          const money: SpanAttributes = {
            "tollgate.state": chat.state,
            "tollgate.charged_roubles": formatRoubles(chat.settled.chargedNano),
          };
          server.set({
            ...money,
            "tollgate.model": chat.run.model.id,
            ...(chat.run.request.model === chat.run.model.id
              ? {}
              : { "tollgate.model_requested": chat.run.request.model }),
            "tollgate.stream": chat.run.request.stream,
            ...(error === null ? {} : { "error.type": error }),
          });
          const firstContentMs = chat.answer?.delivery.firstContentMs ?? null;
          if (firstContentMs !== null) attempt?.event("tollgate.first_content", at(firstContentMs));
          endAttempt(answeredMs ?? now(), { ...money, ...answerAttributes(chat) }, error);
        },
        end({ status, key, fault }) {
          // Only where something threw between an attempt's beginning and its end.
          endAttempt(now(), {}, "unfinished");
          server.set({
            "http.response.status_code": status,
            ...(key === null
              ? {}
              : { "tollgate.account_id": key.accountId, "tollgate.key": key.mask }),
            ...(fault === null ? {} : { "error.type": fault.code }),
          });
          // By the convention for servers a refusal (4xx) is no error of ours; a stream may break
          // after its 200.
          server.end(now(), status >= 500 || (broken && status < 400) ? "error" : "ok");
        },
      };
    },
  };
}

/**
 * Tokens are those that were billed; of the input all kinds together, as the convention counts
 * them.
 */
function answerAttributes({ answer, settled }: TracedChat): SpanAttributes {
  const { usage } = settled.charge;
  const model = answer?.reported.model ?? null;
  const finishReason = answer?.reported.finishReason ?? null;
  const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return {
    "http.response.status_code": 200,
    ...(model === null ? {} : { "gen_ai.response.model": model }),
    ...(finishReason === null ? {} : { "gen_ai.response.finish_reasons": [finishReason] }),
    "gen_ai.usage.input_tokens": promptTokensOf(usage),
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  };
}
