/**
 * Sends spans to an OpenTelemetry collector over OTLP/HTTP (JSON): in batches, in the background,
 * within bounds.
 */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Context, Span } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import {
  createLossCount,
  EXPORT_TIMEOUT_MS,
  QUEUE_FULL,
  signalUrl,
  STOPPED,
  VALUE_LIMIT_CHARACTERS,
  type LossCount,
  type OtlpOptions,
} from "./otlp-collector.ts";
import { formatTraceparent, readTraceparent } from "./traceparent.ts";

export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** Times are milliseconds since 1970, fractions allowed. */
export interface SpanOpening {
  readonly name: string;
  readonly kind: "server" | "client";
  readonly startMs: number;
  readonly attributes: SpanAttributes;
}

export interface TraceSpan {
  /** The header that makes this span the parent of what another service does. */
  readonly traceparent: string;
  child(opening: SpanOpening): TraceSpan;
  set(attributes: SpanAttributes): void;
  event(name: string, atMs: number): void;
  /** Hands the span over for export; it takes nothing more. */
  end(atMs: number, outcome: "ok" | "error"): void;
}

export interface OtlpTracer {
  /**
   * A span without a parent in this process. `traceparent` is what the caller sent, null for
   * nothing; a malformed one begins a new trace.
   */
  start(opening: SpanOpening, traceparent: string | null): TraceSpan;
  /** Spans that no collector took, since the process began. */
  readonly lost: number;
  /** Exports what is left, for two seconds at most. Never rejects. */
  close(): Promise<void>;
}

const BATCH_DELAY_MS = 1_000;
/** Small enough that writing a batch as JSON is no pause for running streams. */
const BATCH_SPANS = 256;
/** Beyond this, spans are dropped: some megabytes. */
const QUEUE_SPANS = 4_096;

/** The libraries are loaded here, so that they cost nothing where tracing is off. */
export async function openOtlpTracer(options: OtlpOptions): Promise<OtlpTracer> {
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
  const url = signalUrl(options.endpoint, "traces");
  // The exporter's own timeout begins with the connection; the agent's covers a collector to which
  // none comes about.
  const agentOptions = { keepAlive: true, timeout: EXPORT_TIMEOUT_MS };
  const agent = url.startsWith("https:")
    ? new HttpsAgent(agentOptions)
    : new HttpAgent(agentOptions);
  const loss = createLossCount(options.onLost);
  /** Spans in the processor's queue; it drops what is beyond without a word. */
  let waiting = 0;
  const exporter = reportingExporter(
    new OTLPTraceExporter({
      url,
      headers: { ...options.headers },
      timeoutMillis: EXPORT_TIMEOUT_MS,
      httpAgentOptions: () => agent,
    }),
    loss,
    (spans) => {
      waiting -= spans;
    },
  );
  const provider = new sdk.TracerProvider({
    // What is recorded is the operator's choice, not that of a caller who sends a flag.
    sampler: new sdk.AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: VALUE_LIMIT_CHARACTERS },
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.name": options.serviceName,
        "service.version": options.serviceVersion,
        "service.instance.id": options.instanceId,
      }),
    ),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        maxQueueSize: QUEUE_SPANS,
        maxExportBatchSize: BATCH_SPANS,
        scheduledDelayMillis: BATCH_DELAY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer("tollgate", options.serviceVersion);
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;

  function open(opening: SpanOpening, context: Context): TraceSpan {
    const kind = opening.kind === "server" ? SpanKind.SERVER : SpanKind.CLIENT;
    return traceSpan(
      tracer.startSpan(
        opening.name,
        { kind, startTime: opening.startMs, attributes: opening.attributes },
        context,
      ),
    );
  }

  function traceSpan(span: Span): TraceSpan {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: formatTraceparent({ traceId, spanId, flags: traceFlags }),
      child: (opening) => open(opening, trace.setSpan(ROOT_CONTEXT, span)),
      set(attributes) {
        span.setAttributes(attributes);
      },
      event(name, atMs) {
        span.addEvent(name, atMs);
      },
      end(atMs, outcome) {
        if (outcome === "error") span.setStatus({ code: SpanStatusCode.ERROR });
        if (waiting >= QUEUE_SPANS) loss.add(1, QUEUE_FULL);
        else waiting += 1;
        span.end(atMs);
      },
    };
  }

  return {
    start(opening, traceparent) {
      const parent = traceparent === null ? null : readTraceparent(traceparent);
      if (parent === null) return open(opening, ROOT_CONTEXT);
      const { traceId, spanId, flags: traceFlags } = parent;
      return open(
        opening,
        trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true }),
      );
    },

    get lost() {
      return loss.total;
    },

    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, EXPORT_TIMEOUT_MS);
      // The first batch that fails, which has been reported, ends the provider's wait; the others
      // may still be under way.
      provider
        .shutdown()
        .catch(() => exporter.shutdown())
        .then(resolve, () => resolve());
      await promise;
      clearTimeout(timer);
      if (waiting > 0) loss.add(waiting, STOPPED);
      agent.destroy();
    },
  };
}

/** The same exporter, but what it is handed is told, and what it fails to deliver is counted. */
function reportingExporter(
  exporter: SpanExporter,
  loss: Pick<LossCount, "add">,
  onHanded: (spans: number) => void,
): SpanExporter {
  return {
    export(spans, done) {
      onHanded(spans.length);
      exporter.export(spans, (result) => {
        if (result.error !== undefined) loss.add(spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
