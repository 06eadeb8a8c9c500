/**
 * Guarantee: the published schema allows what is accepted and refuses what is refused, but for what
 * JSON Schema cannot say; and forms find their annotations.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMistakeFinder } from "../find-mistakes.ts";
import { readTaskParameters } from "./read-task-parameters.ts";
import { TASK_SCHEMAS, taskSchema } from "./task-schema.ts";
import type { TaskTable } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

type Json = Record<string, unknown>;

/** What only the reader can judge. */
const BEYOND_SCHEMA = new Set(["combination", "characters", "raw_bytes"]);

function propertiesOf(table: TaskTable): Record<string, Json> {
  return (taskSchema(table) as unknown as { properties: Record<string, Json> }).properties;
}

test("there is a schema for each table under its name, closed, plain JSON, with the examples", () => {
  assert.deepEqual(
    Object.keys(TASK_SCHEMAS),
    [...TASK_TABLES.keys()].map((id) => `Task${id}`),
  );
  for (const [id, table] of TASK_TABLES) {
    const schema = TASK_SCHEMAS[`Task${id}`] as unknown as Json;
    assert.equal(schema["additionalProperties"], false);
    assert.deepEqual(schema["examples"], [table.examples.minimal, table.examples.full]);
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), structuredClone({ ...schema }));
    const required = Object.entries(table.parameters).filter(
      ([, parameter]) => parameter.required === true,
    );
    assert.deepEqual(
      schema["required"] ?? [],
      required.map(([name]) => name),
    );
    for (const { says } of table.rules)
      assert.ok(String(schema["description"]).includes(says.message));
  }
});

test("a form finds what a media parameter takes, its words in Russian, its default", () => {
  for (const table of TASK_TABLES.values()) {
    const properties = propertiesOf(table);
    for (const [name, parameter] of Object.entries(table.parameters)) {
      const property = properties[name] ?? {};
      if (parameter.kind === "url" || parameter.kind === "urls")
        assert.deepEqual(property["x-media"], parameter.media);
      assert.deepEqual(property["x-ru"], {
        title: parameter.title.ru,
        description: parameter.description.ru,
      });
      assert.equal(property["default"], "default" in parameter ? parameter.default : undefined);
    }
  }
});

test("changing a schema that was handed out changes no table", () => {
  const [table] = TASK_TABLES.values();
  assert.ok(table !== undefined);
  const positions = (): unknown => propertiesOf(table)["subsPosition"]?.["enum"];
  const before = structuredClone(positions());
  (positions() as string[]).push("everywhere");
  assert.deepEqual(positions(), before);
});

test("schema and reader agree about any body", () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      1,
      3,
      4,
      5,
      15,
      16,
      30,
      31,
      -1,
      0.5,
      2.5,
      1e300,
      "",
      "x",
      "5",
      "10",
      "720p",
      "1K",
      "auto",
    ),
    fc.constantFrom<unknown>(
      [],
      {},
      ["x"],
      [5],
      [null],
      Array.from({ length: 20 }, () => "x"),
      "x".repeat(2600),
      "x".repeat(20_001),
    ),
    fc.constantFrom<unknown>(
      [{ prompt: "a", duration: 5 }],
      [{ url: "x", start: 0, ends: 5 }],
      [{ name: "a" }],
      [{ prompt: "a", other: 1 }],
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  for (const table of TASK_TABLES.values()) {
    const find = createMistakeFinder(taskSchema(table));
    const name = fc.constantFrom(...Object.keys(table.parameters), "other", "__proto__");
    const body = fc.record({
      base: fc.constantFrom(table.examples.minimal, table.examples.full),
      changes: fc.array(fc.tuple(name, value), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(body, ({ base, changes }) => {
        const changed: Json = { ...base };
        for (const [param, given] of changes)
          Object.defineProperty(changed, param, {
            value: given,
            enumerable: true,
            configurable: true,
            writable: true,
          });
        // What is a usable URL is the fetch's to say; here it is what the schema can say.
        const reading = readTaskParameters(table, changed, (url) =>
          /^https?:\/\//i.test(url) && url.length <= 2048
            ? { ok: true }
            : { ok: false, rule: "not_a_url", message: "No." },
        );
        const inSchema = find(changed).length === 0;
        if (!reading.ok && reading.mistakes.every(({ code }) => BEYOND_SCHEMA.has(code))) return;
        assert.equal(inSchema, reading.ok, JSON.stringify([reading, find(changed)]).slice(0, 600));
      }),
      { numRuns: 300 },
    );
  }
});
