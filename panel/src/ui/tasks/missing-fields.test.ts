/**
 * Protects: a form asks for its price when, and only when, everything is given that the tables
 * require.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PanelTaskField } from "../../../../src/contract/panel/panel-model.ts";
import { missingFields } from "./missing-fields.ts";

const words = { en: "", ru: "" };
const plain = { title: words, description: words, advanced: false };
const FIELDS: readonly PanelTaskField[] = [
  { ...plain, name: "prompt", kind: "text", required: true },
  { ...plain, name: "duration", kind: "integer", required: false, default: 5 },
  {
    ...plain,
    name: "elements",
    kind: "objects",
    required: false,
    fields: [
      { ...plain, name: "name", kind: "text", required: true },
      { ...plain, name: "urls", kind: "urls", required: false },
    ],
  },
];

const paramsOf = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  missingFields(FIELDS, values).map(({ param }) => param);

test("what is required is missed beside other values, too", () => {
  assert.deepEqual(missingFields(FIELDS, { duration: 6 }), [
    { param: "prompt", code: "required", message: "'prompt' is required.", params: {} },
  ]);
  assert.deepEqual(paramsOf({ prompt: null }), ["prompt"]);
  assert.deepEqual(paramsOf({ prompt: "A gate." }), []);
  assert.deepEqual(
    paramsOf({ prompt: "A gate.", duration: Number.NaN }),
    ["duration"],
    "a number that its field could not read",
  );
});

test("listed objects are held to their own fields, at their own places", () => {
  assert.deepEqual(
    paramsOf({ prompt: "A gate.", elements: [{ name: "gate" }, {}, { urls: [] }] }),
    ["elements[1].name", "elements[2].name"],
  );
  assert.deepEqual(
    paramsOf({ prompt: "A gate.", elements: true }),
    [],
    "the flag that some tables take instead",
  );
});
