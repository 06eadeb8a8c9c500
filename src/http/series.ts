/**
 * Figures as plain numbers, one for each set of labels, which cost next to nothing to add to; the
 * registry reads them when it is asked.
 */
import type { Metric, Registry } from "prom-client";

export type Labels = Readonly<Record<string, string>>;

/** A number that only grows. */
export interface Count {
  add(amount: number): void;
}

/** How long things took: a histogram. */
export interface Durations {
  observe(seconds: number): void;
}

export interface SeriesName {
  readonly name: string;
  readonly help: string;
}

/** One number of one series, as the registry takes it. */
interface Shown {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * A counter. Returns what begins a series: it is shown from then on, with 0 at first. To be called
 * once for each set of labels, by code that keeps what it returns and sees to it that they are not
 * too many.
 */
export function createCounts(
  registry: Registry,
  { name, help }: SeriesName,
): (labels: Labels) => Count {
  const series: PlainCount[] = [];
  show(registry, { name, help, type: "counter" }, () =>
    series.map(({ labels, value }) => ({ labels, value })),
  );
  return (labels) => {
    const count = new PlainCount(labels);
    series.push(count);
    return count;
  };
}

/**
 * A histogram with these upper bounds, ascending. Returns what begins a series, like createCounts.
 */
export function createDurations(
  registry: Registry,
  { name, help, bounds }: SeriesName & { readonly bounds: readonly number[] },
): (labels: Labels) => Durations {
  const series: PlainDurations[] = [];
  show(registry, { name, help, type: "histogram" }, () =>
    series.flatMap((durations) => durations.shown(name)),
  );
  return (labels) => {
    const durations = new PlainDurations(labels, bounds);
    series.push(durations);
    return durations;
  };
}

class PlainCount implements Count {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  add(amount: number): void {
    checkAmount(amount);
    this.value += amount;
  }
}

class PlainDurations implements Durations {
  private readonly labels: Labels;
  private readonly bounds: readonly number[];
  /** How many were within each bound and above the one before it; at the end those above all. */
  private readonly counts: number[];
  private sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(seconds: number): void {
    checkAmount(seconds);
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? Infinity)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += seconds;
  }

  /** Prometheus wants of each bound how many are within it, those within smaller ones too. */
  shown(name: string): Shown[] {
    const { labels, bounds, counts, sum } = this;
    let within = 0;
    const buckets = counts.map((count, i) => {
      within += count;
      return {
        metricName: `${name}_bucket`,
        labels: { le: bounds[i] ?? "+Inf", ...labels },
        value: within,
      };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: within },
    ];
  }
}

/** What is not a number, or takes away, would spoil a series for ever. */
function checkAmount(amount: number): void {
  if (!Number.isFinite(amount) || amount < 0)
    throw new RangeError(`a figure cannot grow by ${amount}`);
}

/**
 * Of a metric, the registry asks nothing but this; its type knows only the library's own classes.
 */
function show(
  registry: Registry,
  about: SeriesName & { readonly type: "counter" | "histogram" },
  read: () => Shown[],
): void {
  const metric = {
    ...about,
    get: () => Promise.resolve({ ...about, values: read(), aggregator: "sum" }),
  };
  registry.registerMetric(metric as unknown as Metric);
}
