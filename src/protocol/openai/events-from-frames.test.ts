/**
 * Guarantee: whatever shape an upstream of this protocol gives its answer, what it says is read
 * whole, once and in order.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  neutralAnswer,
  pieces,
  summaryOf,
  someArguments,
  someText,
  type AnswerContent,
} from "../../../test/support/neutral-answers.ts";
import { openAiCompletion, openAiStream } from "../../../test/support/openai-stream.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { Frame } from "../chat-dialect.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { createChunkFrameReader } from "./create-frame-reader.ts";
import { answerEvents, createEventReader } from "./events-from-frames.ts";
import { createChunkWriter, renderChunks } from "./event-writer.ts";

type Json = Record<string, unknown>;

const HEAD = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_763_712_000,
  model: "echo",
};
const START: NeutralEvent = { kind: "start", id: "chatcmpl-1", model: "echo" };

const chunk = (delta: unknown, rest: object = {}): Json => ({
  ...HEAD,
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});
const end = (reason: string, rest: object = {}): Json =>
  chunk({}, { finish_reason: reason, ...rest });
const calls = (...list: unknown[]): Json => chunk({ tool_calls: list });

function frames(bytes: Buffer): Frame[] {
  return createChunkFrameReader().push(bytes);
}

/** Through the bytes of a stream, as it comes from an upstream. */
function read(...chunks: Json[]): NeutralEvent[] {
  return frames(renderChunks(chunks)).flatMap(createEventReader());
}

/** What is said between the start and the end. */
function eventsOf(...chunks: Json[]): NeutralEvent[] {
  return read(...chunks).filter(({ kind }) => kind !== "start" && kind !== "finish");
}

function finishOf(...chunks: Json[]): [string, string | null] {
  const last = read(...chunks).at(-1);
  assert.ok(last?.kind === "finish");
  return [last.reason, last.stopSequence];
}

const text = (piece: string): NeutralEvent => ({ kind: "text", text: piece });
const thinking = (piece: string): NeutralEvent => ({ kind: "thinking", text: piece });
const toolStart = (call: number, id: string, name: string): NeutralEvent => ({
  kind: "tool-start",
  call,
  id,
  name,
});
const json = (call: number, piece: string): NeutralEvent => ({
  kind: "tool-arguments",
  call,
  json: piece,
});

test("a stream as OpenAI sends it: role, text, end, usage", () => {
  const chunks = [
    chunk({ role: "assistant", content: "", refusal: null }),
    chunk({ content: "При" }),
    chunk({ content: "вет 👋" }),
    end("stop"),
    { ...HEAD, choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
  ];
  assert.deepEqual(read(...chunks), [
    START,
    text("При"),
    text("вет 👋"),
    { kind: "finish", reason: "stop", stopSequence: null },
  ]);
});

test("empty and null fields say nothing (hazards §32)", () => {
  const nothing = [
    { tool_calls: [] },
    { tool_calls: null },
    { content: "" },
    { content: null },
    { content: [] },
    {},
    null,
    "x",
  ];
  const chunks = nothing.flatMap((delta) => [
    chunk(delta),
    chunk({ content: "a", tool_calls: [], reasoning_content: "", refusal: null }),
  ]);
  assert.deepEqual(
    eventsOf(...chunks),
    nothing.map(() => text("a")),
  );
});

test("the start waits for the first choice and takes the names of the chunks before it (Azure's content filter chunk)", () => {
  const filter = { id: "", model: "", object: "", choices: [], prompt_filter_results: [] };
  assert.deepEqual(
    read(filter, { ...HEAD, choices: [] }, { ...chunk({ content: "a" }), id: "", model: null }),
    [START, text("a")],
  );
  assert.deepEqual(read({ choices: [{ delta: { content: "a" } }] }), [
    { kind: "start", id: null, model: null },
    text("a"),
  ]);
  assert.deepEqual(read(filter, {}), []);
});

test("thinking goes by two names, counts once, and comes before the text of the same delta", () => {
  assert.deepEqual(
    eventsOf(
      chunk({ role: "assistant", content: null, reasoning_content: "a" }),
      chunk({ reasoning: "b", content: "" }),
      chunk({ reasoning: "c", reasoning_content: "c" }),
      chunk({ content: "d", reasoning_content: "e" }),
      chunk({ reasoning_content: null, reasoning: [{ text: "f" }] }),
    ),
    [thinking("a"), thinking("b"), thinking("c"), thinking("e"), text("d"), thinking("f")],
  );
});

test("content in parts: text, thinking and refusal are told apart; thinking that also came apart counts once", () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "a" }] },
    { type: "text", text: "b" },
    { type: "refusal", refusal: "c" },
    { type: "reference", reference_ids: [1] },
    null,
  ];
  assert.deepEqual(eventsOf(chunk({ content })), [
    thinking("a"),
    text("b"),
    { kind: "refusal", text: "c" },
  ]);
  assert.deepEqual(eventsOf(chunk({ content, reasoning: "a" })), [
    thinking("a"),
    text("b"),
    { kind: "refusal", text: "c" },
  ]);
});

