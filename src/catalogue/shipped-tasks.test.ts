/**
 * Guarantee: the catalogue of the repository sells all nineteen tables, and everything that a table
 * accepts has a price above zero and above its cost.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import fc from "fast-check";
import { readTaskParameters } from "../contract/tasks/read-task-parameters.ts";
import type { TaskParameter } from "../contract/tasks/task-parameter.ts";
import type { TaskTable, TaskTableId } from "../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../contract/tasks/task-tables.ts";
import { formatRoubles, type Nano } from "../kernel/money.ts";
import type { TaskModel } from "./catalogue.ts";
import type { TaskPrice } from "../contract/price/task-price.ts";
import { priceTask } from "../contract/price/price-task.ts";

const source = readFileSync(new URL("../../catalogue.yaml", import.meta.url), "utf8");
const reading = readCatalogue(source, {
  SANDBOX_URL: "http://127.0.0.1:8090",
  SANDBOX_API_KEY: "x",
});
assert.ok(reading.ok, JSON.stringify(reading));
const MODELS = [...reading.catalogue.models.values()].filter(
  (model): model is TaskModel => model.type === "task",
);
const WITHOUT_FRACTION = /^\d+$/;

function tableOf(model: TaskModel): TaskTable {
  const table = TASK_TABLES.get(model.parameters as TaskTableId);
  assert.ok(table !== undefined);
  return table;
}

/** Values that a parameter takes: all of those that can be listed, and the ends of a range. */
function valuesOf(parameter: TaskParameter): readonly unknown[] {
  switch (parameter.kind) {
    case "choice":
      return parameter.values;
    case "flag":
      return [true, false];
    case "number":
    case "integer": {
      const { min, max } = parameter;
      if (min === undefined || max === undefined || max - min > 100) return [];
      const whole = Array.from({ length: max - min + 1 }, (_, index) => min + index);
      return parameter.kind === "number" ? [...whole, min + (max - min) / 3] : whole;
    }
    default:
      return [];
  }
}

/**
 * Every combination of those values, over the minimal body; those that break a rule between
 * parameters are left out.
 */
function* bodiesOf(table: TaskTable): Generator<Readonly<Record<string, unknown>>> {
  const lists = Object.entries(table.parameters).flatMap(([name, parameter]) => {
    // Texts and media have no values to list, and no price depends on them.
    const values = valuesOf(parameter);
    return values.length === 0
      ? []
      : [{ name, values: parameter.required === true ? values : [undefined, ...values] }];
  });
  const total = lists.reduce((count, { values }) => count * values.length, 1);
  for (let number = 0; number < total; number++) {
    const body: Record<string, unknown> = { ...table.examples.minimal };
    let rest = number;
    for (const { name, values } of lists) {
      body[name] = values[rest % values.length];
      rest = Math.floor(rest / values.length);
    }
    yield body;
  }
}

function priceOf(price: TaskPrice, parameters: Readonly<Record<string, unknown>>): Nano {
  const quote = priceTask(price, parameters);
  if (quote.kind !== "priced")
    assert.fail(`${quote.parameter} of ${JSON.stringify(parameters)} has no price`);
  return quote.amountNano;
}

function quoteOf(model: TaskModel, body: object): string {
  const read = readTaskParameters(tableOf(model), body, () => ({ ok: true }));
  assert.ok(read.ok, JSON.stringify(read));
  return formatRoubles(priceOf(model.price, read.parameters));
}

function model(id: string): TaskModel {
  const found = MODELS.find((candidate) => candidate.id === id);
  assert.ok(found !== undefined, id);
  return found;
}

