/**
 * Guarantee: every public body is described, its examples are true to it, and it is plain JSON
 * Schema.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMistakeFinder } from "./find-mistakes.ts";
import { PUBLIC_SCHEMAS } from "./public-schemas.ts";

type Json = Record<string, unknown>;

function eachSchema(node: unknown, visit: (schema: Json) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) visit(node as Json);
  for (const [name, child] of Object.entries(node))
    if (name !== "examples" && name !== "default") eachSchema(child, visit);
}

for (const [name, schema] of Object.entries(PUBLIC_SCHEMAS)) {
  test(`${name} has a description and keeps its shape as JSON`, () => {
    assert.equal(typeof (schema as unknown as Json)["description"], "string");
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), structuredClone({ ...schema }));
  });

  test(`the examples of ${name} are valid`, () => {
    eachSchema(schema, (part) => {
      const find = createMistakeFinder(part);
      for (const example of Array.isArray(part["examples"]) ? part["examples"] : []) {
        assert.deepEqual(find(example), [], `${name}: ${JSON.stringify(example)}`);
      }
    });
  });
}
