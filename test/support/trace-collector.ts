/**
 * An OpenTelemetry collector on loopback: takes OTLP/HTTP exports in JSON and keeps their spans, in
 * the reader's words.
 */
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "./until.ts";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: "server" | "client" | "other";
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly failed: boolean;
  /** Integers that came as text are numbers here. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly at: bigint }[];
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface TraceCollector {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is to be. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Every export as it came. */
  readonly exports: readonly {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[];
  /** The spans of one trace, once there are this many, the earliest first. */
  trace(traceId: string, count: number): Promise<readonly CollectedSpan[]>;
  close(): Promise<void>;
}

/** `answer` decides what an export is answered with, and when; default: 200 at once. */
export async function startTraceCollector(
  answer: () => Promise<number> = () => Promise.resolve(200),
): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const exports: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      exports.push({ path: request.url ?? "", headers: request.headers, body });
      // Metrics and log lines come the same way; otlp-collector.ts reads those.
      if (request.url?.endsWith("/v1/traces") === true) spans.push(...readSpans(body));
      void answer().then((status) =>
        response.writeHead(status, { "content-type": "application/json" }).end("{}"),
      );
    });
    response.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    spans,
    exports,
    trace: (traceId, count) =>
      until(`${count} spans of trace ${traceId}`, () => {
        const found = spans.filter((span) => span.traceId === traceId);
        return Promise.resolve(
          found.length >= count && found.toSorted((a, b) => Number(a.start - b.start)),
        );
      }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values?: readonly OtlpValue[] };
}

interface OtlpAttributes {
  readonly attributes?: readonly { readonly key: string; readonly value: OtlpValue }[];
}

interface OtlpSpan extends OtlpAttributes {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
  readonly events?: readonly { readonly name: string; readonly timeUnixNano: string }[];
}

interface OtlpExport {
  readonly resourceSpans: readonly {
    readonly resource: OtlpAttributes;
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/**
 * The JSON form of `opentelemetry/proto/collector/trace/v1`: ids in hex, 64-bit numbers as text,
 * enums as numbers.
 */
function readSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as OtlpExport;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        name: span.name,
        kind:
          span.kind === 2
            ? ("server" as const)
            : span.kind === 3
              ? ("client" as const)
              : ("other" as const),
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        failed: span.status?.code === 2,
        attributes: readAttributes(span),
        events: (span.events ?? []).map(({ name, timeUnixNano }) => ({
          name,
          at: BigInt(timeUnixNano),
        })),
        resource: readAttributes(resource),
      })),
    ),
  );
}

function readAttributes({ attributes = [] }: OtlpAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: OtlpValue): unknown {
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(readValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? null;
}
