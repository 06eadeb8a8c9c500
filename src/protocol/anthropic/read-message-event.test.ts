/**
 * Guarantee: every text that an upstream generates is seen, in whatever block, and an error never
 * counts as text (hazards §5, §6, §32, §37).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseEvent } from "../sse/split-events.ts";
import { readMessageEvent, type MessageEvent } from "./read-message-event.ts";

const readText = (text: string) => readMessageEvent(parseEvent(Buffer.from(text)));
const readData = (data: unknown, name?: string) =>
  readText(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);

function eventOf(data: object): MessageEvent {
  const reading = readData(data);
  assert.ok(reading.kind === "event", JSON.stringify(reading));
  return reading;
}

test("generated text of every kind of block and delta, and whether anything was generated", () => {
  const begins: [object, string, boolean][] = [
    [{ type: "text", text: "" }, "", false],
    [{ type: "text", text: "привет" }, "привет", true],
    [{ type: "thinking", thinking: "", signature: "" }, "", false],
    [{ type: "thinking", thinking: "hm", signature: "" }, "hm", true],
    [{ type: "redacted_thinking", data: "AAAA" }, "", true],
    [{ type: "tool_use", id: "t", name: "f", input: {} }, "f", true],
    [{ type: "tool_use", id: "t", name: "f", input: { a: 1 } }, 'f{"a":1}', true],
    [{ type: "server_tool_use", id: "t", name: "web_search", input: {} }, "web_search", true],
    [{ type: "mcp_tool_use", id: "t", name: "f", server_name: "s", input: {} }, "f", true],
    [{ type: "web_search_tool_result", tool_use_id: "t", content: [{ title: "x" }] }, "", true],
    [{ type: "compaction", content: null }, "", false],
    [{ type: "made_up" }, "", true],
  ];
  for (const [block, text, hasContent] of begins) {
    const event = eventOf({ type: "content_block_start", index: 0, content_block: block });
    assert.deepEqual([event.text, event.hasContent], [text, hasContent], JSON.stringify(block));
  }
  const deltas: [object, string, boolean][] = [
    [{ type: "text_delta", text: "привет 👋" }, "привет 👋", true],
    [{ type: "text_delta", text: " " }, " ", true],
    [{ type: "text_delta", text: "" }, "", false],
    [{ type: "text_delta", text: 5 }, "", false],
    [{ type: "thinking_delta", thinking: "hm" }, "hm", true],
    [{ type: "input_json_delta", partial_json: '{"a"' }, '{"a"', true],
    [{ type: "input_json_delta", partial_json: "" }, "", false],
    [{ type: "signature_delta", signature: "AAAA" }, "", false],
    [{ type: "citations_delta", citation: { cited_text: "x" } }, "", true],
    [{ type: "compaction_delta", content: "summary" }, "summary", true],
    [{ type: "made_up_delta", text: "x" }, "x", true],
  ];
  for (const [delta, text, hasContent] of deltas) {
    const event = eventOf({ type: "content_block_delta", index: 0, delta });
    assert.deepEqual([event.text, event.hasContent], [text, hasContent], JSON.stringify(delta));
  }
  for (const silent of [
    { type: "message_start", message: { content: [] } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", text: "x" },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
    { type: "ping" },
    { type: "of_the_future", text: "x" },
  ]) {
    const event = eventOf(silent);
    assert.deepEqual([event.text, event.hasContent], ["", false], JSON.stringify(silent));
  }
});

test("the stop reason is that of message_delta", () => {
  assert.equal(
    eventOf({ type: "message_delta", delta: { stop_reason: "end_turn" } }).stopReason,
    "end_turn",
  );
  assert.equal(eventOf({ type: "message_delta", delta: { stop_reason: null } }).stopReason, null);
  assert.equal(eventOf({ type: "message_delta", delta: { stop_reason: "" } }).stopReason, null);
  assert.equal(
    eventOf({ type: "content_block_delta", delta: { stop_reason: "end_turn" } }).stopReason,
    null,
  );
});

test("the type is read from the data, else from the event line", () => {
  const typeOf = (reading: ReturnType<typeof readText>) =>
    reading.kind === "event" && [reading.type, reading.unnamed];
  assert.deepEqual(typeOf(readData({ type: "message_stop" }, "message_stop")), [
    "message_stop",
    false,
  ]);
  assert.deepEqual(typeOf(readData({ type: "message_stop" })), ["message_stop", true]);
  assert.deepEqual(typeOf(readData({}, "message_stop")), ["message_stop", false]);
  // Not a name that could go on a line of its own.
  assert.deepEqual(typeOf(readData({ type: "a\ndata: b" })), ["a\ndata: b", false]);
});

test("comments, events without data, and the end mark of another protocol say nothing", () => {
  for (const text of [
    ": hello\n\n",
    "\n",
    "event: ping\n\n",
    "data:\n\n",
    "data: \n\n",
    "data: [DONE]\n\n",
  ])
    assert.equal(readText(text).kind, "comment", text);
});

test("errors in every form, with the status that they amount to", () => {
  const vendor = (type: string) =>
    `event: error\ndata: {"type":"error","error":{"type":"${type}","message":"x"},"request_id":"req_1"}`;
  const table: [string, string, number | null][] = [
    [vendor("invalid_request_error"), "x", 400],
    [vendor("authentication_error"), "x", 401],
    [vendor("billing_error"), "x", 402],
    [vendor("permission_error"), "x", 403],
    [vendor("not_found_error"), "x", 404],
    [vendor("request_too_large"), "x", 413],
    [vendor("rate_limit_error"), "x", 429],
    [vendor("api_error"), "x", 500],
    [vendor("timeout_error"), "x", 504],
    [vendor("overloaded_error"), "x", 529],
    [vendor("made_up"), "x", null],
    ['data: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}', "busy", 529],
    [
      'data: {"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}',
      "slow down",
      429,
    ],
    ['data: {"type":"error","error":{"message":"x","code":503}}', "x", 503],
    ['data: {"type":"error"}', "The upstream reported an error without saying which.", null],
    ['data: {"error":"boom"}', "boom", null],
    ["event: error\ndata: it broke", "it broke", null],
    ['event: error\ndata: {"message":"x"}', "x", null],
    ['event: error\ndata: ["x"]', "x", null],
    [
      'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"t"},"error":{"message":"cut"}}',
      "cut",
      null,
    ],
  ];
  for (const [text, message, status] of table) {
    const reading = readText(`${text}\n\n`);
    assert.ok(reading.kind === "error", text);
    assert.deepEqual([reading.error.message, reading.error.status], [message, status], text);
  }
  const leak = readText(
    'event: error\ndata: {"type":"error","error":{"type":"authentication_error","message":"bad sk-ant-api03-AbCdEf123456"}}\n\n',
  );
  assert.ok(leak.kind === "error");
  assert.doesNotMatch(leak.error.message, /AbCdEf/);
});

test("an empty error is none", () => {
  for (const error of [null, false, "", 0])
    assert.equal(readData({ type: "ping", error }).kind, "event");
});

test("what is no event of this protocol is garbage", () => {
  for (const text of [
    "data: <html>",
    "data: {",
    "data: null",
    "data: 5",
    "data: []",
    "data: {}",
    'data: {"choices":[{"delta":{}}]}',
    'data: {"type":""}',
  ])
    assert.equal(readText(`${text}\n\n`).kind, "garbage", text);
});

test("nothing that an upstream can send makes the reader throw", () => {
  const types = fc.constantFrom(
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "error",
    "ping",
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => void readData(value)));
  fc.assert(
    fc.property(types, fc.jsonValue(), fc.jsonValue(), (type, value, other) => {
      readData({
        type,
        message: value,
        content_block: value,
        delta: value,
        usage: value,
        error: other,
      });
      readData({
        type,
        content_block: { type: other, text: value, name: value, input: value },
        delta: { type: other, text: value },
      });
      readData({ type: value, delta: { stop_reason: value } });
    }),
  );
  const list = "[".repeat(50_000) + "]".repeat(50_000);
  assert.equal(
    readText(
      `data: {"type":"content_block_start","content_block":{"type":"tool_use","name":"f","input":${list}}}\n\n`,
    ).kind,
    "event",
  );
  assert.equal(
    readText(
      `data: {"type":"error","error":${'{"message":'.repeat(50_000)}0${"}".repeat(50_000)}}\n\n`,
    ).kind,
    "error",
  );
});
