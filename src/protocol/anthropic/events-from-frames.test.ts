/**
 * Guarantee: everything that a Messages upstream says is understood, streamed or whole, and nothing
 * that it may send makes it throw.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { frameOf } from "../../../test/support/frame-of.ts";
import { GOLDEN_MESSAGES } from "../../../test/support/golden-messages.ts";
import { summaryOf } from "../../../test/support/neutral-answers.ts";
import { randomMessage } from "../../../test/support/random-messages.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { answerEvents, createEventReader } from "./events-from-frames.ts";

type Json = Record<string, unknown>;

function read(events: readonly unknown[]): NeutralEvent[] {
  const reader = createEventReader();
  return events.flatMap((event) => reader(frameOf(event as Json)));
}

/** Pieces of one kind that follow each other, as one. */
function joined(events: readonly NeutralEvent[]): NeutralEvent[] {
  const list: NeutralEvent[] = [];
  for (const event of events) {
    const last = list.at(-1);
    if (event.kind === "text" && last?.kind === "text")
      list[list.length - 1] = { kind: "text", text: last.text + event.text };
    else if (event.kind === "thinking" && last?.kind === "thinking")
      list[list.length - 1] = { kind: "thinking", text: last.text + event.text };
    else if (
      event.kind === "tool-arguments" &&
      last?.kind === "tool-arguments" &&
      last.call === event.call
    ) {
      list[list.length - 1] = { ...event, json: last.json + event.json };
    } else list.push(event);
  }
  return list;
}

/** With arguments in their shortest form, since a stream keeps the model's own spaces. */
function shortest(events: readonly NeutralEvent[]): NeutralEvent[] {
  return joined(events).map((event) =>
    event.kind === "tool-arguments"
      ? { ...event, json: JSON.stringify(JSON.parse(event.json)) }
      : event,
  );
}

const START: Json = {
  type: "message_start",
  message: { id: "msg_1", model: "claude-x", usage: { input_tokens: 1, output_tokens: 1 } },
};
const begin = (index: number, block: Json): Json => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, piece: Json): Json => ({
  type: "content_block_delta",
  index,
  delta: piece,
});
const stop = (index: number): Json => ({ type: "content_block_stop", index });
const ended = (reason: unknown, sequence: unknown = null): Json => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: sequence },
  usage: { output_tokens: 5 },
});
const STARTED: NeutralEvent = { kind: "start", id: "msg_1", model: "claude-x" };
const finish = (reason: string, stopSequence: string | null = null): object => ({
  kind: "finish",
  reason,
  stopSequence,
});

const expected: Record<string, object[]> = {
  text: [{ kind: "text", text: "Здравствуйте! 👋🏽" }, finish("stop")],
  "thinking, sealed thinking, then text, with a cache and its split": [
    { kind: "thinking", text: "Сначала сложим: 27 + 453" },
    { kind: "thinking-end", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h==" },
    { kind: "redacted-thinking", data: "EmwKAhgBEgy3va3pzix" },
    { kind: "text", text: "480" },
    finish("stop"),
  ],
  "text and two tool calls, one of them without arguments": [
    { kind: "text", text: "Проверю." },
    { kind: "tool-start", call: 0, id: "toolu_01A", name: "get_weather" },
    {
      kind: "tool-arguments",
      call: 0,
      json: '{"location":"Нижний Новгород","days":1,"id":12345678901234567000}',
    },
    { kind: "tool-start", call: 1, id: "toolu_01B", name: "get_time" },
    { kind: "tool-arguments", call: 1, json: "{}" },
    finish("tool-calls"),
  ],
  // A translated request has no such tools; its text is shown all the same.
  "a search by the server, cited, in a container": [
    { kind: "text", text: "Крупнейшая река Европы — Волга." },
    finish("stop"),
  ],
  "a stop sequence": [{ kind: "text", text: "раз, два" }, finish("stop-sequence", ", три")],
  "a refusal before any content": [finish("refusal")],
};

for (const { name, events, whole } of GOLDEN_MESSAGES) {
  test(`as documented, streamed and whole: ${name}`, () => {
    const reported = [
      { kind: "start", id: "msg_01Golden", model: "claude-sonnet" },
      ...(expected[name] ?? []),
    ];
    assert.deepEqual(shortest(read(events)), reported);
    assert.deepEqual(shortest(answerEvents(whole)), reported);
  });
}

test("arguments are passed on as the model wrote them, piece by piece", () => {
  const pieces = ["", '{"id": 12345678901234567890', ', "a" :', " 1.0}"];
  const events = [START, begin(0, { type: "tool_use", id: "t", name: "f", input: {} })];
  for (const piece of pieces)
    events.push(delta(0, { type: "input_json_delta", partial_json: piece }));
  assert.deepEqual(read([...events, stop(0)]), [
    STARTED,
    { kind: "tool-start", call: 0, id: "t", name: "f" },
    { kind: "tool-arguments", call: 0, json: '{"id": 12345678901234567890' },
    { kind: "tool-arguments", call: 0, json: ', "a" :' },
    { kind: "tool-arguments", call: 0, json: " 1.0}" },
  ]);
});

test("arguments that come with the start of a call count where no piece follows", () => {
  const call = (input: unknown): Json => begin(0, { type: "tool_use", id: "t", name: "f", input });
  const piece = (partial: unknown): Json =>
    delta(0, { type: "input_json_delta", partial_json: partial });
  const table: [unknown[], string][] = [
    [[call({ a: 1 }), stop(0)], '{"a":1}'],
    [[call({ a: 1 }), piece('{"a":2}'), stop(0)], '{"a":2}'],
    [[call({}), piece(""), stop(0)], "{}"],
    [[call(undefined), stop(0)], "{}"],
    [[call('{"a": 1}'), stop(0)], '{"a": 1}'],
    [[call({}), piece({ a: 3 }), stop(0)], '{"a":3}'],
    [[call({ a: 1 }), ended("tool_use")], '{"a":1}'],
    [[call({ a: 1 }), { type: "message_stop" }], '{"a":1}'],
  ];
  for (const [events, json] of table)
    assert.equal(
      summaryOf(read([START, ...events])).calls[0]?.arguments,
      json,
      JSON.stringify(events),
    );
});

test("calls whose pieces interleave are told apart (hazards §33)", () => {
  const events = [START];
  for (const index of [0, 1, 2])
    events.push(begin(index, { type: "tool_use", id: `t${index}`, name: "f", input: {} }));
  for (const piece of ['{"город":', '"Тверь', ' 🌧"}']) {
    for (const index of [2, 0, 1])
      events.push(delta(index, { type: "input_json_delta", partial_json: piece }));
  }
  const reported = summaryOf(read([...events, stop(1), stop(0), stop(2), ended("tool_use")]));
  assert.deepEqual(
    reported.calls,
    [0, 1, 2].map((index) => ({ id: `t${index}`, name: "f", arguments: '{"город":"Тверь 🌧"}' })),
  );
});

test("what a block's start says already counts, and hidden thinking keeps its seal", () => {
  const events = [
    START,
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "signature_delta", signature: "EqQB" }),
    stop(0),
    begin(1, { type: "thinking", thinking: "hm", signature: "" }),
    stop(1),
    begin(2, { type: "text", text: "да" }),
    stop(2),
    ended("end_turn"),
  ];
  assert.deepEqual(read(events), [
    STARTED,
    { kind: "thinking-end", signature: "EqQB" },
    { kind: "thinking", text: "hm" },
    { kind: "thinking-end", signature: null },
    { kind: "text", text: "да" },
    finish("stop"),
  ]);
});

