/**
 * Guarantee: an event that is renamed by what is known of the one before it is the same as one that
 * was looked through.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ModelRenamer } from "./model-renamer.ts";
import { renameModel } from "./rename-model.ts";

const MODEL = '"model":"old"';
const inside = fc.constantFrom(
  "",
  "a",
  "old",
  'model\\":\\"old',
  ',\\"model\\":\\"old\\"',
  "{",
  "}",
  '\\"',
  "\\\\",
  "ё🙂",
);
const spaces = fc.constantFrom("", " ", "\n");
/** Members around the model's: a text, another object that names a model, what looks like it. */
const member = fc.oneof(
  inside.map((text) => `"text":"${text}"`),
  inside.map((text) => `"choices":[{"model":"old","content":"${text}"}]`),
  fc.constant(`"model2":"old"`),
  fc.constant(`"n":{${MODEL}}`),
);
const named = fc.constantFrom(
  MODEL,
  MODEL,
  '"model": "old"',
  '"model":"other"',
  // The name that it is to have.
  String.raw`"model":"a \"new\" ё"`,
  String.raw`"mod\u0065l":"old"`,
);
const event = fc
  .tuple(fc.array(member, { maxLength: 2 }), named, fc.array(member, { maxLength: 2 }), spaces)
  .map(
    ([before, model, after, space]) =>
      `data: {${[...before, model, ...after].join(`,${space === "\n" ? "" : space}`)}}\n\n`,
  );

test("whatever an event says, and whichever came before it, it differs in the model's name only", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const renamer = new ModelRenamer('a "new" ё');
      for (const text of events) {
        const bytes = Buffer.from(text);
        assert.equal(renamer.rename(bytes).toString(), renameModel(bytes, 'a "new" ё').toString());
        assert.equal(bytes.toString(), text, "the bytes that came stay as they are");
      }
    }),
    { numRuns: 3000 },
  );
});

test("an event that names no model stays as it is", () => {
  const renamer = new ModelRenamer("new");
  for (const text of ["data: [DONE]\n\n", 'data: {"x":1}\n\n', ": ping\n\n"])
    assert.equal(renamer.rename(Buffer.from(text)).toString(), text);
});
