/**
 * Holds exports of metrics and log lines against the JSON form of OTLP, strictly: no field that the
 * protocol does not have or that we do not send, each in its form, and figures that add up.
 */
import assert from "node:assert/strict";

type Check = (value: unknown, at: string) => void;

interface Field {
  readonly check: Check;
  readonly optional?: true;
}

const record = (value: unknown, at: string): Record<string, unknown> => {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value), at);
  return value as Record<string, unknown>;
};

function fields(known: Readonly<Record<string, Field>>, whole?: Check): Check {
  return (value, at) => {
    const given = record(value, at);
    for (const name of Object.keys(given)) assert.ok(name in known, `${at}: unknown ${name}`);
    for (const [name, { check, optional }] of Object.entries(known)) {
      if (given[name] === undefined && optional === true) continue;
      check(given[name], `${at}.${name}`);
    }
    whole?.(value, at);
  };
}

const need = (check: Check): Field => ({ check });
const may = (check: Check): Field => ({ check, optional: true });

function list(check: Check, least = 1): Check {
  return (value, at) => {
    assert.ok(Array.isArray(value), at);
    assert.ok(value.length >= least, `${at} is empty`);
    value.forEach((each, index) => check(each, `${at}[${index}]`));
  };
}

const text: Check = (value, at) => {
  assert.ok(typeof value === "string", at);
  assert.ok(value.isWellFormed(), `${at} is no UTF-8`);
};
const word: Check = (value, at) => {
  text(value, at);
  assert.notEqual(value, "", at);
};
/** 64 bits are text in JSON. */
const wholeNumber: Check = (value, at) => assert.match(String(value), /^\d{1,20}$/, at);
const longNumber: Check = (value, at) => {
  assert.equal(typeof value, "string", `${at}: 64 bits are text`);
  wholeNumber(value, at);
};
const finite: Check = (value, at) => assert.ok(Number.isFinite(value), at);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, at) =>
    assert.ok(values.includes(value), `${at}: ${String(value)}`);

const anyValue = fields(
  {
    stringValue: may(text),
    boolValue: may(oneOf(true, false)),
    intValue: may((value, at) => {
      assert.equal(typeof value, "string", at);
      assert.match(String(value), /^-?\d{1,19}$/, at);
    }),
    doubleValue: may(finite),
  },
  (value, at) => assert.equal(Object.keys(record(value, at)).length, 1, at),
);

const attributes: Check = (value, at) => {
  list(fields({ key: need(word), value: need(anyValue) }), 0)(value, at);
  const keys = (value as { key: string }[]).map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length, `${at}: a key comes twice`);
};

const resource = fields({ attributes: need(attributes) });
const scope = fields({ name: need(word), version: need(word) });

const times = { startTimeUnixNano: need(longNumber), timeUnixNano: need(longNumber) };

const inOrder: Check = (value, at) => {
  const { startTimeUnixNano, timeUnixNano } = record(value, at);
  assert.ok(BigInt(String(startTimeUnixNano)) <= BigInt(String(timeUnixNano)), at);
};

/** No two points of a metric have the same attributes. */
function points(check: Check): Check {
  return (value, at) => {
    list(check)(value, at);
    const sets = (value as { attributes: unknown }[]).map((point) =>
      JSON.stringify(point.attributes),
    );
    assert.equal(new Set(sets).size, sets.length, `${at}: two points are of one series`);
  };
}

const numbers = points(
  fields({ attributes: need(attributes), ...times, asDouble: need(finite) }, inOrder),
);

const distribution = fields(
  {
    attributes: need(attributes),
    ...times,
    count: need(longNumber),
    sum: need(finite),
    bucketCounts: need(list(longNumber)),
    explicitBounds: need(list(finite)),
  },
  (value, at) => {
    inOrder(value, at);
    const point = value as {
      count: string;
      bucketCounts: string[];
      explicitBounds: number[];
    };
    assert.equal(point.bucketCounts.length, point.explicitBounds.length + 1, at);
    const all = point.bucketCounts.reduce((sum, count) => sum + BigInt(count), 0n);
    assert.equal(all, BigInt(point.count), `${at}: buckets add up`);
    const ascending = point.explicitBounds.toSorted((a, b) => a - b);
    assert.deepEqual(point.explicitBounds, ascending, at);
    assert.equal(new Set(ascending).size, ascending.length, at);
  },
);

const CUMULATIVE = 2;

const metric = fields(
  {
    name: need(word),
    description: need(word),
    unit: need(text),
    gauge: may(fields({ dataPoints: need(numbers) })),
    sum: may(
      fields({
        dataPoints: need(numbers),
        aggregationTemporality: need(oneOf(CUMULATIVE)),
        isMonotonic: need(oneOf(true)),
      }),
    ),
    histogram: may(
      fields({
        dataPoints: need(points(distribution)),
        aggregationTemporality: need(oneOf(CUMULATIVE)),
      }),
    ),
  },
  (value, at) => {
    const { gauge, sum, histogram } = record(value, at);
    const kinds = [gauge, sum, histogram].filter((kind) => kind !== undefined);
    assert.equal(kinds.length, 1, `${at} is of one kind`);
  },
);

const logRecord = fields({
  timeUnixNano: need(longNumber),
  observedTimeUnixNano: need(longNumber),
  severityNumber: need(oneOf(5, 9, 13, 17, 21)),
  severityText: need(oneOf("DEBUG", "INFO", "WARN", "ERROR", "FATAL")),
  body: need(anyValue),
  attributes: need(attributes),
});

/** `ExportMetricsServiceRequest`. Throws what is wrong. */
export function checkMetricsExport(body: unknown): void {
  const scopeMetrics = list(fields({ scope: need(scope), metrics: need(list(metric)) }));
  fields({
    resourceMetrics: need(
      list(fields({ resource: need(resource), scopeMetrics: need(scopeMetrics) })),
    ),
  })(body, "metrics");
}

/** `ExportLogsServiceRequest`. Throws what is wrong. */
export function checkLogsExport(body: unknown): void {
  const scopeLogs = list(fields({ scope: need(scope), logRecords: need(list(logRecord)) }));
  fields({
    resourceLogs: need(list(fields({ resource: need(resource), scopeLogs: need(scopeLogs) }))),
  })(body, "logs");
}
