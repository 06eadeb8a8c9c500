/**
 * An OpenTelemetry collector on loopback that takes metrics and log lines over OTLP/HTTP in JSON,
 * holds each export strictly against the protocol, and keeps what it says.
 */
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { checkLogsExport, checkMetricsExport } from "./otlp-shape.ts";

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface CollectedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly kind: "gauge" | "sum" | "histogram";
  readonly attributes: Attributes;
  readonly resource: Attributes;
  /** Of a gauge or a sum; of a histogram its sum. */
  readonly value: number;
  /** Of a histogram. */
  readonly count: number;
  readonly bounds: readonly number[];
}

export interface CollectedLine {
  readonly severity: string;
  readonly text: string;
  readonly atMs: number;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

export interface OtlpCollector {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is to be. */
  readonly url: string;
  /** Every export as it came. */
  readonly exports: readonly {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[];
  /** All points that came, the latest of a series last. */
  readonly points: readonly CollectedPoint[];
  readonly lines: readonly CollectedLine[];
  /** What breaks the protocol; such an export is answered with 400. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `answer` decides what a sound export is answered with, and when; default: 200 at once. */
export async function startOtlpCollector(
  answer: (path: string) => Promise<Answered> = () => Promise.resolve({ status: 200 }),
): Promise<OtlpCollector> {
  const exports: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const points: CollectedPoint[] = [];
  const lines: CollectedLine[] = [];
  const faults: string[] = [];

  /** Null where it is sound. */
  function take(method: string, path: string, type: string, body: string): string | null {
    try {
      if (method !== "POST" || type !== "application/json") return `${method} ${path} of ${type}`;
      const parsed: unknown = JSON.parse(body);
      switch (path.replace(/^.*(?=\/v1\/)/, "")) {
        case "/v1/metrics":
          checkMetricsExport(parsed);
          points.push(...readPoints(parsed as MetricsExport));
          return null;
        case "/v1/logs":
          checkLogsExport(parsed);
          lines.push(...readLines(parsed as LogsExport));
          return null;
        // Spans are of the SDK's making, and read by trace-collector.ts.
        case "/v1/traces":
          return null;
        default:
          return `nothing is taken at ${path}`;
      }
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    response.on("error", () => undefined);
    request.on("error", () => undefined);
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = request.url ?? "";
      const body = Buffer.concat(parts).toString();
      exports.push({ path, headers: request.headers, body });
      const type = request.headers["content-type"] ?? "";
      const fault = take(request.method ?? "", path, type, body);
      if (fault !== null) {
        faults.push(fault);
        response.writeHead(400).end();
        return;
      }
      void answer(path).then(({ status, body: text = "{}", headers = {} }) =>
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(text),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    points,
    lines,
    faults,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Attributed {
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

interface Value {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
}

interface Point extends Attributed {
  readonly asDouble?: number;
  readonly sum?: number;
  readonly count?: string;
  readonly explicitBounds?: readonly number[];
}

interface Data {
  readonly dataPoints: readonly Point[];
}

interface MetricsExport {
  readonly resourceMetrics: readonly {
    readonly resource: Attributed;
    readonly scopeMetrics: readonly {
      readonly metrics: readonly ({ readonly name: string; readonly unit: string } & Readonly<
        Partial<Record<CollectedPoint["kind"], Data>>
      >)[];
    }[];
  }[];
}

interface LogsExport {
  readonly resourceLogs: readonly {
    readonly resource: Attributed;
    readonly scopeLogs: readonly {
      readonly logRecords: readonly (Attributed & {
        readonly severityText: string;
        readonly timeUnixNano: string;
        readonly body: Value;
      })[];
    }[];
  }[];
}

const KINDS = ["gauge", "sum", "histogram"] as const;

function readPoints({ resourceMetrics }: MetricsExport): CollectedPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap((metric) =>
        KINDS.flatMap((kind) =>
          (metric[kind]?.dataPoints ?? []).map((point) => ({
            metric: metric.name,
            unit: metric.unit,
            kind,
            attributes: readAttributes(point),
            resource: readAttributes(resource),
            value: point.asDouble ?? point.sum ?? Number.NaN,
            count: Number(point.count ?? 0),
            bounds: point.explicitBounds ?? [],
          })),
        ),
      ),
    ),
  );
}

function readLines({ resourceLogs }: LogsExport): CollectedLine[] {
  return resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map((line) => ({
        severity: line.severityText,
        text: String(readValue(line.body)),
        atMs: Number(BigInt(line.timeUnixNano) / 1_000_000n),
        attributes: readAttributes(line),
        resource: readAttributes(resource),
      })),
    ),
  );
}

function readAttributes({ attributes }: Attributed): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: Value): string | number | boolean {
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? "";
}