test("three parallel calls, interleaved, keep their own arguments (hazards §33)", () => {
  const head = (index: number, name: string) => ({
    index,
    id: `call_${name}`,
    type: "function",
    function: { name, arguments: "" },
  });
  const more = (index: number, piece: string) => ({ index, function: { arguments: piece } });
  const chunks = [
    chunk({ role: "assistant", content: null }),
    calls(head(0, "a")),
    calls(head(1, "b")),
    calls(more(1, '{"x":')),
    calls(more(0, '{"город":"Мос'), head(2, "c")),
    calls(more(2, "{}"), more(0, 'ква"}'), more(1, "1}")),
    end("tool_calls"),
  ];
  assert.deepEqual(summaryOf(read(...chunks)).calls, [
    { id: "call_a", name: "a", arguments: '{"город":"Москва"}' },
    { id: "call_b", name: "b", arguments: '{"x":1}' },
    { id: "call_c", name: "c", arguments: "{}" },
  ]);
});

test("calls of upstreams that number, name and cut them in their own way", () => {
  const table: [string, Json[], NeutralEvent[]][] = [
    [
      "arguments as an object (hazards §36)",
      [calls({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } })],
      [toolStart(0, "a", "f"), json(0, '{"x":1}')],
    ],
    [
      "no index: the id tells them apart, the rest goes on with the last",
      [
        calls({ id: "a", function: { name: "f", arguments: "{" } }),
        calls({ function: { arguments: "}" } }),
        calls({ id: "b", function: { name: "g", arguments: "{}" } }),
        calls({ id: "a", function: { arguments: " " } }),
      ],
      [
        toolStart(0, "a", "f"),
        json(0, "{"),
        json(0, "}"),
        toolStart(1, "b", "g"),
        json(1, "{}"),
        json(0, " "),
      ],
    ],
    [
      "neither index nor id: the place in the list",
      [
        calls(
          { function: { name: "f", arguments: "{" } },
          { function: { name: "g", arguments: "[" } },
        ),
        calls({ function: { arguments: "}" } }, { function: { arguments: "]" } }),
      ],
      [
        toolStart(0, "call_chatcmpl-10", "f"),
        json(0, "{"),
        toolStart(1, "call_chatcmpl-11", "g"),
        json(1, "["),
        json(0, "}"),
        json(1, "]"),
      ],
    ],
    [
      "neither index nor id, one after the other",
      [
        calls({ function: { name: "f", arguments: "{}" } }),
        calls({ function: { name: "f", arguments: "{}" } }),
      ],
      [
        toolStart(0, "call_chatcmpl-10", "f"),
        json(0, "{}"),
        toolStart(1, "call_chatcmpl-11", "f"),
        json(1, "{}"),
      ],
    ],
    [
      "every call has the index 0",
      [
        calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
        calls({ index: 0, id: "b", function: { name: "f", arguments: "[]" } }),
      ],
      [toolStart(0, "a", "f"), json(0, "{}"), toolStart(1, "b", "f"), json(1, "[]")],
    ],
    [
      "another id with every delta of one call",
      [
        calls({ index: 0, id: "a", function: { name: "f", arguments: "{" } }),
        calls({ index: 0, id: "b", function: { arguments: "}" } }),
      ],
      [toolStart(0, "a", "f"), json(0, "{"), json(0, "}")],
    ],
    [
      "id and name repeated with every delta",
      [
        calls({ index: 0, id: "a", function: { name: "f", arguments: "{" } }),
        calls({ index: 0, id: "a", function: { name: "f", arguments: "}" } }),
      ],
      [toolStart(0, "a", "f"), json(0, "{"), json(0, "}")],
    ],
    [
      "the name in pieces, the id late",
      [
        calls({ index: 0, function: { name: "get_" } }),
        calls({ index: 0, id: "a", function: { name: "weather", arguments: "" } }),
        calls({ index: 0, function: { arguments: "{}" } }),
      ],
      [toolStart(0, "a", "get_weather"), json(0, "{}")],
    ],
    [
      "no arguments at all",
      [
        calls({ index: 0, id: "a", function: { name: "f" } }),
        calls({ index: 1, id: "b", function: { name: "g", arguments: null } }),
        end("tool_calls"),
      ],
      [toolStart(0, "a", "f"), toolStart(1, "b", "g")],
    ],
    [
      "nothing that is a call",
      [
        calls(null, 1, {}, { index: 0 }, { index: 1, function: null }, { index: 2, function: {} }),
        end("stop"),
      ],
      [],
    ],
    [
      "the older form",
      [
        chunk({ function_call: { name: "f", arguments: "" } }),
        chunk({ function_call: { arguments: "{}" } }),
      ],
      [toolStart(0, "call_chatcmpl-10", "f"), json(0, "{}")],
    ],
  ];
  for (const [name, chunks, events] of table) assert.deepEqual(eventsOf(...chunks), events, name);
});

