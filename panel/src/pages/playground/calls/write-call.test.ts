/** Protects: what is sent is what stands in the form, and nothing that was left to the model. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallField, ChosenFile } from "./call-field.ts";
import { bodyOf, identityOf, lackingOf, shownCall, writeCall } from "./write-call.ts";

const PARAMETERS: readonly CallField[] = [
  { name: "prompt", kind: "text", label: "imagePrompt", required: true },
  { name: "documents", kind: "lines", label: "documents", required: true },
  { name: "voice", kind: "word", label: "voice", first: "alloy" },
  { name: "size", kind: "choice", label: "size", values: ["", "small", "large"] },
  { name: "format", kind: "choice", label: "soundFormat", values: ["mp3", "wav"] },
  { name: "n", kind: "integer", label: "imageCount" },
  { name: "max_tokens", kind: "integer", label: "maxTokens", first: 200 },
  { name: "translate", kind: "switch", label: "translate" },
  { name: "image", kind: "files", label: "image", media: ["image"], most: 2 },
];
const chosen = (id: string, name: string): ChosenFile => ({ id, file: new File(["x"], name) });
const write = (values: Record<string, unknown>, path: "/rerank" | "/images/edits" = "/rerank") =>
  writeCall({
    path,
    model: "m",
    always: { response_format: "url" },
    parameters: PARAMETERS,
    values,
  });

test("an untouched form sends what stands in it from the start, and names what it lacks", () => {
  const first = { voice: "alloy", format: "mp3", max_tokens: 200, response_format: "url" };
  assert.deepEqual(write({}).fields, { model: "m", ...first });
  assert.deepEqual(lackingOf(PARAMETERS, {}), { missing: ["prompt", "documents"], unread: [] });
});

test("what was emptied, or is of another model, is left to the model", () => {
  const values = { prompt: " ", voice: "", size: "", format: "opus", n: null, max_tokens: null };
  assert.deepEqual(write(values).fields, { model: "m", format: "mp3", response_format: "url" });
});

test("lines are texts without the empty ones, and a figure that cannot be read is never sent", () => {
  const values = { prompt: "a\nb", documents: "one\n\n  two \n", n: Number.NaN, translate: true };
  const { fields } = write(values);
  assert.deepEqual(fields["documents"], ["one", "two"]);
  assert.equal(fields["prompt"], "a\nb");
  assert.ok(!("n" in fields) && !("translate" in fields));
  assert.deepEqual(lackingOf(PARAMETERS, values), { missing: [], unread: ["n"] });
});

test("a form has its files, named as OpenAI names one and several", () => {
  const one = write({ image: [chosen("1", "a.png")] }, "/images/edits");
  const two = write({ image: [chosen("1", "a.png"), chosen("2", "b.png")] }, "/images/edits");
  const sent = bodyOf(two);
  assert.ok(sent instanceof FormData);
  assert.deepEqual(
    sent.getAll("image[]").map((file) => (file as File).name),
    ["a.png", "b.png"],
  );
  assert.equal(sent.get("max_tokens"), "200");
  assert.ok((bodyOf(one) as FormData).has("image"));
  assert.equal(JSON.parse(shownCall(two))["image[]"], "a.png, b.png");
  const again = write({ image: [chosen("3", "a.png")] }, "/images/edits");
  assert.notDeepEqual(identityOf(one), identityOf(again), "another file of the same name");
});
