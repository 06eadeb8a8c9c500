/**
 * Guarantee: an answer that is read from its bytes comes to what its exact reading does, and one of
 * the usual kind is read so.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { renameModel } from "../json/rename-model.ts";
import { spliceBytes } from "../json/splice-bytes.ts";
import { isFailedFinish } from "./finish-words.ts";
import { readPlainCompletion } from "./plain-completion.ts";
import { readCompletion } from "./read-completion.ts";
import { usedOfCompletion } from "./read-used.ts";

const MESSAGE = { role: "assistant", content: 'Good\nmorning, "Пётр"', refusal: null };
const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
const ANSWER = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1760000000,
  model: "vendor/model",
  choices: [{ index: 0, message: MESSAGE, logprobs: null, finish_reason: "stop" }],
  usage: USAGE,
};

const bytesOf = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

/** Compares the readings, where it is read at all; whether it was. */
function isReadAlike(bytes: Buffer): boolean {
  const plain = readPlainCompletion(bytes);
  if (plain === null) return false;
  const exact = readCompletion(bytes);
  assert.ok(exact.kind === "completion", bytes.toString());
  const { usage, text, hasContent, finishReasons, data } = exact;
  assert.ok(!finishReasons.some((reason) => reason !== null && isFailedFinish(reason)));
  assert.deepEqual(
    {
      usage: plain.usage,
      text: plain.text,
      hasContent: plain.hasContent,
      finishReasons: [plain.finishReason],
      model: plain.model ?? undefined,
      used: plain.used,
      reportedUsage: plain.reportedUsage,
      data: plain.data,
    },
    {
      usage,
      text,
      hasContent,
      finishReasons,
      model: data["model"],
      used: usedOfCompletion(data),
      reportedUsage: data["usage"],
      data,
    },
  );
  const { modelAt } = plain;
  const splices = modelAt === null ? [] : [{ ...modelAt, text: '"new"' }];
  assert.deepEqual(spliceBytes(bytes, splices), renameModel(bytes, "new"));
  return true;
}

test("what usual upstreams answer is read from its bytes", () => {
  const [choice] = ANSWER.choices;
  const withMessage = (message: object) => ({ ...ANSWER, choices: [{ ...choice, message }] });
  const table: unknown[] = [
    ANSWER,
    JSON.stringify(ANSWER, null, 2),
    withMessage({ ...MESSAGE, content: "", annotations: [], tool_calls: [], audio: null }),
    withMessage({ ...MESSAGE, content: null, reasoning: null, reasoning_content: "" }),
    withMessage({ ...MESSAGE, content: "long ".repeat(500), provider_specific_fields: { a: [1] } }),
    { ...ANSWER, service_tier: "default", system_fingerprint: null, error: null },
    { ...ANSWER, service_tier: "priority", speed: null },
    { ...ANSWER, x_groq: { id: "req_1" }, usage: { ...USAGE, queue_time: 0.1, cost: 0.002 } },
    { ...ANSWER, usage: { ...USAGE, completion_tokens_details: { reasoning_tokens: 3 } } },
    { ...ANSWER, model: undefined },
    { ...ANSWER, choices: [{ ...choice, finish_reason: "length" }] },
    { ...ANSWER, choices: [{ ...choice, finish_reason: null }] },
    { ...ANSWER, choices: [{ ...choice, finish_reason: "" }] },
    { ...ANSWER, choices: [{}] },
  ];
  for (const value of table) assert.ok(isReadAlike(bytesOf(value)), JSON.stringify(value));
});

test("what is unusual is left to the exact reading", () => {
  const [choice] = ANSWER.choices;
  const text = JSON.stringify(ANSWER);
  const inMessage = (member: string) => text.replace('"role":', `${member},"role":`);
  const table: unknown[] = [
    ...["", "null", "[]", "{}", `${text}x`, text.slice(0, -1), `\u{FEFF}${text}`],
    ...["usage", "choices"].map((name) => ({ ...ANSWER, [name]: undefined })),
    ...["usage", "choices", "model"].map((name) => ({ ...ANSWER, [name]: null })),
    { ...ANSWER, usage: {} },
    { ...ANSWER, choices: [] },
    { ...ANSWER, choices: [choice, choice] },
    { ...ANSWER, choices: [null] },
    { ...ANSWER, choices: [{ ...choice, finish_reason: "error" }] },
    { ...ANSWER, choices: [{ ...choice, delta: { annotations: [{ type: "url_citation" }] } }] },
    { ...ANSWER, object: "error" },
    ...[{ message: "no" }, "no", [], true].map((error) => ({ ...ANSWER, error })),
    ...['"model":"a"', '"usage":{}', '"choices":[]', '"object":"error"'].map(
      (member) => `{${member},${text.slice(1)}`,
    ),
    text.replace('"model"', String.raw`"mod\u0065l"`),
    text.replace('"chat.completion"', String.raw`"\u0065rror"`),
    text.replace('"vendor/model"', String.raw`"vendor\/model"`),
    inMessage('"content":"more"'),
    inMessage(String.raw`"r\u0065fusal":"no"`),
    inMessage('"reasoning":"thought"'),
    inMessage('"reasoning_content":[{"text":"thought"}]'),
    inMessage('"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]'),
    inMessage('"function_call":{"name":"f"}'),
    inMessage('"audio":{"data":"aaaa"}'),
    inMessage('"annotations":[{"type":"url_citation"}]'),
    text.replace('"refusal":null', '"refusal":"no"'),
    text.replace(/"content":".*?[^\\]"/, '"content":[{"type":"text","text":"a"}]'),
    text.replace("Good", "Go\tod"),
  ];
  for (const value of table)
    assert.equal(readPlainCompletion(bytesOf(value)), null, JSON.stringify(value));
});

test("any answer, with any member anywhere, is read as by its exact reading", () => {
  const names = fc.constantFrom(
    ...["model", "usage", "object", "choices", "error", "service_tier", "speed", "inference_geo"],
    ...["message", "finish_reason", "delta", "content", "refusal", "annotations", "tool_calls"],
    ...["audio", "reasoning", "function_call", "reasoning_content", "x_groq", "index", "more"],
  );
  const values = fc.oneof(
    fc.constantFrom<unknown>(null, "", "a", [], {}, 0, true, "error", "stop", "abort", "fast"),
    fc.constantFrom<unknown>(USAGE, ANSWER.choices, [{ text: "a" }], { transcript: "a" }),
    fc.constantFrom<unknown>({ prompt_tokens: "5", completion_tokens: -1 }, { total_tokens: 0 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const places = fc.constantFrom('"id":', '"index":', '"role":', '"object":', '"logprobs":');
  let read = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(places, names, values), { maxLength: 3 }),
      fc.array(names, { maxLength: 2 }),
      fc.option(fc.tuple(fc.nat(), fc.constantFrom('"', ",", "}", "]", " ", "1", "\\", "\u0000"))),
      (added, renamed, broken) => {
        let text = JSON.stringify(ANSWER);
        for (const name of renamed) text = text.replaceAll(`"${name}":`, `"other":`);
        for (const [place, name, value] of added)
          text = text.replace(place, `${JSON.stringify(name)}:${JSON.stringify(value)},${place}`);
        if (broken !== null) {
          const at = broken[0] % text.length;
          text = text.slice(0, at) + broken[1] + text.slice(at + 1);
        }
        if (isReadAlike(Buffer.from(text))) read += 1;
      },
    ),
    { numRuns: 5000 },
  );
  assert.ok(read > 300, `only ${read} were read from their bytes`);
});