test("a made-up id holds only what every protocol allows in one, and is the same at every reading", () => {
  const chunks = [
    { ...calls({ index: 0, function: { name: "f", arguments: "{}" } }), id: "gen:1/Я x" },
  ];
  assert.deepEqual(eventsOf(...chunks)[0], toolStart(0, "call_gen1x0", "f"));
  assert.deepEqual(eventsOf(...chunks), eventsOf(...chunks));
});

test("why it ended", () => {
  const call = calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } });
  const refusal = chunk({ refusal: "Нет." });
  assert.deepEqual(finishOf(end("stop")), ["stop", null]);
  assert.deepEqual(finishOf(end("length")), ["length", null]);
  assert.deepEqual(finishOf(end("sensitive")), ["refusal", null]);
  assert.deepEqual(finishOf(end("eos")), ["stop", null]);
  assert.deepEqual(finishOf(call, end("tool_calls")), ["tool-calls", null]);
  assert.deepEqual(
    finishOf(call, end("stop")),
    ["tool-calls", null],
    "a tool that had to be called",
  );
  assert.deepEqual(finishOf(call, end("function_call")), ["tool-calls", null]);
  assert.deepEqual(finishOf(call, end("length")), ["length", null]);
  assert.deepEqual(finishOf(end("tool_calls")), ["stop", null], "no call came");
  assert.deepEqual(finishOf(end("stop", { stop_reason: "\n\n" })), ["stop-sequence", "\n\n"]);
  assert.deepEqual(finishOf(end("stop", { stop_reason: 128_001 })), ["stop", null]);
  assert.deepEqual(finishOf(end("stop", { stop_reason: null })), ["stop", null]);
  assert.deepEqual(finishOf(refusal, end("stop")), ["refusal", null]);
});

test("an answer that failed half-way has no end (hazards §7)", () => {
  for (const reason of ["error", "insufficient_system_resource", "abort", "network_error"])
    assert.deepEqual(read(chunk({ content: "a" }), end(reason)), [START, text("a")]);
});

