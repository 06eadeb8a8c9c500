/**
 * What an OpenTelemetry collector is told of one process: traces, metrics and log lines, as the
 * configuration wants them. Loaded only where there is one (open-telemetry.ts).
 */
import { otlpFigures } from "../http/otlp-figures.ts";
import { exportLines } from "../log/exported-lines.ts";
import type { Log } from "../log/log.ts";
import type { OtlpOptions } from "../net/otlp-collector.ts";
import { openOtlpLogs } from "../net/otlp-logs.ts";
import { openOtlpMetrics } from "../net/otlp-metrics.ts";
import { openOtlpTracer } from "../net/otlp-tracer.ts";
import { VERSION } from "../process/project-root.ts";
import { bothTracers, SILENT_TRACER, type ChatTracer } from "../serving/chat/chat-trace.ts";
import { createChatMeter } from "../serving/chat/measure-chat.ts";
import { createChatTracer } from "../serving/chat/trace-chat.ts";
import type { Parts } from "./parts.ts";

export interface Telemetry {
  /** The same log, whose lines the collector gets too. */
  readonly log: Log;
  /** Hears of every chat request and call. */
  readonly tracer: ChatTracer;
  /** Sends what is left, for two seconds at most. Never rejects. */
  close(): Promise<void>;
}

export type TelemetryParts = Pick<Parts, "config" | "ownerId" | "clock" | "log" | "metrics">;

interface Signal {
  readonly lost: number;
  close(): Promise<void>;
}

export async function openCollector(parts: TelemetryParts, endpoint: string): Promise<Telemetry> {
  const { config, clock, log, metrics } = parts;
  const wanted = config.otelSignals;
  const signals = new Map<string, Signal>();
  metrics.watch({
    name: "otlp_lost",
    help: "Spans, points of metrics and log lines that the OpenTelemetry collector did not take.",
    label: "signal",
    read: () => new Map([...signals].map(([name, { lost }]) => [name, lost] as const)),
  });
  const options = (what: string): OtlpOptions => ({
    endpoint,
    headers: config.otlpHeaders,
    serviceName: config.otelServiceName,
    serviceVersion: VERSION,
    instanceId: parts.ownerId,
    // Told in the log alone: what cannot be delivered is no news for the collector.
    onLost: (items, error) =>
      log.warn(
        { err: error, lost: items },
        `${what} could not be delivered to OTEL_EXPORTER_OTLP_ENDPOINT and are lost`,
      ),
  });

  let tracer: ChatTracer | null = null;
  if (wanted.traces) {
    const traces = await openOtlpTracer(options("spans"));
    signals.set("traces", traces);
    tracer = createChatTracer({ tracer: traces, clock });
  }
  if (wanted.metrics) {
    const meter = createChatMeter({ clock });
    signals.set(
      "metrics",
      openOtlpMetrics({
        ...options("metrics"),
        intervalMs: config.otelMetricIntervalMs,
        read: async () => [...otlpFigures(await metrics.figures()), ...meter.read()],
      }),
    );
    tracer = tracer === null ? meter.tracer : bothTracers(tracer, meter.tracer);
  }
  let exportedLog = log;
  if (wanted.logs) {
    const lines = openOtlpLogs(options("log lines"));
    signals.set("logs", lines);
    exportedLog = exportLines(log, config.logLevel, (line) => lines.record(line));
  }
  return {
    log: exportedLog,
    tracer: tracer ?? SILENT_TRACER,
    async close() {
      await Promise.all([...signals.values()].map((signal) => signal.close()));
    },
  };
}
