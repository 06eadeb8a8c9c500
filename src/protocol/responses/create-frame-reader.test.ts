/**
 * Guarantee: however a Responses stream is cut, the same frames come out and their bytes are the
 * input; it is whole only with its last event, and what it says several times counts once (hazards
 * §4, §7, §9).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { responsesStream, responsesUsage } from "../../../test/support/responses-stream.ts";
import { sseEvent } from "../../../test/support/sse-event.ts";
import type { Frame, FrameReader } from "../chat-dialect.ts";
import { createResponsesFrameReader } from "./create-frame-reader.ts";

type Json = Record<string, unknown>;

const named = (event: Json): Buffer => sseEvent(event, String(event["type"]));

function readAll(pieces: readonly Buffer[]): { frames: Frame[]; reader: FrameReader } {
  const reader = createResponsesFrameReader();
  return { frames: pieces.flatMap((piece) => reader.push(piece)), reader };
}

const textOf = (frames: readonly Frame[]): string => frames.map(({ text }) => text).join("");

const EVENTS = responsesStream({
  items: [
    { type: "reasoning", pieces: ["Ду", "маю 🤔"], encrypted: "gAAAA" },
    { type: "message", pieces: ["При", "вет ", "👋🏽", "\n", '"'] },
    { type: "function_call", callId: "call_1", name: "f", pieces: ['{"a":', "1}"] },
  ],
  usage: responsesUsage(17, 9),
});
const TEXT = 'Думаю 🤔Привет 👋🏽\n"f{"a":1}';

test("cut anywhere: the same frames, the same bytes, the same text, whole at the end alone", () => {
  const bytes = Buffer.concat(EVENTS);
  const summary = (frames: readonly Frame[]) =>
    frames.map(({ kind, text, hasContent, finished, usage, error, payload }) => ({
      kind,
      text,
      hasContent,
      finished,
      usage,
      error,
      payload,
    }));
  const { frames, reader } = readAll([bytes]);
  assert.deepEqual(Buffer.concat(frames.map((frame) => frame.bytes)), bytes);
  assert.equal(textOf(frames), TEXT);
  assert.deepEqual(
    frames.map(({ kind }) => kind),
    [...EVENTS.map(() => "data"), "done"],
  );
  const last = frames.at(-2);
  assert.ok(last?.finished === true && last.usage.kind === "valid" && !last.hasContent);
  assert.deepEqual(
    [reader.finished, reader.finishReason, reader.model],
    [true, "completed", "scripted"],
  );
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const pieces = readAll([bytes.subarray(0, cut), bytes.subarray(cut)]);
    assert.deepEqual(summary(pieces.frames), summary(frames), `cut at ${cut}`);
    assert.deepEqual(Buffer.concat(pieces.frames.map((frame) => frame.bytes)), bytes);
  }
  const single = readAll(Array.from(bytes, (byte) => Buffer.from([byte])));
  assert.deepEqual(summary(single.frames), summary(frames));
  for (let count = 0; count < EVENTS.length; count += 1)
    assert.equal(readAll(EVENTS.slice(0, count)).reader.finished, false, `after ${count}`);
});

test("a text that comes without its deltas is text all the same, wherever it comes first, and once", () => {
  const skipping = (skipped: RegExp): Buffer[] =>
    EVENTS.filter((event) => !skipped.test(event.toString().split("\n", 1)[0] ?? ""));
  for (const skipped of [
    /\.delta$/,
    /\.(?:delta|done)$/,
    /\.(?:delta|added)$/,
    /_text\.delta$/,
    /(?<!completed)$/,
    /_(?:item|part|text|arguments)\./,
  ]) {
    const { frames, reader } = readAll(skipping(skipped));
    const parts = textOf(frames);
    assert.ok(reader.finished, String(skipped));
    assert.deepEqual([...parts].toSorted(), [...TEXT].toSorted(), `${skipped}: ${parts}`);
  }
});

test("items at one place and of changing ids are told apart", () => {
  const item = (id: string, text: string): Json[] => [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "message", id, content: [] },
    },
    { type: "response.output_text.delta", output_index: 0, item_id: `${id}x`, delta: text },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "message", id: `${id}y`, content: [{ type: "output_text", text }] },
    },
  ];
  const { frames } = readAll([...item("a", "one "), ...item("b", "two")].map(named));
  assert.equal(textOf(frames), "one two");
});

test("how it ended: the reason of an incomplete answer, an error for a failed one, its words safe", () => {
  const cut = readAll(
    responsesStream({
      items: [{ type: "message", pieces: ["a"] }],
      incomplete: "max_output_tokens",
      usage: responsesUsage(1, 2),
    }),
  );
  assert.deepEqual([cut.reader.finished, cut.reader.finishReason], [true, "max_output_tokens"]);
  for (const [event, status] of [
    [
      {
        type: "response.failed",
        response: {
          status: "failed",
          error: { code: "rate_limit_exceeded", message: "sk-proj-abcdefgh12345678 is slow" },
        },
      },
      429,
    ],
    [{ type: "response.failed", response: { status: "failed", error: null } }, null],
    [
      {
        type: "response.completed",
        response: { status: "failed", error: { code: "server_error" } },
      },
      500,
    ],
    [{ type: "error", code: "server_error", message: "oops", sequence_number: 1 }, 500],
    [{ type: "error", error: { type: "invalid_request_error", message: "oops" } }, 400],
    [{ error: { message: "oops", code: 503 } }, 503],
  ] as const) {
    const { frames, reader } = readAll([named(event)]);
    assert.deepEqual(
      [frames[0]?.kind, frames[0]?.error?.status, reader.finished],
      ["error", status, false],
      JSON.stringify(event),
    );
    assert.doesNotMatch(frames[0]?.error?.message ?? "", /sk-proj/);
  }
});

test("what is no event of the protocol is garbage or says nothing; nothing throws", () => {
  const kinds = (text: string): string[] => {
    const frames = readAll([Buffer.from(text)]).frames;
    return frames.map(({ kind }) => kind);
  };
  assert.deepEqual(kinds("data: {not json\n\n"), ["garbage"]);
  assert.deepEqual(kinds("data: [1]\n\n"), ["garbage"]);
  assert.deepEqual(kinds('data: {"choices":[]}\n\n'), ["garbage"]);
  assert.deepEqual(kinds(": hi\n\nevent: x\n\ndata: [DONE]\n\n"), [
    "comment",
    "comment",
    "comment",
  ]);
  assert.deepEqual(kinds('data: {"type":"keepalive"}\n\n'), ["comment"]);
  for (const odd of [
    { type: "response.output_text.delta", delta: 7 },
    { type: "response.output_item.added", output_index: "x", item: [] },
    { type: "response.output_item.done", item: null },
    { type: "response.completed", response: 7 },
    { type: "response.created", response: { model: 7, usage: "x" } },
    { type: "response.completed", response: { output: [null, { type: "message", content: 7 }] } },
  ])
    assert.deepEqual(kinds(named(odd).toString()).slice(0, 1), ["data"], JSON.stringify(odd));
});

test("most of a stream is not parsed: deltas that differ in their text, number and padding are known again", () => {
  const delta = (number: number, text: string, padding: string): Buffer =>
    named({
      type: "response.output_text.delta",
      sequence_number: number,
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta: text,
      logprobs: [],
      obfuscation: padding,
    });
  const words = Array.from({ length: 300 }, (_, at) => `слово ${at} "\\`);
  const { frames } = readAll(words.map((word, at) => delta(at + 2, word, "x".repeat(at % 16))));
  assert.equal(textOf(frames), words.join(""));
  const again = frames.filter(({ repeats }) => repeats === true);
  assert.ok(again.length > 290, `${again.length} of ${frames.length}`);
  assert.deepEqual(
    frames.map(({ payload }) => payload?.["sequence_number"]),
    words.map((_, at) => at + 2),
  );
});

test("service tier and tools that were used are what the end says, and calls are counted as they are over", () => {
  const call = (type: string, action?: Json): Json => ({
    type: "response.output_item.done",
    output_index: 0,
    item: { type, ...(action === undefined ? {} : { action }) },
  });
  const asked = { type: "response.created", response: { service_tier: "priority" } };
  const { reader } = readAll(
    [
      asked,
      call("web_search_call", { type: "search" }),
      call("web_search_call", { type: "open_page" }),
      call("function_call"),
      call("custom_tool_call"),
    ].map(named),
  );
  assert.deepEqual(reader.used, { variants: {}, toolCalls: { web_search: 1 }, costText: null });
  reader.push(
    named({
      type: "response.completed",
      response: { service_tier: "default", tool_usage: { web_search: { num_requests: 3 } } },
    }),
  );
  assert.deepEqual(reader.used.variants, { serviceTier: "default" });
  assert.deepEqual(reader.used.toolCalls, { web_search: 3 });
});