test("a finish reason that is said twice ends the answer once; what comes after one is said, and ends again", () => {
  const stop = { kind: "finish", reason: "stop", stopSequence: null };
  assert.deepEqual(
    read(chunk({ content: "a" }, { finish_reason: "stop" }), end("stop"), { ...HEAD, choices: [] }),
    [START, text("a"), stop],
  );
  assert.deepEqual(
    eventsOf(chunk({ content: "a" }, { finish_reason: "" }), chunk({ content: "b" })),
    [text("a"), text("b")],
  );
  // With every piece (an upstream's habit), or before the last ones.
  const pieces = [
    chunk({ content: "a" }, { finish_reason: "stop" }),
    chunk({ content: "b" }, { finish_reason: "stop" }),
  ];
  assert.deepEqual(read(...pieces, chunk({ content: "c" })), [
    START,
    text("a"),
    stop,
    text("b"),
    stop,
    text("c"),
    stop,
  ]);
  const call = calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } });
  assert.deepEqual(finishOf(end("stop"), call), ["tool-calls", null]);
  assert.deepEqual(finishOf(end("length"), end("stop")), ["length", null]);
  assert.deepEqual(finishOf(end("stop"), chunk({ content: "a" }), end("length")), ["length", null]);
});

test("only the first choice is read, wherever it stands", () => {
  const choices = [
    { index: 1, delta: { content: "b" }, finish_reason: "stop" },
    { index: 0, delta: { content: "a" } },
  ];
  assert.deepEqual(
    read({ ...HEAD, choices }, { ...HEAD, choices: [null, { delta: { content: "c" } }] }),
    [START, text("a")],
  );
});

test("a last chunk with a whole message adds only what has not been said", () => {
  const message = {
    role: "assistant",
    content: "ab",
    reasoning_content: "t",
    tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }],
  };
  const last = { ...HEAD, choices: [{ index: 0, message, finish_reason: "stop" }] };
  assert.deepEqual(eventsOf(last), [
    thinking("t"),
    text("ab"),
    toolStart(0, "a", "f"),
    json(0, "{}"),
  ]);
  assert.deepEqual(
    eventsOf(
      chunk({ reasoning_content: "t" }),
      chunk({ content: "a" }),
      chunk({ content: "b" }),
      last,
    ),
    [thinking("t"), text("a"), text("b"), toolStart(0, "a", "f"), json(0, "{}")],
  );
  const called = calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } });
  assert.deepEqual(eventsOf(called, last), [
    toolStart(0, "a", "f"),
    json(0, "{}"),
    thinking("t"),
    text("ab"),
  ]);
});

test("frames that hold no chunk say nothing", () => {
  const stream = Buffer.concat([
    Buffer.from(": keep-alive\n\n"),
    renderChunks([chunk({ content: "a" }), end("stop")]),
    Buffer.from("data: [DONE]\n\n"),
  ]);
  assert.equal(summaryOf(frames(stream).flatMap(createEventReader())).text, "a");
  const broken = Buffer.from(
    'data: {"error":{"message":"no"},"choices":[{"delta":{"content":"x"}}]}\n\ndata: {oops\n\n',
  );
  assert.deepEqual(frames(broken).flatMap(createEventReader()), []);
});

test("an event that is full of calls or parts is read within bounds", () => {
  const many = Array.from({ length: 200_000 }, (_, index) => ({
    id: `c${index}`,
    function: { name: "f", arguments: "{}" },
  }));
  assert.equal(summaryOf(read(chunk({ tool_calls: many }))).calls.length, 128);
  const parts = Array.from({ length: 200_000 }, () => ({ type: "text", text: "a" }));
  assert.equal(summaryOf(read(chunk({ content: parts }), end("stop"))).text.length, 200_000);
});

const someAnswer = fc.record({
  pieces: someText.chain(pieces),
  reasoning: someText.chain(pieces),
  toolCalls: fc.array(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), arguments: someArguments.chain(pieces) }),
    { maxLength: 4 },
  ),
  finishReason: fc.constantFrom("stop", "length", "content_filter"),
});

