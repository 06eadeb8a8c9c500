/**
 * Guarantee: a body's mistakes are found without coercing anything, and told by the path of the
 * field.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { ChatRequestBody } from "./chat-request.ts";
import { createMistakeFinder } from "./find-mistakes.ts";

const find = createMistakeFinder(ChatRequestBody);
const ask = (rest: object) => ({ model: "m", messages: [{ role: "user", content: "x" }], ...rest });

test("types are never coerced: a number is not a text", () => {
  assert.deepEqual(find({ model: "m", messages: [{ role: "user", content: 1 }] }), [
    {
      param: "messages[0].content",
      code: "type",
      message: "'messages[0].content' must be a string, an array or null.",
    },
  ]);
  for (const wrong of [
    { stream: "true" },
    { temperature: "1" },
    { max_tokens: "5" },
    { n: true },
    { max_tokens: 1.5 },
  ]) {
    assert.equal(find(ask(wrong)).length, 1, JSON.stringify(wrong));
  }
});

test("ranges are those of contract §5", () => {
  for (const good of [{ temperature: 0 }, { temperature: 2 }, { max_tokens: 1 }, { n: 128 }])
    assert.deepEqual(find(ask(good)), [], JSON.stringify(good));
  for (const bad of [
    { temperature: -0.1 },
    { temperature: 2.1 },
    { max_tokens: 0 },
    { n: 0 },
    { n: 129 },
    { messages: [] },
    { model: "" },
  ]) {
    assert.equal(find(ask(bad)).length, 1, JSON.stringify(bad));
  }
});

test("null stands for not set, unknown fields and roles of newer clients pass", () => {
  const body = ask({
    temperature: null,
    max_tokens: null,
    n: null,
    stream: null,
    stream_options: null,
    tools: [{ type: "function", function: { name: "f", description: null, parameters: null } }],
    seed: "anything",
    made_up: { deep: [1, null] },
    messages: [
      {
        role: "developer",
        content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "assistant", tool_calls: null },
      { role: "tool", tool_call_id: "c", content: "4" },
      { role: "function", name: "f", content: "4" },
      {
        role: "user",
        content: [
          { type: "video_url", video_url: { url: "https://x" } },
          { type: "text", text: "y", image_url: null },
        ],
      },
    ],
  });
  assert.deepEqual(find(body), []);
});

test("every mistake is listed, in the order of the schema", () => {
  const params = find({ messages: [{ role: "boss" }, 3], temperature: 9 }).map(
    ({ param }) => param,
  );
  assert.deepEqual(params, ["model", "messages[0].role", "messages[1]", "temperature"]);
});

test("names with the signs of a JSON pointer are told as they are", () => {
  const odd = createMistakeFinder(Type.Object({ "a/b~c": Type.String() }));
  assert.equal(odd({ "a/b~c": 1 })[0]?.param, "a/b~c");
});

test("what is no object at all is told as the body", () => {
  for (const body of [null, 1, "x", []])
    assert.equal(find(body)[0]?.message, "The body must be an object.");
});

test("a bound that was broken is named beside the sentence, for pages that write their own", () => {
  const bounds = createMistakeFinder(
    Type.Object({
      name: Type.String({ minLength: 2 }),
      rpm: Type.Integer({ minimum: 1 }),
      period: Type.Enum(["day", "month"]),
    }),
  );
  assert.deepEqual(
    bounds({ name: "", rpm: 0, period: "year" }).map(({ param, code, params }) => [
      param,
      code,
      params,
    ]),
    [
      ["name", "minLength", { limit: 2 }],
      ["rpm", "minimum", { limit: 1 }],
      ["period", "enum", { values: "day, month" }],
    ],
  );
});
