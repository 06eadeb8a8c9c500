/** What is told of one process beside its own log and `/metrics`: nothing, or what a collector gets. */
import { SILENT_TRACER } from "../serving/chat/chat-trace.ts";
import type { Telemetry, TelemetryParts } from "./open-collector.ts";

/** Without a collector the log is the same log, and nothing of the exporters is loaded. */
export async function openTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  const { otlpEndpoint } = parts.config;
  if (otlpEndpoint === null)
    return { log: parts.log, tracer: SILENT_TRACER, close: () => Promise.resolve() };
  const { openCollector } = await import("./open-collector.ts");
  return openCollector(parts, otlpEndpoint);
}
