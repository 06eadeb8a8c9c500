/**
 * Measures chat requests and calls by OpenTelemetry's conventions for metrics of generative AI
 * (status: development), from what tracing hears of them: figures, never content.
 */
import type { Clock } from "../../kernel/clock.ts";
import { promptTokensOf } from "../../kernel/token-usage.ts";
import { VALUE_LIMIT_CHARACTERS } from "../../net/otlp-collector.ts";
import { createHistogram, type OtlpHistogram } from "../../net/otlp-histogram.ts";
import type { OtlpAttributes } from "../../net/otlp-json.ts";
import type { OtlpMetric } from "../../net/otlp-metrics.ts";
import type { ChatTrace, ChatTracer, TracedChat } from "./chat-trace.ts";
import { addressOf, errorOf, operationOf, providerOf } from "./gen-ai-names.ts";

export interface ChatMeter {
  readonly tracer: ChatTracer;
  read(): readonly OtlpMetric[];
}

/** Who answers our callers, in the convention's words for a server. */
const OURSELVES = "tollgate";

/** As the convention recommends them. */
const CLIENT_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
const FIRST_TOKEN_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const NEXT_TOKEN_SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];

type Figures = ReturnType<typeof createFigures>;

export function createChatMeter(deps: { readonly clock: Pick<Clock, "monotonicMs"> }): ChatMeter {
  const figures = createFigures();
  return {
    tracer: {
      begin: (_requestId, route, _startedAt, startedMs) =>
        measured(figures, operationOf(route), startedMs, () => deps.clock.monotonicMs()),
    },
    read: () => Object.values<OtlpHistogram>(figures).map((figure) => figure.read()),
  };
}

function createFigures() {
  const seconds = { unit: "s", bounds: CLIENT_SECONDS };
  return {
    operation: createHistogram({
      name: "gen_ai.client.operation.duration",
      description: "GenAI operation duration.",
      ...seconds,
    }),
    tokens: createHistogram({
      name: "gen_ai.client.token.usage",
      description: "Number of input and output tokens used.",
      unit: "{token}",
      bounds: TOKENS,
    }),
    firstChunk: createHistogram({
      name: "gen_ai.client.operation.time_to_first_chunk",
      description: "Time to receive the first chunk of a stream.",
      ...seconds,
    }),
    request: createHistogram({
      name: "gen_ai.server.request.duration",
      description: "Generative AI server request duration.",
      ...seconds,
    }),
    firstToken: createHistogram({
      name: "gen_ai.server.time_to_first_token",
      description: "Time to generate first token for successful responses.",
      unit: "s",
      bounds: FIRST_TOKEN_SECONDS,
    }),
    nextToken: createHistogram({
      name: "gen_ai.server.time_per_output_token",
      description: "Time per output token generated after the first token.",
      unit: "s",
      bounds: NEXT_TOKEN_SECONDS,
    }),
  };
}

interface Attempt {
  readonly begunMs: number;
  readonly attributes: OtlpAttributes;
}

function measured(
  figures: Figures,
  operation: string,
  startedMs: number,
  now: () => number,
): ChatTrace {
  let attempt: Attempt | null = null;
  let answeredMs: number | null = null;
  let heard: TracedChat | null = null;

  function endAttempt(atMs: number, more: OtlpAttributes, errorType: string | null): void {
    if (attempt === null) return;
    const { begunMs, attributes } = attempt;
    figures.operation.record((atMs - begunMs) / 1000, {
      ...attributes,
      ...more,
      ...(errorType === null ? {} : { "error.type": errorType }),
    });
    attempt = null;
  }

  /** Of the upstream that answered; tokens are those that were billed, as the convention wants. */
  function servedBy({ begunMs, attributes }: Attempt, chat: TracedChat): void {
    const firstMs = firstContentOf(chat);
    const answered = { ...attributes, ...responseModelOf(chat) };
    if (firstMs !== null) figures.firstChunk.record((firstMs - begunMs) / 1000, answered);
    const { usage } = chat.settled.charge;
    const input = promptTokensOf(usage);
    if (input > 0) figures.tokens.record(input, { ...answered, "gen_ai.token.type": "input" });
    if (usage.outputTokens > 0)
      figures.tokens.record(usage.outputTokens, { ...answered, "gen_ai.token.type": "output" });
  }

  return {
    attempt(upstream, { model }) {
      attempt = {
        begunMs: now(),
        attributes: {
          "gen_ai.operation.name": operation,
          "gen_ai.provider.name": providerOf(upstream),
          "gen_ai.request.model": model,
          "tollgate.upstream": upstream.name,
          ...addressOf(upstream),
        },
      };
      return null;
    },
    attemptFailed({ status, kind }) {
      endAttempt(now(), {}, status === null ? kind : String(status));
    },
    answered() {
      answeredMs ??= now();
    },
    settled(chat) {
      heard = chat;
      if (attempt === null) return;
      servedBy(attempt, chat);
      endAttempt(answeredMs ?? now(), responseModelOf(chat), errorOf(chat));
    },
    end() {
      // Only where something threw between an attempt's beginning and its end.
      endAttempt(now(), {}, "unfinished");
      // A refusal is no operation of a model; HTTP's own figures count it.
      if (heard !== null) endRequest(figures, operation, heard, { startedMs, answeredMs, now });
    },
  };
}

function endRequest(
  figures: Figures,
  operation: string,
  chat: TracedChat,
  times: {
    readonly startedMs: number;
    readonly answeredMs: number | null;
    now(): number;
  },
): void {
  const { startedMs, answeredMs } = times;
  const error = errorOf(chat);
  const attributes: OtlpAttributes = {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": OURSELVES,
    "gen_ai.request.model": chat.run.model.id,
  };
  figures.request.record((times.now() - startedMs) / 1000, {
    ...attributes,
    ...(error === null ? {} : { "error.type": error }),
  });
  const firstMs = firstContentOf(chat);
  if (error !== null || firstMs === null) return;
  figures.firstToken.record((firstMs - startedMs) / 1000, attributes);
  const { outputTokens } = chat.settled.charge.usage;
  if (answeredMs !== null && outputTokens > 1)
    figures.nextToken.record((answeredMs - firstMs) / 1000 / (outputTokens - 1), attributes);
}

/** Of a stream: of a whole answer the first is the last. */
function firstContentOf({ answer, run }: TracedChat): number | null {
  return run.request.stream ? (answer?.delivery.firstContentMs ?? null) : null;
}

function responseModelOf({ answer }: TracedChat): OtlpAttributes {
  const model = answer?.reported.model ?? null;
  return model === null ? {} : { "gen_ai.response.model": model.slice(0, VALUE_LIMIT_CHARACTERS) };
}
