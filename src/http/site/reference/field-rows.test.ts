/** Every field of a body has a row that names the way to it; what has a name of its own has none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiSchema } from "./api-document.ts";
import { fieldRows } from "./field-rows.ts";
import { typeWords } from "./type-words.ts";

const names = (schema: ApiSchema): readonly string[] =>
  fieldRows(schema).map(({ name, required }) => `${name}${required ? "!" : ""}`);
const words = (schema: ApiSchema): string => {
  const { parts, bounds } = typeWords(schema);
  const type = parts.map((part) => (typeof part === "string" ? part : `<${part.schema}>`)).join("");
  return bounds === "" ? type : `${type}, ${bounds}`;
};

const TEXT: ApiSchema = { type: "string" };
const NAMED: ApiSchema = { $ref: "#/components/schemas/Message" };

test("fields of objects and of lists are named by their way", () => {
  const part = { type: "object", required: ["text"], properties: { text: TEXT, of: NAMED } };
  assert.deepEqual(
    names({
      type: "object",
      required: ["messages"],
      properties: {
        messages: { type: "array", items: { type: "object", properties: { parts: list(part) } } },
        options: { type: ["object", "null"], properties: { on: { type: "boolean" } } },
      },
    }),
    [
      "messages!",
      "messages[].parts",
      "messages[].parts[].text!",
      "messages[].parts[].of",
      "options",
      "options.on",
    ],
  );
});

test("of several forms each is named by its type, or by its number; null is none of them", () => {
  const form = (type: string, field: string): ApiSchema => ({
    type: "object",
    properties: { type: { const: type }, [field]: TEXT },
  });
  assert.deepEqual(names({ anyOf: [form("a", "x"), { type: "null" }] }), ["type", "x"]);
  const delta = { anyOf: [form("a", "x"), form("b", "y")] };
  assert.deepEqual(names({ properties: { delta } }), [
    "delta",
    "delta(a).type",
    "delta(a).x",
    "delta(b).type",
    "delta(b).y",
  ]);
  const bare: ApiSchema = { type: "object", properties: { x: TEXT } };
  assert.deepEqual(names({ anyOf: [bare, form("b", "y")] }), ["(1).x", "(b).type", "(b).y"]);
});

test("a schema that refers to itself by its name ends", () => {
  assert.deepEqual(names({ type: "object", properties: { inner: list(NAMED) } }), ["inner"]);
});

test("what stands elsewhere on the page has a row, and its fields have none", () => {
  const answer: ApiSchema = { type: "object", properties: { id: TEXT } };
  const event: ApiSchema = { type: "object", properties: { answer, at: TEXT } };
  const rows = fieldRows(event, (schema) => schema === answer);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["answer", "at"],
  );
  assert.equal(fieldRows(answer, () => true).length, 1, "itself does not");
});

test("types and bounds are written in signs", () => {
  assert.equal(words({ type: ["integer", "null"], minimum: 1 }), "integer | null, ≥ 1");
  assert.equal(words({ ...TEXT, minLength: 1, maxLength: 256 }), "string, 1 … 256");
  assert.equal(words({ type: "integer", maximum: Number.MAX_SAFE_INTEGER }), "integer");
  assert.equal(words({ enum: ["a", 1, null] }), '"a" | 1 | null');
  assert.equal(words({ const: "list" }), '"list"');
  assert.equal(words(list(NAMED)), "<Message>[]");
  assert.equal(words({ type: ["string", "array"], items: TEXT }), "string | string[]");
  assert.equal(words({ anyOf: [NAMED, { type: "null" }] }), "<Message> | null");
  assert.equal(words({ ...TEXT, format: "binary" }), "file");
  assert.equal(words({}), "any");
});

function list(items: ApiSchema): ApiSchema {
  return { type: "array", items };
}
