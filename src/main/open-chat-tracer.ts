/** Tracing as the configuration wants it: spans to a collector, or nothing at all. */
import type { ChatTracer } from "../serving/chat/chat-trace.ts";
import { SILENT_TRACER } from "../serving/chat/chat-trace.ts";
import { createChatTracer } from "../serving/chat/trace-chat.ts";
import { openOtlpTracer } from "../net/otlp-tracer.ts";
import { VERSION } from "../process/project-root.ts";
import type { Parts } from "./parts.ts";

export interface ChatTracing {
  readonly tracer: ChatTracer;
  close(): Promise<void>;
}

export async function openChatTracer({ config, ownerId, clock, log }: Parts): Promise<ChatTracing> {
  if (config.otlpEndpoint === null)
    return { tracer: SILENT_TRACER, close: () => Promise.resolve() };
  const tracer = await openOtlpTracer({
    endpoint: config.otlpEndpoint,
    headers: config.otlpHeaders,
    serviceName: config.otelServiceName,
    serviceVersion: VERSION,
    instanceId: ownerId,
    onLost: (spans, error) =>
      log.warn(
        { err: error, spans },
        "spans could not be delivered to OTEL_EXPORTER_OTLP_ENDPOINT and are lost",
      ),
  });
  return { tracer: createChatTracer({ tracer, clock }), close: () => tracer.close() };
}
