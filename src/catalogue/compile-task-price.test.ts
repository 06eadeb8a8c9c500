/**
 * Guards the price of a task model: it speaks only of what its table can have, so that a slip of
 * the pen never sells for too little.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { mistakeLine } from "./live-catalogue.ts";

/** The mistakes of a price of a table, without their place in the file. */
function reported(price: string, table = "T9"): string[] {
  const source = `
upstreams: { media: { protocol: kie, baseUrl: "https://kie.example", apiKeyEnv: KEY } }
models: { video: { type: task, parameters: ${table}, price: ${price}, routes: [ { upstream: media, model: m } ] } }
`;
  const reading = readCatalogue(source, { KEY: "x" });
  return reading.ok
    ? []
    : reading.mistakes.map((mistake) =>
        mistakeLine(mistake).replace("line 3: models.video.price.", ""),
      );
}

test("a task's price multiplies only by numbers that are always there, and knows only values that exist", () => {
  const per = (quantity: string): string => `{ unit: second, quantity: ${quantity}, amount: 1 }`;
  assert.deepEqual(reported(per("duration")), []);
  assert.deepEqual(reported(per("duration"), "T7"), [], "a choice among numbers");
  assert.deepEqual(reported(per("maxImages"), "T4"), []);
  assert.deepEqual(reported(per("prompt")), [
    'quantity: "prompt" is no number, so nothing can be multiplied by it',
  ]);
  assert.deepEqual(reported(per("resolution")), [
    'quantity: "resolution" is no number, so nothing can be multiplied by it',
  ]);
  assert.deepEqual(reported(per("seed"), "T4"), [
    'quantity: "seed" may be left out of a request, which then would have no price',
  ]);

  const by = (parameter: string, values: string): string =>
    `{ unit: second, quantity: 1, amount: { by: ${parameter}, values: { ${values} } } }`;
  assert.deepEqual(reported(by("resolution", "480p: 1, 720p: 2")), [], "1080p is not sold");
  assert.deepEqual(reported(by("resolution", "480p: 1, 720: 2, 4k: 3")), [
    'amount.values.720: "resolution" is never "720"; did you mean "720p"?',
    'amount.values.4k: "resolution" is never "4k"; known: 480p, 720p, 1080p',
  ]);
  assert.deepEqual(reported(by("generateAudio", "true: 1, false: 2")), []);
  assert.deepEqual(reported(by("generateAudio", "yes: 1")), [
    'amount.values.yes: "generateAudio" is never "yes"; known: true, false',
  ]);
  assert.deepEqual(reported(by("duration", "3: 1, 30: 2"), "T5"), []);
  assert.deepEqual(reported(by("duration", "31: 1"), "T5").length, 1);
  assert.deepEqual(reported(by("prompt", "cat: 1")), [
    'amount.by: "prompt" has no list of values, so an amount cannot be looked up by it',
  ]);
  assert.deepEqual(
    reported(
      "{ unit: second, quantity: 1, amount: 1, multiply: [ { when: { generateAudio: on }, by: 2 } ] }",
    ),
    ['multiply[0].when.generateAudio: "generateAudio" is never "on"; known: true, false'],
  );
});
