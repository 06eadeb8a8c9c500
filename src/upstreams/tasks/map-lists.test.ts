/**
 * Guarantee: what a description appends to a list has one order, that of the parameter table, so
 * that an operator can foresee the call.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { readTaskParameters } from "../../contract/tasks/read-task-parameters.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { mapParameters } from "./map-parameters.ts";

const A = "https://f.example/a";
const B = "https://f.example/b";

test("what is appended to a list stands in the table's order, whatever the description's, behind its constants; flags and numbers have texts as keys", () => {
  const list = (name: string, more = ""): string =>
    `${name}: { to: /content/-, item: { kind: ${name} }, at: /value${more} }`;
  const reading = parseCatalogue(
    `
upstreams:
  own:
    protocol: http-task
    baseUrl: https://own.example
    apiKeyEnv: KEY
    task:
      submit: { path: /make, id: /id }
      poll: { path: "/tasks/{id}", state: { at: /done, values: { true: succeeded, 0: failed } }, result: { urls: /files } }
      tables:
        T9:
          constants: { /content: [first] }
          drop: [aspectRatio, resolution]
          fields:
            ${list("referenceImageUrls")}
            ${list("duration", ", values: { 5: five }")}
            ${list("generateAudio", ', values: { true: "with", "false": "without" }')}
            ${list("prompt")}
models:
  m: { type: task, parameters: T9, price: { unit: second, quantity: duration, amount: "1" }, routes: [{ upstream: own, model: m }] }
`,
    { KEY: "k" },
  );
  assert.ok(reading.ok, JSON.stringify(reading));
  const provider = reading.catalogue.upstreams.get("own")?.task;
  assert.ok(provider !== undefined);
  assert.deepEqual(
    [...provider.poll.state.values],
    [
      ["true", "succeeded"],
      ["0", "failed"],
    ],
  );
  const table = TASK_TABLES.get("T9");
  assert.ok(table !== undefined);
  const body = { referenceImageUrls: [B, A], generateAudio: false, duration: 5, prompt: "p" };
  const read = readTaskParameters(table, body, () => ({ ok: true }));
  assert.ok(read.ok);
  const made = mapParameters(provider, { table: "T9", model: "m", parameters: read.parameters });
  assert.deepEqual(made.kind === "mapped" && (made.input as { content: unknown }).content, [
    "first",
    { kind: "prompt", value: "p" },
    { kind: "duration", value: "five" },
    { kind: "generateAudio", value: "without" },
    { kind: "referenceImageUrls", value: B },
    { kind: "referenceImageUrls", value: A },
  ]);
});