test("each table is sold by one model, with a deadline that suits what it makes", () => {
  assert.deepEqual(
    MODELS.map(({ parameters }) => parameters),
    [...TASK_TABLES.keys()],
  );
  for (const sold of MODELS)
    assert.equal(sold.deadlineSeconds, tableOf(sold).makes === "image" ? 600 : 3600, sold.id);
  assert.equal(model("seedance-2").parameters, "T9");
  assert.equal(model("bytedance/seedance-2").parameters, "T3");
  assert.equal(new Set(MODELS.map(({ displayName }) => displayName)).size, MODELS.length);
});

for (const sold of MODELS) {
  test(`${sold.id} (${sold.parameters}): every combination of values has a price, above its cost`, () => {
    let priced = 0;
    for (const body of bodiesOf(tableOf(sold))) {
      const read = readTaskParameters(tableOf(sold), body, () => ({ ok: true }));
      if (!read.ok) {
        assert.ok(
          read.mistakes.every(({ code }) => code === "combination"),
          JSON.stringify(read),
        );
        continue;
      }
      const price = priceOf(sold.price, read.parameters);
      for (const { cost } of sold.routes) {
        assert.ok(
          cost !== null && priceOf(cost, read.parameters) < price,
          JSON.stringify(read.parameters),
        );
      }
      assert.ok(priceOf(sold.price, read.parameters) > 0n);
      priced += 1;
    }
    assert.ok(priced > 0);
  });
}

test("what is paid for is what was asked for", () => {
  const t5 = tableOf(model("kling-3.0/motion-control")).examples.minimal;
  assert.equal(quoteOf(model("kling-3.0/motion-control"), { ...t5, duration: 7 }), "98");
  assert.equal(
    quoteOf(model("kling-3.0/motion-control"), { ...t5, duration: 7, mode: "1080p" }),
    "126",
  );
  const t4 = tableOf(model("bytedance/seedream-v4-edit")).examples.minimal;
  assert.equal(quoteOf(model("bytedance/seedream-v4-edit"), t4), "3.5");
  assert.equal(quoteOf(model("bytedance/seedream-v4-edit"), { ...t4, maxImages: 6 }), "21");
  assert.equal(
    quoteOf(model("kling/v3-turbo-image-to-video"), {
      ...tableOf(model("kling/v3-turbo-image-to-video")).examples.minimal,
      duration: "12",
    }),
    "150",
  );
  // Left out, the sound is on with several shots, and the length is theirs: 9 seconds with sound.
  const shots = [
    { prompt: "a", duration: 4 },
    { prompt: "b", duration: 5 },
  ];
  assert.equal(quoteOf(model("kling-3.0/video"), { prompt: "x", multiShots: shots }), "166.5");
  assert.equal(
    quoteOf(model("kling-3.0/video"), { prompt: "x", multiShots: shots, sound: false }),
    "112.5",
  );
});

test("T9: the specification's prices by resolution, and sound doubles any of them exactly", () => {
  const prices = { "480p": 4n, "720p": 8n, "1080p": 16n };
  const durations = fc.oneof(
    fc.integer({ min: 4, max: 15 }),
    fc.double({ min: 4, max: 15, noNaN: true }),
  );
  fc.assert(
    fc.property(durations, fc.constantFrom("480p", "720p", "1080p"), (duration, resolution) => {
      const body = { prompt: "x", duration, resolution };
      const quiet = readTaskParameters(tableOf(model("seedance-2")), body, () => ({ ok: true }));
      const loud = readTaskParameters(
        tableOf(model("seedance-2")),
        { ...body, generateAudio: true },
        () => ({ ok: true }),
      );
      assert.ok(quiet.ok && loud.ok);
      const price = priceOf(model("seedance-2").price, quiet.parameters);
      // Rounded up once, so twice a rounded price is at most one nano-rouble too much.
      const doubled = priceOf(model("seedance-2").price, loud.parameters);
      assert.ok(doubled === 2n * price || doubled === 2n * price - 1n);
      if (WITHOUT_FRACTION.test(String(duration)))
        assert.equal(price, BigInt(duration) * prices[resolution] * 1_000_000_000n);
    }),
  );
});
