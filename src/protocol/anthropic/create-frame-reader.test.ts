/**
 * Guarantee: however a Messages stream is cut, the same frames come out and their bytes are the
 * input; it is whole only at its end (hazards §4, §7, §9).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import fc from "fast-check";
import { NO_USAGE, type TokenUsage } from "../../kernel/token-usage.ts";
import { GOLDEN_MESSAGES } from "../../../test/support/golden-messages.ts";
import { randomMessage } from "../../../test/support/random-messages.ts";
import { sseEvent } from "../../../test/support/sse-event.ts";
import type { Frame, FrameReader } from "../chat-dialect.ts";
import { createMessagesFrameReader } from "./create-frame-reader.ts";

type Json = Record<string, unknown>;

const named = (event: Json): Buffer => sseEvent(event, String(event["type"]));

function readAll(pieces: readonly Buffer[]): { frames: Frame[]; reader: FrameReader } {
  const reader = createMessagesFrameReader();
  return { frames: pieces.flatMap((piece) => reader.push(piece)), reader };
}

const lastUsage = (frames: readonly Frame[]) =>
  frames.findLast((frame) => frame.usage.kind !== "absent")?.usage;

for (const golden of GOLDEN_MESSAGES) {
  test(`golden stream, cut anywhere: ${golden.name}`, () => {
    const bytes = Buffer.concat(golden.events.map(named));
    const summary = (frames: readonly Frame[]) =>
      frames.map(({ bytes: _bytes, ...frame }) => frame);
    const { frames, reader } = readAll([bytes]);
    assert.deepEqual(Buffer.concat(frames.map((frame) => frame.bytes)), bytes);
    assert.equal(frames.map((frame) => frame.text).join(""), golden.text);
    assert.deepEqual(
      frames.map((frame) => frame.payload),
      golden.events,
    );
    assert.deepEqual(
      frames.map((frame) => frame.kind),
      golden.events.map((event) => (event["type"] === "message_stop" ? "done" : "data")),
    );
    assert.deepEqual(
      [reader.finished, reader.finishReason, reader.model],
      [true, golden.whole["stop_reason"], "claude-sonnet"],
    );
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const pieces = readAll([bytes.subarray(0, cut), bytes.subarray(cut)]);
      assert.deepEqual(summary(pieces.frames), summary(frames), `cut at ${cut}`);
      assert.deepEqual(Buffer.concat(pieces.frames.map((frame) => frame.bytes)), bytes);
    }
    const single = readAll(Array.from(bytes, (byte) => Buffer.from([byte])));
    assert.deepEqual(summary(single.frames), summary(frames));
  });
}

test("any stream, cut anywhere: the same frames, the same bytes, the same text", () => {
  fc.assert(
    fc.property(
      randomMessage,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.boolean(),
      ({ events, whole }, cuts, bare) => {
        const bytes = Buffer.concat(events.map((event) => (bare ? sseEvent(event) : named(event))));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
          (a, b) => a - b,
        );
        const { frames, reader } = readAll(
          places.slice(1).map((end, at) => bytes.subarray(places[at], end)),
        );
        assert.deepEqual(Buffer.concat(frames.map((frame) => frame.bytes)), bytes);
        assert.deepEqual(
          frames.map((frame) => frame.payload),
          events.map((event) => JSON.parse(JSON.stringify(event)) as Json),
        );
        assert.deepEqual(
          [reader.finished, reader.finishReason, reader.model],
          [true, whole["stop_reason"], "echo"],
        );
        const { output_tokens: output } = whole["usage"] as { output_tokens: number };
        const last = lastUsage(frames);
        assert.ok(last?.kind === "valid" && last.usage.outputTokens === output);
      },
    ),
    { numRuns: 300 },
  );
});

test("a clean end before message_stop is an interruption, wherever it is", () => {
  for (const { events } of GOLDEN_MESSAGES) {
    for (let count = 0; count < events.length; count += 1) {
      assert.equal(readAll(events.slice(0, count).map(named)).reader.finished, false);
    }
  }
});

const usage = (rest: Partial<TokenUsage>): TokenUsage => ({ ...NO_USAGE, ...rest });
const start = (reported?: unknown): Json => ({
  type: "message_start",
  message: {
    id: "m",
    model: "x",
    content: [],
    ...(reported === undefined ? {} : { usage: reported }),
  },
});
const delta = (reported?: unknown): Json => ({
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  ...(reported === undefined ? {} : { usage: reported }),
});
const PIECE: Json = {
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text: "x" },
};

test("usage of every form: the start knows the input only, totals overwrite and are never added (hazards §121)", () => {
  const cached = {
    input_tokens: 3,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 10,
    output_tokens: 1,
  };
  const split = { cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 } };
  const read = { inputTokens: 3, cachedInputTokens: 20 };
  const table: [string, Json[], unknown][] = [
    [
      "start only",
      [start(cached), PIECE],
      {
        kind: "partial",
        known: "input",
        usage: usage({ ...read, cacheWrite5mTokens: 10 }),
        samplings: 1,
      },
    ],
    [
      "zeros at the start",
      [start({ input_tokens: 0, output_tokens: 0 }), PIECE],
      { kind: "partial", known: "input", usage: usage({}), samplings: 1 },
    ],
    [
      "start and delta",
      [start({ ...cached, ...split }), PIECE, delta({ output_tokens: 40 })],
      {
        kind: "valid",
        usage: usage({ ...read, cacheWrite5mTokens: 4, cacheWrite1hTokens: 6, outputTokens: 40 }),
        samplings: 1,
      },
    ],
    [
      "delta repeats the input",
      [start(cached), PIECE, delta({ ...cached, output_tokens: 40 })],
      {
        kind: "valid",
        usage: usage({ ...read, cacheWrite5mTokens: 10, outputTokens: 40 }),
        samplings: 1,
      },
    ],
    [
      "delta corrects the input, a null leaves it",
      [
        start(cached),
        delta({
          input_tokens: 5,
          cache_read_input_tokens: null,
          cache_creation_input_tokens: 0,
          output_tokens: 40,
        }),
      ],
      {
        kind: "valid",
        usage: usage({ inputTokens: 5, cachedInputTokens: 20, outputTokens: 40 }),
        samplings: 1,
      },
    ],
    [
      "two deltas",
      [
        start(cached),
        delta({ output_tokens: 40 }),
        delta({ output_tokens: 41, output_tokens_details: { thinking_tokens: 7 } }),
      ],
      {
        kind: "valid",
        usage: usage({ ...read, cacheWrite5mTokens: 10, outputTokens: 41, reasoningTokens: 7 }),
        samplings: 1,
      },
    ],
    [
      "delta only",
      [start(), PIECE, delta({ output_tokens: 40 })],
      { kind: "partial", known: "output", usage: usage({ outputTokens: 40 }), samplings: 1 },
    ],
    [
      "all of it in the delta",
      [
        start({ input_tokens: 0, output_tokens: 0 }),
        PIECE,
        delta({ ...cached, output_tokens: 40 }),
      ],
      {
        kind: "valid",
        usage: usage({ ...read, cacheWrite5mTokens: 10, outputTokens: 40 }),
        samplings: 1,
      },
    ],
    [
      "an explicit zero",
      [start({ input_tokens: 0 }), delta({ output_tokens: 0 })],
      { kind: "valid", usage: usage({}), samplings: 1 },
    ],
    ["none", [start(), PIECE, delta()], undefined],
    [
      "negative",
      [start(cached), delta({ output_tokens: -5 })],
      { kind: "unbelievable", ...sayReason("count_not_whole") },
    ],
    [
      "no object",
      [start(cached), delta("many")],
      { kind: "unbelievable", ...sayReason("usage_no_object") },
    ],
    [
      "a bad start that the delta makes good",
      [start({ input_tokens: -1 }), delta({ input_tokens: 3, output_tokens: 4 })],
      { kind: "valid", usage: usage({ inputTokens: 3, outputTokens: 4 }), samplings: 1 },
    ],
  ];
  for (const [name, events, expected] of table)
    assert.deepEqual(lastUsage(readAll(events.map(named)).frames), expected, name);
});

test("a ping is passed on and says nothing", () => {
  const [frame] = readAll([named({ type: "ping" })]).frames;
  assert.deepEqual(
    [frame?.kind, frame?.hasContent, frame?.finished, frame?.usage.kind, frame?.text],
    ["data", false, false, "absent", ""],
  );
});

test("streams without event lines, with comments and with the end mark of another protocol are read alike", () => {
  const [golden] = GOLDEN_MESSAGES;
  const { frames, reader } = readAll([
    Buffer.from(": hello\n\n"),
    ...(golden?.events ?? []).map((event) => sseEvent(event)),
    Buffer.from("data: [DONE]\n\n"),
  ]);
  assert.equal(frames.map((frame) => frame.text).join(""), golden?.text);
  assert.deepEqual(
    [frames[0]?.kind, frames.at(-1)?.kind, frames.at(-2)?.kind, reader.finished],
    ["comment", "comment", "done", true],
  );
});

test("errors and garbage carry their words and no text", () => {
  const { frames, reader } = readAll([
    named(start()),
    Buffer.from(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    ),
    Buffer.from("data: <html>\n\n"),
  ]);
  assert.deepEqual(
    frames.map(({ kind, text, error }) => [
      kind,
      text,
      error && { message: error.message, status: error.status },
    ]),
    [
      ["data", "", null],
      ["error", "", { message: "Overloaded", status: 529 }],
      ["garbage", "", { message: "an event of the stream is not JSON", status: null }],
    ],
  );
  assert.equal(reader.finished, false);
});

test("a second beginning, or an end without a beginning, is garbage (hazards §8)", () => {
  const kinds = (events: Json[]) => readAll(events.map(named)).frames.map(({ kind }) => kind);
  assert.deepEqual(kinds([start(), PIECE, start()]), ["data", "data", "garbage"]);
  const { frames, reader } = readAll([named({ type: "message_stop" })]);
  assert.deepEqual([frames[0]?.kind, reader.finished], ["garbage", false]);
});

test("one event may not grow past the limit", () => {
  const reader = createMessagesFrameReader();
  assert.throws(() => reader.push(Buffer.alloc(17 * 1024 * 1024, "x")), RangeError);
});
