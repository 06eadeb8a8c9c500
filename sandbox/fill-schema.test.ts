/**
 * Generated values fit their schema: a client that validates tool arguments or structured answers
 * must accept them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/schema";
import { fillSchema } from "./fill-schema.ts";

const SCHEMAS: Record<string, Record<string, unknown>> = {
  scalars: {
    type: "object",
    properties: {
      city: { type: "string", minLength: 20, maxLength: 30 },
      short: { type: "string", maxLength: 3 },
      unit: { enum: ["c", "f"] },
      fixed: { const: 7 },
      days: { type: "integer", minimum: 3, maximum: 9 },
      step: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 },
      below: { type: "integer", maximum: -4 },
      sure: { type: "boolean" },
      nothing: { type: "null" },
      code: { type: "string", pattern: "^[a-z]{3}$" },
    },
    required: ["city", "unit", "days"],
    additionalProperties: false,
  },
  arrays: {
    type: "object",
    properties: {
      tags: { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
      pair: { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], items: false },
      none: { type: "array", maxItems: 0 },
    },
    required: ["tags", "pair", "none"],
  },
  unions: {
    type: "object",
    properties: {
      maybe: { anyOf: [{ type: "null" }, { type: "integer" }] },
      either: {
        oneOf: [
          { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
          { type: "string" },
        ],
      },
      nullable: { type: ["null", "string"] },
    },
    required: ["maybe", "either", "nullable"],
  },
  merged: {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
    ],
  },
  recursive: {
    $defs: {
      node: {
        type: "object",
        properties: {
          value: { type: "integer" },
          next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
        },
        required: ["value", "next"],
      },
    },
    $ref: "#/$defs/node",
  },
  tree: {
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
    required: ["name", "children"],
  },
};

for (const [name, schema] of Object.entries(SCHEMAS)) {
  test(`a value for ${name} is valid and always the same`, () => {
    const validator = Compile(schema);
    for (const variant of [0, 1]) {
      const value = fillSchema(schema, variant);
      assert.ok(validator.Check(value), JSON.stringify(value));
      assert.deepEqual(fillSchema(structuredClone(schema), variant), value);
    }
  });
}

test("a second variant differs, so parallel calls of one tool are told apart", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  assert.notDeepEqual(fillSchema(schema, 0), fillSchema(schema, 1));
});

test("what is no schema and what never ends still gives a value", () => {
  for (const odd of [
    null,
    true,
    1,
    [],
    { $ref: "#/nowhere" },
    { $ref: "#" },
    { type: "object", properties: { __proto__: { type: "string" } } },
  ]) {
    assert.doesNotThrow(() => JSON.stringify(fillSchema(odd)));
  }
  const branches = Object.fromEntries(Array.from("abcdefgh", (name) => [name, { $ref: "#" }]));
  const optional = { type: "object", properties: branches };
  assert.ok(Compile(optional).Check(fillSchema(optional)));
  const endless = { ...optional, required: Object.keys(branches) };
  for (const schema of [optional, endless])
    assert.ok(JSON.stringify(fillSchema(schema)).length < 200_000);
});
