/**
 * Guarantee: an answer of another protocol reaches the official SDK as an answer of Anthropic
 * would, and says the same.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/support/frame-of.ts";
import { sdkMessage } from "../../../test/support/sdk-message.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, WireEvent } from "../chat-dialect.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { createEventReader as createChunkReader } from "../openai/events-from-frames.ts";
import { createMessagesWriter } from "./event-writer.ts";
import { renderMessageEvents } from "./render-events.ts";

const IDENTITY: AnswerIdentity = {
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1_763_712_000,
  model: "sandbox-large",
  answerModel: null,
  promptTokens: 7,
  includeUsage: true,
};
const USAGE = {
  ...NO_USAGE,
  inputTokens: 5,
  cachedInputTokens: 3,
  cacheWrite5mTokens: 2,
  cacheWrite1hTokens: 1,
  outputTokens: 4,
  reasoningTokens: 1,
};
const WIRE_USAGE = {
  input_tokens: 5,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 3,
  cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 1 },
  output_tokens: 4,
  output_tokens_details: { thinking_tokens: 1 },
  server_tool_use: null,
};

const START: NeutralEvent = { kind: "start", id: "chatcmpl-1", model: "gpt-x" };
const text = (piece: string): NeutralEvent => ({ kind: "text", text: piece });
const thinking = (piece: string): NeutralEvent => ({ kind: "thinking", text: piece });
const seal = (signature: string | null): NeutralEvent => ({ kind: "thinking-end", signature });
const toolStart = (call: number): NeutralEvent => ({
  kind: "tool-start",
  call,
  id: `call_${call}`,
  name: `tool_${call}`,
});
const json = (call: number, piece: string): NeutralEvent => ({
  kind: "tool-arguments",
  call,
  json: piece,
});
const finish = (
  reason: FinishReason = "stop",
  stopSequence: string | null = null,
): NeutralEvent => ({
  kind: "finish",
  reason,
  stopSequence,
});

/** The events of a whole answer, as they are after their way over the wire. */
function written(
  events: readonly NeutralEvent[],
  identity: Partial<AnswerIdentity> = {},
): WireEvent[] {
  const writer = createMessagesWriter({ ...IDENTITY, ...identity });
  return JSON.parse(
    JSON.stringify([...events.flatMap((event) => writer.write([event])), ...writer.end(USAGE)]),
  ) as WireEvent[];
}
const accumulated = (events: readonly NeutralEvent[]): Promise<Record<string, unknown>> =>
  sdkMessage(renderMessageEvents(written(events)));

const begin = (index: number, block: object): WireEvent => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, piece: object): WireEvent => ({
  type: "content_block_delta",
  index,
  delta: piece,
});
const textDelta = (index: number, piece: string): WireEvent =>
  delta(index, { type: "text_delta", text: piece });
const jsonDelta = (index: number, piece: string): WireEvent =>
  delta(index, { type: "input_json_delta", partial_json: piece });
const stop = (index: number): WireEvent => ({ type: "content_block_stop", index });
const MESSAGE_START: WireEvent = {
  type: "message_start",
  message: {
    id: "msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
    type: "message",
    role: "assistant",
    model: "gpt-x",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: {
      input_tokens: 7,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: null,
      output_tokens: 0,
      output_tokens_details: null,
      server_tool_use: null,
    },
  },
};
function messageEnd(
  reason: string,
  details: object | null = null,
  sequence: string | null = null,
): WireEvent[] {
  const ending = {
    stop_reason: reason,
    stop_sequence: sequence,
    stop_details: details,
    container: null,
  };
  return [{ type: "message_delta", delta: ending, usage: WIRE_USAGE }, { type: "message_stop" }];
}

test("a text, event by event", () => {
  assert.deepEqual(written([START, text("При"), text(""), text("вет 👋🏽"), finish()]), [
    MESSAGE_START,
    begin(0, { type: "text", text: "" }),
    textDelta(0, "При"),
    textDelta(0, "вет 👋🏽"),
    stop(0),
    ...messageEnd("end_turn"),
  ]);
});

test("thinking, text and a call are blocks of their own, each with the next index (hazards §34)", async () => {
  const events = [
    START,
    thinking("hm"),
    seal("EqQB"),
    text("a"),
    toolStart(0),
    json(0, '{"a":'),
    json(0, "1}"),
    text("b"),
    finish("tool-calls"),
  ];
  assert.deepEqual(written(events), [
    MESSAGE_START,
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "hm" }),
    delta(0, { type: "signature_delta", signature: "EqQB" }),
    stop(0),
    begin(1, { type: "text", text: "" }),
    textDelta(1, "a"),
    stop(1),
    begin(2, { type: "tool_use", id: "call_0", name: "tool_0", input: {} }),
    jsonDelta(2, '{"a":'),
    jsonDelta(2, "1}"),
    stop(2),
    begin(3, { type: "text", text: "" }),
    textDelta(3, "b"),
    stop(3),
    ...messageEnd("tool_use"),
  ]);
  assert.deepEqual((await accumulated(events))["content"], [
    { type: "thinking", thinking: "hm", signature: "EqQB" },
    { type: "text", text: "a" },
    { type: "tool_use", id: "call_0", name: "tool_0", input: { a: 1 } },
    { type: "text", text: "b" },
  ]);
});

