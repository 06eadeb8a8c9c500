/**
 * Guarantee, over random bodies: a valid body with one place changed has exactly that mistake,
 * several changes have all of theirs, and reading is a pure function.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkUrl } from "../../net/check-url.ts";
import { readTaskParameters } from "./read-task-parameters.ts";
import type { TaskParameter } from "./task-parameter.ts";
import type { TaskTable } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

const read = (table: TaskTable, body: unknown): ReturnType<typeof readTaskParameters> =>
  readTaskParameters(table, body, (url) => checkUrl(url, { allow: [] }));

interface Spoiled {
  readonly value: unknown;
  /** Where below the parameter, and which. */
  readonly at: string;
  readonly code: string;
}

const wrongType = (...values: unknown[]): fc.Arbitrary<Spoiled> =>
  fc.constantFrom(...values.map((value) => ({ value, at: "", code: "type" })));
const badUrl = fc.constantFrom<readonly [unknown, string]>(
  ["blob:https://a.example/1", "blob_url"],
  ["data:image/png;base64,AAAA", "data_url"],
  ["file:///etc/passwd", "file_url"],
  ["http://10.0.0.1/a", "address_not_public"],
  [[255, 216, 255], "raw_bytes"],
  [true, "type"],
);

/** Values that this parameter never takes, each with the one mistake that it makes. */
function spoil(parameter: TaskParameter): fc.Arbitrary<Spoiled> {
  const missing =
    parameter.required === true
      ? [fc.constant<Spoiled>({ value: null, at: "", code: "required" })]
      : [];
  switch (parameter.kind) {
    case "text": {
      const long = fc.integer({ min: 1, max: 50 }).map((more): Spoiled => ({
        value: "y".repeat(parameter.maxLength + more),
        at: "",
        code: "maxLength",
      }));
      return fc.oneof(wrongType(5, true, {}, []), long, ...missing);
    }
    case "number":
    case "integer": {
      const { min, max } = parameter;
      const outside = [
        ...(min === undefined
          ? []
          : [
              fc
                .integer({ min: 1, max: 1000 })
                .map((less): Spoiled => ({ value: min - less / 7, at: "", code: "minimum" })),
            ]),
        ...(max === undefined
          ? []
          : [
              fc
                .integer({ min: 1, max: 1000 })
                .map((more): Spoiled => ({ value: max + more / 7, at: "", code: "maximum" })),
            ]),
      ];
      return fc.oneof(wrongType("5", true, {}, [5]), ...outside, ...missing);
    }
    case "flag":
      return fc.oneof(wrongType("true", 0, {}, [true]), ...missing);
    case "choice": {
      const other = fc.string().filter((value) => !parameter.values.includes(value));
      return fc.oneof(
        wrongType(5, true, {}),
        other.map((value): Spoiled => ({ value, at: "", code: "enum" })),
        ...missing,
      );
    }
    case "url":
      return fc.oneof(
        badUrl.map(([value, code]): Spoiled => ({ value, at: "", code })),
        ...missing,
      );
    case "urls": {
      const [min, max] = parameter.count;
      const good = (index: number): string => `https://a.example.org/${index}`;
      const many = fc.constant<Spoiled>({
        value: Array.from({ length: max + 1 }, (_, index) => good(index)),
        at: "",
        code: "maxItems",
      });
      const one = fc
        .tuple(fc.integer({ min: 0, max: max - 1 }), badUrl)
        .map(([place, [value, code]]): Spoiled => {
          const list = Array.from({ length: Math.max(min, place + 1) }, (_, index) =>
            index === place ? value : good(index),
          );
          return { value: list, at: `[${place}]`, code };
        });
      return fc.oneof(wrongType({}, 5, true), many, one, ...missing);
    }
    case "texts":
    case "objects":
      return fc.oneof(
        wrongType({}, 5, "x"),
        fc.constant<Spoiled>({ value: [7], at: "[0]", code: "type" }),
        fc.constant<Spoiled>({
          value: Array.from({ length: parameter.count[1] + 1 }, () => 7),
          at: "",
          code: "maxItems",
        }),
      );
  }
}

/**
 * Over a list's count the first items are still looked at, so a list of sevens makes a mistake for
 * each.
 */
function onlyOwn(
  reported: readonly { param: string; code: string }[],
  param: string,
): { param: string; code: string }[] {
  return reported
    .filter((mistake) => mistake.param === param || !mistake.param.startsWith(`${param}[`))
    .map(({ param: at, code }) => ({ param: at, code }));
}

for (const table of TASK_TABLES.values()) {
  const names = Object.keys(table.parameters);

  test(`${table.id}: a valid body with one parameter spoiled has exactly that mistake`, () => {
    const spoiled = fc.constantFrom(...names).chain((name) => {
      const parameter = table.parameters[name];
      assert.ok(parameter !== undefined);
      return fc.tuple(
        fc.constantFrom(table.examples.minimal, table.examples.full),
        fc.constant(name),
        spoil(parameter),
      );
    });
    fc.assert(
      fc.property(spoiled, ([base, name, { value, at, code }]) => {
        const body = { ...base, [name]: value };
        const before = structuredClone(body);
        const reading = read(table, body);
        assert.ok(!reading.ok, JSON.stringify({ [name]: value }).slice(0, 200));
        const reported =
          at === ""
            ? onlyOwn(reading.mistakes, name)
            : reading.mistakes.map((mistake) => ({ param: mistake.param, code: mistake.code }));
        assert.deepEqual(reported, [{ param: `${name}${at}`, code }]);
        assert.deepEqual(body, before);
        assert.deepEqual(read(table, body), reading);
      }),
      { numRuns: 200 },
    );
  });

  test(`${table.id}: all parameters spoiled at once are all told, and unknown ones beside them`, () => {
    const all = fc.tuple(...names.map((name) => spoil(table.parameters[name] as TaskParameter)));
    fc.assert(
      fc.property(all, fc.stringMatching(/^[a-z_]{1,20}$/), (spoiled, other) => {
        fc.pre(!names.includes(other));
        const body = {
          ...Object.fromEntries(spoiled.map(({ value }, index) => [names[index], value])),
          [other]: 1,
        };
        const reading = read(table, body);
        const reported = new Set(
          reading.ok ? [] : reading.mistakes.map(({ param, code }) => `${param} ${code}`),
        );
        for (const [index, { at, code }] of spoiled.entries())
          assert.ok(reported.has(`${names[index]}${at} ${code}`), `${names[index]}${at} ${code}`);
        assert.ok(reported.has(`${other} unknown_parameter`));
      }),
      { numRuns: 50 },
    );
  });

  test(`${table.id}: no body whatever makes the reader throw, and what it accepts reads the same again`, () => {
    const anything = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc
        .dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }))
        .map((changes) => ({ ...table.examples.minimal, ...changes })),
      fc.subarray(names).map((left) => ({
        ...table.examples.minimal,
        ...Object.fromEntries(left.map((name) => [name, table.examples.full[name] ?? null])),
      })),
    );
    fc.assert(
      fc.property(anything, (body) => {
        const reading = read(table, body);
        if (reading.ok) assert.deepEqual(read(table, reading.parameters), reading);
        else assert.ok(reading.mistakes.length > 0);
      }),
      { numRuns: 200 },
    );
  });
}
