/** Guarantee: an answer under another model's name differs in that name only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renameModel } from "./rename-model.ts";

function renamed(text: string, within?: string): string {
  return renameModel(Buffer.from(text), "new", within).toString();
}

test("the model's value is replaced wherever it stands, and no other byte", () => {
  const table: [string, string][] = [
    ['{"id":1,"model":"old","n":1.0}', '{"id":1,"model":"new","n":1.0}'],
    ['data: { "model" : null }\n\n', 'data: { "model" : "new" }\n\n'],
    ['{"model":"a","model":"b"}', '{"model":"new","model":"new"}'],
    [String.raw`{"mod\u0065l":"a"}`, String.raw`{"mod\u0065l":"new"}`],
    ['{"Model":"a","MODEL":"b"}', '{"Model":"a","MODEL":"b"}'],
    ['{"x":{"model":"a"}}', '{"x":{"model":"a"}}'],
    ['{"model":"cut', '{"model":"cut'],
    ["[DONE]", "[DONE]"],
  ];
  for (const [before, after] of table) assert.equal(renamed(before), after);
});

test("within another object only that one's model is replaced", () => {
  assert.equal(
    renamed('{"model":"a","message":{"model":"b"}}', "message"),
    '{"model":"a","message":{"model":"new"}}',
  );
  assert.equal(
    renamed('{"Message":{"model":"b"},"message":null}', "message"),
    '{"Message":{"model":"b"},"message":null}',
  );
});
