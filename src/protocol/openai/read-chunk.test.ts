/**
 * Guarantee: every text that an upstream generates is seen, in whatever field, and an error never
 * counts as text (hazards §5, §6, §32, §36).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseEvent } from "../sse/split-events.ts";
import { readChunk, type ChatChunk } from "./read-chunk.ts";

const readText = (text: string) => readChunk(parseEvent(Buffer.from(text)));
const readData = (data: unknown) => readText(`data: ${JSON.stringify(data)}\n\n`);

function chunkOf(delta: object, rest: object = {}): ChatChunk {
  const reading = readData({
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, ...rest }],
  });
  assert.ok(reading.kind === "chunk");
  return reading;
}

test("generated text of every field, and whether anything was generated", () => {
  const table: [object, string, boolean][] = [
    [{ role: "assistant", content: "" }, "", false],
    [{ content: null }, "", false],
    [{}, "", false],
    [{ content: "привет" }, "привет", true],
    [{ content: " " }, " ", true],
    [{ refusal: "нет" }, "нет", true],
    [{ reasoning_content: "hm" }, "hm", true],
    [{ reasoning: "hm" }, "hm", true],
    [{ reasoning_content: "hm", reasoning: "hm" }, "hm", true],
    [
      {
        content: [
          { type: "text", text: "a" },
          { type: "thinking", thinking: [{ type: "text", text: "b" }] },
        ],
      },
      "ab",
      true,
    ],
    [{ tool_calls: [] }, "", false],
    [{ tool_calls: null, content: "x" }, "x", true],
    [
      {
        tool_calls: [
          { index: 0, id: "1", type: "function", function: { name: "f", arguments: "" } },
        ],
      },
      "f",
      true,
    ],
    [{ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }, '{"a"', true],
    [
      { tool_calls: [{ index: 0, function: { name: "f", arguments: { a: 1 } } }] },
      'f{"a":1}',
      true,
    ],
    [{ tool_calls: [{ index: 0, id: "1" }] }, "", true],
    [
      { tool_calls: [{ index: 0, type: "custom", custom: { name: "f", input: "abc" } }] },
      "fabc",
      true,
    ],
    [{ tool_calls: [null, 5] }, "", true],
    [{ function_call: { name: "f", arguments: "{}" } }, "f{}", true],
    [{ function_call: null }, "", false],
    [{ audio: { id: "a", transcript: "да" } }, "да", true],
    [{ audio: { data: "AAAA" } }, "", true],
    [{ audio: { expires_at: 1 } }, "", false],
    [{ content: 5 }, "", false],
  ];
  for (const [delta, text, hasContent] of table) {
    const chunk = chunkOf(delta);
    assert.deepEqual([chunk.text, chunk.hasContent], [text, hasContent], JSON.stringify(delta));
  }
});

test("choices, finish reasons and usage", () => {
  const chunk = readData({
    choices: [
      { index: 1, delta: { content: "b" }, finish_reason: null },
      { index: 0, delta: { content: "a" }, finish_reason: "stop" },
      { delta: {}, finish_reason: "" },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  });
  assert.ok(chunk.kind === "chunk");
  assert.deepEqual(
    chunk.choices.map(({ index, text, finishReason }) => [index, text, finishReason]),
    [
      [1, "b", null],
      [0, "a", "stop"],
      [2, "", null],
    ],
  );
  assert.equal(chunk.text, "ba");
  assert.equal(chunk.finished, true);
  assert.equal(chunk.usage.kind, "valid");
  assert.equal(chunk.usageOnly, false);
});

test("the extra usage chunk is told from all others", () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const usageOnly = (data: object) => {
    const chunk = readData(data);
    return chunk.kind === "chunk" && chunk.usageOnly;
  };
  assert.equal(usageOnly({ choices: [], usage }), true);
  assert.equal(usageOnly({ usage }), true);
  assert.equal(usageOnly({ choices: [], usage: null }), false);
  assert.equal(
    usageOnly({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage }),
    false,
  );
});

test("done, comments and empty events", () => {
  assert.equal(readText("data: [DONE]\n\n").kind, "done");
  assert.equal(readText("data:[DONE]\n\n").kind, "done");
  for (const text of [
    ": OPENROUTER PROCESSING\n\n",
    "\n",
    "event: ping\n\n",
    "data:\n\n",
    "data: \n\n",
    'event: ping\ndata: {"type":"ping"}\n\n',
  ])
    assert.equal(readText(text).kind, "comment", text);
});

test("errors in every form, with the status that they amount to", () => {
  const table: [string, string, number | null][] = [
    [
      'data: {"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}',
      "slow down",
      429,
    ],
    ['data: {"error":{"message":"x","code":429}}', "x", 429],
    ['data: {"error":{"message":"x","code":"insufficient_quota"}}', "x", 402],
    ['data: {"error":{"message":"x","type":"overloaded_error"}}', "x", 503],
    ['data: {"error":{"message":"x","type":"server_error"}}', "x", 500],
    [
      'data: {"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}',
      "x",
      400,
    ],
    ['data: {"error":{"message":"x","type":"authentication_error"}}', "x", 401],
    ['data: {"error":{"message":"x","status":"UNAVAILABLE","code":503}}', "x", 503],
    ['data: {"error":"boom"}', "boom", null],
    ['data: {"error":true}', "The upstream reported an error without saying which.", null],
    ['event: error\ndata: {"message":"x","code":500}', "x", 500],
    [
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}',
      "busy",
      503,
    ],
    ["event: error\ndata: it broke", "it broke", null],
    ['data: {"object":"error","message":"x","code":40303}', "x", null],
    ['data: {"code":500,"msg":"x","success":false}', "x", 500],
    ['data: {"detail":[{"msg":"x"}]}', "x", null],
    [
      'data: {"id":"c","choices":[{"index":0,"delta":{"content":"text"},"finish_reason":"error"}],"error":{"code":502,"message":"cut"}}',
      "cut",
      502,
    ],
  ];
  for (const [text, message, status] of table) {
    const reading = readText(`${text}\n\n`);
    assert.ok(reading.kind === "error", text);
    assert.deepEqual([reading.message, reading.status], [message, status], text);
  }
});

test("an empty error is none, and no words beside an answer are one", () => {
  for (const words of [
    { choices: [], message: "x" },
    { usage: { prompt_tokens: 1, completion_tokens: 1 }, msg: "x" },
    { message: "queued" },
    { code: 0, message: "Success" },
  ])
    assert.equal(readData(words).kind, "chunk", JSON.stringify(words));
  for (const error of [null, false, "", 0])
    assert.equal(readData({ choices: [], error }).kind, "chunk");
});

test("what is no JSON object is garbage", () => {
  for (const text of ["data: <html>", "data: {", "data: null", "data: 5", "data: []"])
    assert.equal(readText(`${text}\n\n`).kind, "garbage", text);
});

test("nothing that an upstream can send makes the reader throw", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => void readData(value)));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => void readData({ choices: value, usage: value })),
  );
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) =>
        void readData({
          choices: [
            {
              index: value,
              delta: { tool_calls: [value], function_call: value, audio: value, content: value },
              finish_reason: value,
            },
          ],
        }),
    ),
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => void readData({ error: value })));
  const list = "[".repeat(50_000) + "]".repeat(50_000);
  assert.equal(
    readText(
      `data: {"choices":[{"index":0,"delta":{"content":${list},"tool_calls":[{"function":{"arguments":${list}}}]}}]}\n\n`,
    ).kind,
    "chunk",
  );
  assert.equal(
    readText(`data: {"error":${'{"message":'.repeat(50_000)}0${"}".repeat(50_000)}}\n\n`).kind,
    "error",
  );
  assert.equal(readText(`data: {"error":${list}}\n\n`).kind, "error");
});
