/**
 * Sends figures to an OpenTelemetry collector over OTLP/HTTP (JSON): all of them now and then, in
 * pieces, each within its time.
 */
import { createLossCount, EXPORT_TIMEOUT_MS, type OtlpOptions } from "./otlp-collector.ts";
import { keyValues, resourceOf, scopeOf, unixNanos, type OtlpAttributes } from "./otlp-json.ts";
import { createOtlpSender, within } from "./otlp-sender.ts";

/** One number of a sum that only grows since the process began, or of a gauge. */
export interface OtlpNumber {
  readonly attributes: OtlpAttributes;
  readonly value: number;
}

/** How many were within each bound and above the one before it, at the end those above all. */
export interface OtlpDistribution {
  readonly attributes: OtlpAttributes;
  readonly counts: readonly number[];
  readonly sum: number;
}

interface Described {
  readonly name: string;
  readonly description: string;
  /** As UCUM writes it; empty for what has none. */
  readonly unit: string;
}

export interface OtlpNumbers extends Described {
  readonly kind: "sum" | "gauge";
  readonly points: readonly OtlpNumber[];
}

export interface OtlpDistributions extends Described {
  readonly kind: "histogram";
  /** Ascending; each belongs to what is below it. */
  readonly bounds: readonly number[];
  readonly points: readonly OtlpDistribution[];
}

export type OtlpMetric = OtlpNumbers | OtlpDistributions;

export interface OtlpMetrics {
  /** Points that no collector took, since the process began; the next export told most of them. */
  readonly lost: number;
  /** Exports once more, for two seconds at most. Never rejects. */
  close(): Promise<void>;
}

export interface OtlpMetricsOptions extends OtlpOptions {
  readonly intervalMs: number;
  read(): Promise<readonly OtlpMetric[]>;
}

/** Small enough that writing a piece as JSON is no pause for running streams. */
const PIECE_POINTS = 250;
/** AGGREGATION_TEMPORALITY_CUMULATIVE: an export that is lost takes nothing from the next. */
const CUMULATIVE = 2;

export function openOtlpMetrics(options: OtlpMetricsOptions): OtlpMetrics {
  const loss = createLossCount(options.onLost);
  const sender = createOtlpSender(options, "metrics", loss);
  const resource = resourceOf(options);
  const scope = scopeOf(options);
  const startTimeUnixNano = unixNanos(Date.now());
  let exporting: Promise<void> | null = null;

  async function exportAll(): Promise<void> {
    try {
      const timeUnixNano = unixNanos(Date.now());
      const pieces = piecesOf(await options.read());
      for (const [at, piece] of pieces.entries()) {
        const metrics = piece.map((metric) =>
          metricOf(metric, { startTimeUnixNano, timeUnixNano }),
        );
        const body = { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] };
        if (await sender.send(body, pointsOf(piece))) continue;
        // Each that is not answered takes its time, so a collector that is away gets no other.
        const left = pieces.slice(at + 1).reduce((sum, other) => sum + pointsOf(other), 0);
        if (left > 0) loss.add(left, new Error("the collector did not answer to those before"));
        return;
      }
    } catch (error) {
      loss.add(1, error);
    }
  }

  function begin(): void {
    exporting ??= exportAll().finally(() => {
      exporting = null;
    });
  }

  const timer = setInterval(begin, options.intervalMs).unref();

  async function exportLast(): Promise<void> {
    await exporting;
    await exportAll();
  }

  return {
    get lost() {
      return loss.total;
    },
    async close() {
      clearInterval(timer);
      await within(exportLast(), EXPORT_TIMEOUT_MS);
      sender.close();
    },
  };
}

function pointsOf(metrics: readonly OtlpMetric[]): number {
  return metrics.reduce((sum, { points }) => sum + points.length, 0);
}

/** Metrics together while they are small, one in several pieces where it has many points. */
function piecesOf(metrics: readonly OtlpMetric[]): OtlpMetric[][] {
  const pieces: OtlpMetric[][] = [];
  let piece: OtlpMetric[] = [];
  let room = 0;
  for (const metric of metrics) {
    for (let at = 0; at < metric.points.length;) {
      if (room === 0) {
        piece = [];
        pieces.push(piece);
        room = PIECE_POINTS;
      }
      const part = partOf(metric, at, at + room);
      piece.push(part);
      at += part.points.length;
      room -= part.points.length;
    }
  }
  return pieces;
}

function partOf(metric: OtlpMetric, from: number, to: number): OtlpMetric {
  return metric.kind === "histogram"
    ? { ...metric, points: metric.points.slice(from, to) }
    : { ...metric, points: metric.points.slice(from, to) };
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

function metricOf(metric: OtlpMetric, times: Times): object {
  const { name, description, unit } = metric;
  return { name, description, unit, [metric.kind]: dataOf(metric, times) };
}

function dataOf(metric: OtlpMetric, times: Times): object {
  switch (metric.kind) {
    case "gauge":
      return {
        dataPoints: metric.points.map((point) => numberOf(point, times)),
      };
    case "sum":
      return {
        dataPoints: metric.points.map((point) => numberOf(point, times)),
        aggregationTemporality: CUMULATIVE,
        isMonotonic: true,
      };
    case "histogram":
      return {
        dataPoints: metric.points.map((point) => distributionOf(point, metric.bounds, times)),
        aggregationTemporality: CUMULATIVE,
      };
  }
}

function numberOf({ attributes, value }: OtlpNumber, times: Times): object {
  return { attributes: keyValues(attributes), ...times, asDouble: value };
}

function distributionOf(
  { attributes, counts, sum }: OtlpDistribution,
  bounds: readonly number[],
  times: Times,
): object {
  return {
    attributes: keyValues(attributes),
    ...times,
    count: String(counts.reduce((all, count) => all + count, 0)),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  };
}