test("thinking without a seal, hidden thinking, redacted thinking", async () => {
  const redacted: NeutralEvent = { kind: "redacted-thinking", data: "EmwK" };
  const events = [
    START,
    thinking("a"),
    seal(null),
    thinking("b"),
    text("c"),
    seal(null),
    seal("EqQB"),
    redacted,
    finish(),
  ];
  assert.deepEqual((await accumulated(events))["content"], [
    { type: "thinking", thinking: "a", signature: "" },
    { type: "thinking", thinking: "b", signature: "" },
    { type: "text", text: "c" },
    { type: "thinking", thinking: "", signature: "EqQB" },
    { type: "redacted_thinking", data: "EmwK" },
  ]);
});

test("the context's size is known from the first event, and the whole usage from the last (hazards §31)", async () => {
  const [start] = written([START, text("a"), finish()], { promptTokens: 48_000 });
  const { message } = start as { message: { usage: Record<string, unknown> } };
  assert.deepEqual([message.usage["input_tokens"], message.usage["output_tokens"]], [48_000, 0]);
  assert.deepEqual((await accumulated([START, text("a"), finish()]))["usage"], {
    ...WIRE_USAGE,
    // The SDK keeps the split that the start gave, so there must be none.
    cache_creation: null,
  });
});

test("empty deltas of an OpenAI upstream open nothing and lose nothing (hazards §32)", async () => {
  const read = createChunkReader();
  const deltas = [
    { role: "assistant", content: "", tool_calls: [] },
    { content: "Ёж", tool_calls: [] },
    { content: "", tool_calls: null },
    { content: null, reasoning_content: "" },
    { content: "ик 🦔", tool_calls: null, refusal: null },
    { tool_calls: [] },
  ];
  const events = deltas.flatMap((piece) =>
    read(
      frameOf({ id: "c", model: "m", choices: [{ index: 0, delta: piece, finish_reason: null }] }),
    ),
  );
  events.push(
    ...read(
      frameOf({ id: "c", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    ),
  );
  assert.deepEqual((await accumulated(events))["content"], [{ type: "text", text: "Ёжик 🦔" }]);
});

test("three calls whose pieces interleave are three blocks, in order (hazards §33)", async () => {
  const read = createChunkReader();
  const calls = (list: object[]): NeutralEvent[] =>
    read(frameOf({ choices: [{ index: 0, delta: { tool_calls: list }, finish_reason: null }] }));
  const piece = (index: number, args: string): object => ({ index, function: { arguments: args } });
  const events = [
    ...calls(
      [0, 1, 2].map((index) => ({
        index,
        id: `c${index}`,
        type: "function",
        function: { name: `f${index}`, arguments: "" },
      })),
    ),
    ...calls([piece(2, '{"n"'), piece(0, '{"n":')]),
    ...calls([piece(1, '{"n":1')]),
    ...calls([piece(0, '"ноль"}'), piece(2, ":2")]),
    ...calls([piece(2, "}")]),
    ...calls([piece(1, "}")]),
    ...read(frameOf({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] })),
  ];
  const message = await accumulated(events);
  assert.deepEqual(message["content"], [
    { type: "tool_use", id: "c0", name: "f0", input: { n: "ноль" } },
    { type: "tool_use", id: "c1", name: "f1", input: { n: 1 } },
    { type: "tool_use", id: "c2", name: "f2", input: { n: 2 } },
  ]);
  assert.equal(message["stop_reason"], "tool_use");
});

test("a call is written as it comes, and the next one as soon as its arguments are whole", () => {
  const writer = createMessagesWriter(IDENTITY);
  const say = (...events: NeutralEvent[]): WireEvent[] => writer.write(events);
  say(START, toolStart(0));
  assert.deepEqual(say(json(0, '{"a"')), [jsonDelta(0, '{"a"')]);
  assert.deepEqual(say(toolStart(1), json(1, '{"b":2}')), [], "the first may still go on");
  assert.deepEqual(say(json(0, ":1}")), [
    jsonDelta(0, ":1}"),
    stop(0),
    begin(1, { type: "tool_use", id: "call_1", name: "tool_1", input: {} }),
    jsonDelta(1, '{"b":2}'),
  ]);
  assert.deepEqual(say(json(0, " "), json(1, "\n")), []);
  assert.deepEqual(say(text("a")), [
    stop(1),
    begin(2, { type: "text", text: "" }),
    textDelta(2, "a"),
  ]);
});

test("arguments that are no object do not break the stream (hazards §36)", async () => {
  const table: [string[], unknown][] = [
    [[], {}],
    [[""], {}],
    [["{", "}"], {}],
    [["null"], {}],
    [['"ls"'], { arguments: '"ls"' }],
    [["[1,", " 2]"], { arguments: "[1, 2]" }],
    [["ls ", "-la"], { arguments: "ls -la" }],
    [['{"a": 1', ', "b": "x'], { a: 1 }],
    [['{"a": 1, ', "b: 2}"], { a: 1 }],
    [['{"a": "две\n', 'строки"}'], { a: "две\nстроки" }],
    [['{"a":1}', '{"a":1}'], { a: 1 }],
  ];
  for (const [pieces, input] of table) {
    const message = await accumulated([
      START,
      toolStart(0),
      ...pieces.map((piece) => json(0, piece)),
      text("!"),
      finish("tool-calls"),
    ]);
    assert.deepEqual(message["content"], [
      { type: "tool_use", id: "call_0", name: "tool_0", input },
      { type: "text", text: "!" },
    ]);
  }
});

test("why an answer ended", () => {
  const refused = { type: "refusal", category: null, explanation: null };
  const refusal: NeutralEvent = { kind: "refusal", text: "Нет." };
  const table: [NeutralEvent[], WireEvent[]][] = [
    [[finish("stop")], messageEnd("end_turn")],
    [[finish("stop-sequence", "END")], messageEnd("stop_sequence", null, "END")],
    [[finish("stop", "END")], messageEnd("end_turn")],
    [[finish("length")], messageEnd("max_tokens")],
    [[finish("context-full")], messageEnd("model_context_window_exceeded")],
    [[finish("tool-calls")], messageEnd("tool_use")],
    [[finish("refusal")], messageEnd("refusal", refused)],
    [[refusal, finish("refusal")], messageEnd("refusal", refused)],
    [[refusal, finish("stop")], messageEnd("refusal", refused)],
    [[refusal, finish("length")], messageEnd("max_tokens")],
    [[finish("stop"), text("a"), finish("length")], messageEnd("max_tokens")],
    [[], messageEnd("end_turn")],
    [[toolStart(0)], messageEnd("tool_use")],
  ];
  for (const [events, end] of table)
    assert.deepEqual(written([START, ...events]).slice(-2), end, JSON.stringify(events));
  assert.deepEqual(written([START, refusal, text("Но"), finish("refusal")]).slice(1, 5), [
    begin(0, { type: "text", text: "" }),
    textDelta(0, "Нет."),
    textDelta(0, "Но"),
    stop(0),
  ]);
});

test("the answer's id and model", () => {
  const table: [NeutralEvent[], Partial<AnswerIdentity>, string, string][] = [
    [[{ kind: "start", id: "msg_01", model: "gpt-x" }], {}, "msg_01", "gpt-x"],
    [
      [{ kind: "start", id: "chatcmpl-1", model: "gpt-x" }],
      { answerModel: "claude-y" },
      "msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
      "claude-y",
    ],
    [
      [{ kind: "start", id: null, model: null }],
      {},
      "msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
      "sandbox-large",
    ],
    [[text("a")], {}, "msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b", "sandbox-large"],
    [[], {}, "msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b", "sandbox-large"],
  ];
  for (const [events, identity, id, model] of table) {
    const starts = written(events, identity).filter(({ type }) => type === "message_start");
    assert.deepEqual(
      starts.map(({ message }) => [(message as WireEvent)["id"], (message as WireEvent)["model"]]),
      [[id, model]],
    );
  }
});

test("the balance stops an answer anywhere: what is open ends, by the limit", async () => {
  const table: [NeutralEvent[], unknown[], string][] = [
    [[], [], "max_tokens"],
    [[START], [], "max_tokens"],
    [[START, text("a")], [{ type: "text", text: "a" }], "max_tokens"],
    [[START, thinking("a")], [{ type: "thinking", thinking: "a", signature: "" }], "max_tokens"],
    [
      [START, toolStart(0), json(0, '{"a":1,"b"'), toolStart(1), json(1, '{"c":"x')],
      [
        { type: "tool_use", id: "call_0", name: "tool_0", input: { a: 1 } },
        { type: "tool_use", id: "call_1", name: "tool_1", input: {} },
      ],
      "max_tokens",
    ],
    [[START, text("a"), finish()], [{ type: "text", text: "a" }], "end_turn"],
  ];
  for (const [events, content, reason] of table) {
    const writer = createMessagesWriter(IDENTITY);
    const stream = renderMessageEvents([...writer.write(events), ...writer.limitStop(USAGE)]);
    const message = await sdkMessage(stream);
    assert.deepEqual([message["content"], message["stop_reason"]], [content, reason]);
    assert.deepEqual(
      [...writer.write([text("b")]), ...writer.end(USAGE), ...writer.limitStop(USAGE)],
      [],
      "nothing follows the end",
    );
  }
});