test("a stream and the whole answer say the same, whatever they say", () => {
  fc.assert(
    fc.property(someAnswer, (plan) => {
      const answer = {
        ...plan,
        toolCalls: plan.toolCalls.map((call, index) => ({ ...call, id: `call_${index}` })),
      };
      const streamed = summaryOf(openAiStream(answer).flatMap(frames).flatMap(createEventReader()));
      const whole = summaryOf(answerEvents(JSON.parse(JSON.stringify(openAiCompletion(answer)))));
      const expected: AnswerContent = {
        id: "chatcmpl-scripted",
        model: "scripted",
        text: answer.pieces.join(""),
        thinking: answer.reasoning.join(""),
        refusal: "",
        calls: answer.toolCalls.map((call) => ({ ...call, arguments: call.arguments.join("") })),
        finish:
          answer.finishReason === "length"
            ? "length"
            : answer.finishReason === "content_filter"
              ? "refusal"
              : answer.toolCalls.length > 0
                ? "tool-calls"
                : "stop",
        stopSequence: null,
      };
      assert.deepEqual(streamed, expected);
      assert.deepEqual(whole, expected);
    }),
    { numRuns: 300 },
  );
});

test("what the writer of this protocol writes is read as what it was told", () => {
  const identity = {
    requestId: "0-0",
    created: 1,
    model: "m",
    answerModel: null,
    promptTokens: 0,
    includeUsage: true,
  };
  fc.assert(
    fc.property(neutralAnswer({ seals: false, refusals: true }), (events) => {
      const writer = createChunkWriter(identity);
      const bytes = renderChunks([...writer.write(events), ...writer.end(NO_USAGE)]);
      const reported = summaryOf(events);
      const got = summaryOf(frames(bytes).flatMap(createEventReader()));
      // This protocol has one word for each of these two.
      const finish =
        reported.finish === "context-full"
          ? "length"
          : reported.finish === "stop-sequence"
            ? "stop"
            : reported.finish;
      const id = reported.id?.startsWith("chatcmpl-") === true ? reported.id : "chatcmpl-00";
      assert.deepEqual(got, {
        ...reported,
        id,
        model: reported.model ?? "m",
        finish,
        stopSequence: null,
      });
    }),
    { numRuns: 300 },
  );
});

const oddValue = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("", null, "a", 0, [], {}));
const oddCall = fc.record(
  {
    index: oddValue,
    id: oddValue,
    type: oddValue,
    function: fc.oneof(oddValue, fc.record({ name: oddValue, arguments: oddValue })),
  },
  { requiredKeys: [] },
);
const oddPart = fc.record(
  {
    role: oddValue,
    content: oddValue,
    refusal: oddValue,
    reasoning: oddValue,
    reasoning_content: oddValue,
    function_call: oddValue,
    tool_calls: fc.oneof(oddValue, fc.array(fc.oneof(oddCall, oddValue), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);
const oddChoice = fc.record(
  {
    index: fc.oneof(oddValue, fc.constant(0)),
    delta: fc.oneof(oddPart, oddValue),
    message: fc.oneof(oddPart, oddValue),
    finish_reason: fc.oneof(oddValue, fc.constant("stop")),
    stop_reason: oddValue,
  },
  { requiredKeys: [] },
);
const oddChunk = fc.record(
  {
    id: oddValue,
    model: oddValue,
    choices: fc.oneof(oddValue, fc.array(fc.oneof(oddChoice, oddValue), { maxLength: 2 })),
  },
  { requiredKeys: [] },
);

test("nothing that an upstream sends throws or disturbs the order of events", () => {
  fc.assert(
    fc.property(fc.array(oddChunk, { maxLength: 6 }), (chunks) => {
      const reader = createEventReader();
      const events = chunks.flatMap((payload) =>
        reader({ kind: "data", payload } as unknown as Frame),
      );
      if (events.length > 0) summaryOf(events);
      for (const data of chunks) {
        const whole = answerEvents(data);
        if (whole.length > 0) summaryOf(whole);
      }
    }),
    { numRuns: 2000 },
  );
});
