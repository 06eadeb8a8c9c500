/** Guarantee: a model is told to take and make what its prices and its form have, and no more. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listAccountModels } from "../../../../src/business/panel/account/list-account-models.ts";
import { parseCatalogue } from "../../../../src/catalogue/parse-catalogue.ts";
import { modesOf } from "./model-modes.ts";

const source = readFileSync(join(import.meta.dirname, "../../../../catalogue.yaml"), "utf8");

function modesIn(catalogue: string): Readonly<Record<string, string>> {
  const reading = parseCatalogue(catalogue, {
    SANDBOX_URL: "http://127.0.0.1:1",
    SANDBOX_API_KEY: "x",
  });
  assert.ok(reading.ok);
  const { data } = listAccountModels({ version: 1, catalogue: reading.catalogue });
  return Object.fromEntries(
    data.map((model) => {
      const { takes, makes } = modesOf(model);
      return [model.id, `${takes.join(" ")} > ${makes.join(" ")}`];
    }),
  );
}

test("tasks by their forms, calls by their kind, chats by what has a price", () => {
  const modes = modesIn(source);
  assert.equal(modes["sandbox-small"], "text > text");
  assert.equal(modes["sandbox-speech"], "text > audio");
  assert.equal(modes["sandbox-transcription"], "audio > text");
  assert.equal(modes["autocaption"], "video > video");
  assert.equal(modes["flux-2"], "text image > image");
  assert.equal(modes["kling-2.6/motion-control"], "text image video > video");
  assert.equal(modes["kling/ai-avatar-standard"], "text image audio > video");
  const dearer = source.replace(
    'input: "9", cachedInput',
    'input: "9", audioInput: "20", imageOutput: "70", cachedInput',
  );
  assert.notEqual(dearer, source);
  assert.equal(modesIn(dearer)["sandbox-small"], "text audio > text image");
});
