/**
 * A histogram of OpenTelemetry's kind, for figures that only a collector is told: plain numbers for
 * each set of attributes, bounded in how many sets there are.
 */
import type { OtlpAttributes } from "./otlp-json.ts";
import type { OtlpDistributions } from "./otlp-metrics.ts";

export interface OtlpHistogram {
  record(value: number, attributes: OtlpAttributes): void;
  read(): OtlpDistributions;
}

export interface HistogramName {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** Ascending; each belongs to what is below it. */
  readonly bounds: readonly number[];
}

interface Series {
  readonly attributes: OtlpAttributes;
  readonly counts: number[];
  sum: number;
}

/** Attributes are memory for ever: the specification's bound, and its name for what is beyond. */
const SERIES_LIMIT = 2_000;
const OVERFLOW: OtlpAttributes = { "otel.metric.overflow": true };

export function createHistogram({ name, description, unit, bounds }: HistogramName): OtlpHistogram {
  const known = new Map<string, Series>();

  function seriesOf(attributes: OtlpAttributes): Series {
    const key = JSON.stringify(attributes);
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= SERIES_LIMIT - 1 && attributes !== OVERFLOW) return seriesOf(OVERFLOW);
    const made = { attributes, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
    known.set(key, made);
    return made;
  }

  return {
    record(value, attributes) {
      // It would spoil the series for ever.
      if (!Number.isFinite(value) || value < 0) return;
      const series = seriesOf(attributes);
      const within = bounds.findIndex((bound) => value <= bound);
      const at = within < 0 ? bounds.length : within;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += value;
    },
    read: () => ({
      kind: "histogram",
      name,
      description,
      unit,
      bounds,
      points: [...known.values()].map(({ attributes, counts, sum }) => ({
        attributes,
        counts: [...counts],
        sum,
      })),
    }),
  };
}
