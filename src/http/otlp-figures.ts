/** The figures of `/metrics` in OpenTelemetry's terms, under the same names. */
import type { OtlpAttributes } from "../net/otlp-json.ts";
import type { OtlpDistribution, OtlpMetric } from "../net/otlp-metrics.ts";

/** A metric as the registry gives it as data. */
interface Figure {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly FigureValue[];
}

interface FigureValue {
  readonly value: number;
  readonly labels: OtlpAttributes;
  /** Of a histogram: which of its three kinds of series. */
  readonly metricName?: string;
}

/** The label of a histogram's bounds. */
const BOUND = "le";
const UNITS: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/_seconds(_total)?$/, "s"],
  [/_bytes(_total)?$/, "By"],
];

/** What is neither a counter, a gauge nor a histogram is left out: nothing of ours is. */
export function otlpFigures(figures: readonly object[]): OtlpMetric[] {
  return figures.flatMap((figure) => metricsOf(figure as Figure));
}

function metricsOf({ name, help, type, values }: Figure): OtlpMetric[] {
  const unit = UNITS.find(([ending]) => ending.test(name))?.[1] ?? "";
  const about = { name, description: help, unit };
  switch (type) {
    case "counter":
      return [{ ...about, kind: "sum", points: numbersOf(values) }];
    case "gauge":
      return [{ ...about, kind: "gauge", points: numbersOf(values) }];
    case "histogram":
      return [{ ...about, kind: "histogram", ...distributionsOf(name, values) }];
    default:
      return [];
  }
}

function numbersOf(values: readonly FigureValue[]) {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ attributes: labels, value }));
}

interface Read {
  readonly attributes: OtlpAttributes;
  /** By bound, those within smaller ones too; the last is of all. */
  readonly within: Map<number, number>;
  sum: number;
}

/** The registry has of each bound how many are within it; a collector wants them apart. */
function distributionsOf(
  name: string,
  values: readonly FigureValue[],
): { readonly bounds: readonly number[]; readonly points: readonly OtlpDistribution[] } {
  const series = new Map<string, Read>();
  for (const { labels, value, metricName } of values) {
    const { [BOUND]: bound, ...attributes } = labels;
    const key = JSON.stringify(
      Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
    const read = series.get(key) ?? { attributes, within: new Map<number, number>(), sum: 0 };
    series.set(key, read);
    if (metricName === `${name}_sum`) read.sum = value;
    else if (bound !== undefined) read.within.set(upperBound(bound), value);
  }
  const all = [...series.values()];
  const bounds = [...new Set(all.flatMap(({ within }) => [...within.keys()]))].toSorted(
    (a, b) => a - b,
  );
  return {
    bounds: bounds.filter(Number.isFinite),
    points: all.map(({ attributes, within, sum }) => {
      let below = 0;
      const counts = bounds.map((bound) => {
        const upTo = within.get(bound) ?? below;
        const here = upTo - below;
        below = upTo;
        return here;
      });
      return { attributes, counts, sum };
    }),
  };
}

function upperBound(label: string | number | boolean): number {
  return label === "+Inf" ? Infinity : Number(label);
}