test("why an answer ended", () => {
  const table: [unknown, unknown, object][] = [
    ["end_turn", null, finish("stop")],
    ["stop_sequence", "END", finish("stop-sequence", "END")],
    ["max_tokens", null, finish("length")],
    ["tool_use", null, finish("tool-calls")],
    ["refusal", null, finish("refusal")],
    ["pause_turn", null, finish("stop")],
    ["model_context_window_exceeded", null, finish("context-full")],
    ["something_new", 5, finish("stop")],
  ];
  for (const [reason, sequence, end] of table) {
    assert.deepEqual(read([START, ended(reason, sequence), { type: "message_stop" }]), [
      STARTED,
      end,
    ]);
    assert.deepEqual(
      answerEvents({
        id: "msg_1",
        model: "claude-x",
        content: [],
        stop_reason: reason,
        stop_sequence: sequence,
      }),
      [STARTED, end],
    );
  }
  const call = begin(0, { type: "tool_use", id: "t", name: "f" });
  assert.deepEqual(read([START, ended(null)]), [STARTED]);
  assert.deepEqual(read([START, { type: "message_stop" }]), [STARTED, finish("stop")]);
  assert.deepEqual(read([START, call, { type: "message_stop" }]).at(-1), finish("tool-calls"));
  assert.deepEqual(answerEvents({}), [{ kind: "start", id: null, model: null }, finish("stop")]);
});

test("keep-alives, errors, comments and second beginnings say nothing", () => {
  const reader = createEventReader();
  const reported = [
    frameOf(null, "comment"),
    frameOf(START),
    frameOf({ type: "ping" }),
    frameOf({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error"),
    frameOf(START),
    frameOf(null, "garbage"),
  ].flatMap(reader);
  assert.deepEqual(reported, [STARTED]);
});

test("a stream and its whole answer say the same", () => {
  fc.assert(
    fc.property(randomMessage, ({ events, whole }) => {
      assert.deepEqual(shortest(read(events)), shortest(answerEvents(whole)));
    }),
  );
});

test("whatever an upstream sends, nothing throws", () => {
  const names = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
  ];
  const types = [
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "text_delta",
    "thinking_delta",
    "input_json_delta",
    "signature_delta",
  ];
  const value = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom("", "x", 0, 1));
  const fields = fc.dictionary(
    fc.constantFrom(
      "text",
      "thinking",
      "signature",
      "data",
      "id",
      "name",
      "input",
      "partial_json",
      "stop_reason",
      "stop_sequence",
    ),
    value,
  );
  const inner = fc.oneof(
    value,
    fc.tuple(fc.constantFrom(...types), fields).map(([type, rest]) => ({ ...rest, type })),
  );
  const event = fc
    .tuple(
      fc.constantFrom(...names),
      fc.dictionary(
        fc.constantFrom("index", "message", "content_block", "delta"),
        fc.oneof(inner, fc.nat(2)),
      ),
    )
    .map(([type, rest]) => ({ ...rest, type }));
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), fc.array(inner), (events, content) => {
      read(events);
      answerEvents({ content });
    }),
    { numRuns: 500 },
  );
  // Keys that are numbers: V8 walks such objects by recursion, and no stack is deep enough.
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = { 0: deep };
  const call = begin(0, { type: "tool_use", id: "t", name: "f", input: { deep } });
  assert.equal(summaryOf(read([START, call, stop(0)])).calls[0]?.arguments, "{}");
});
