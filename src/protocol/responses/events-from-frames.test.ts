/**
 * Guarantee: what an upstream of the Responses protocol says, in a stream however it leaves parts
 * out, or whole, reaches callers of other protocols once and in its order.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { summaryOf } from "../../../test/support/neutral-answers.ts";
import {
  responsesStream,
  responsesWhole,
  responsesUsage,
  type ResponsesAnswer,
} from "../../../test/support/responses-stream.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { writeResponsesSeal } from "../reasoning-seal.ts";
import { createResponsesFrameReader } from "./create-frame-reader.ts";
import { answerEvents, createEventReader } from "./events-from-frames.ts";
import { streamResponse } from "./stream-response.ts";

function readStream(events: readonly Buffer[]): NeutralEvent[] {
  const frames = createResponsesFrameReader();
  const read = createEventReader();
  return [
    ...events.flatMap((event) => frames.push(event)).flatMap((frame) => read(frame)),
    ...read(null),
  ];
}

const ANSWER: ResponsesAnswer = {
  id: "resp_1",
  model: "echo",
  items: [
    { type: "reasoning", pieces: ["Ду", "маю"], encrypted: "gAAAA" },
    { type: "message", pieces: ["При", "вет ", "мир", "!"] },
    { type: "function_call", callId: "call_1", name: "f", pieces: ['{"a":', "1}"] },
    { type: "function_call", callId: "call_2", name: "g", pieces: [] },
  ],
  usage: responsesUsage(17, 9),
};
const REPORTED = {
  id: "resp_1",
  model: "echo",
  text: "Привет мир!",
  refusal: "",
  thinking: "Думаю",
  calls: [
    { id: "call_1", name: "f", arguments: '{"a":1}' },
    { id: "call_2", name: "g", arguments: "" },
  ],
  finish: "tool-calls",
  stopSequence: null,
};
const SEAL = {
  kind: "thinking-end",
  signature: writeResponsesSeal({ id: "rs_0", encrypted: "gAAAA" }),
};

test("thinking with its seal, text and calls, streamed and whole", () => {
  for (const events of [
    readStream(responsesStream(ANSWER)),
    answerEvents(responsesWhole(ANSWER)),
    readStream([streamResponse(responsesWhole(ANSWER))]),
  ]) {
    assert.deepEqual(summaryOf(events), REPORTED);
    assert.deepEqual(
      events.filter(({ kind }) => kind === "thinking-end"),
      [SEAL],
    );
  }
});

test("events that an upstream leaves out are made up for by those that repeat them", () => {
  const all = responsesStream(ANSWER);
  for (const skipped of [/\.delta$/, /\.(?:delta|added)$/, /part\./, /\.(?:text|arguments)\.done$/])
    assert.deepEqual(
      summaryOf(
        readStream(all.filter((event) => !skipped.test(event.toString().split("\n", 1)[0] ?? ""))),
      ),
      REPORTED,
      String(skipped),
    );
  const [first, last] = [all[0] ?? Buffer.alloc(0), all.at(-1) ?? Buffer.alloc(0)];
  assert.deepEqual(summaryOf(readStream([first, last])), REPORTED);
});

test("why it ended: by its words, its refusal, its calls", () => {
  const finishOf = (answer: ResponsesAnswer): unknown[] =>
    [readStream(responsesStream(answer)), answerEvents(responsesWhole(answer))].map(
      (events) => summaryOf(events).finish,
    );
  const text = { type: "message", pieces: ["a"] } as const;
  const refusal = { type: "message", pieces: ["no"], refusal: true } as const;
  assert.deepEqual(finishOf({ items: [text] }), ["stop", "stop"]);
  assert.deepEqual(finishOf({ items: [refusal] }), ["refusal", "refusal"]);
  assert.deepEqual(finishOf({ items: [text], incomplete: "content_filter" }), [
    "refusal",
    "refusal",
  ]);
  for (const reason of ["max_output_tokens", "max_tool_calls"])
    assert.deepEqual(finishOf({ items: [text], incomplete: reason }), ["length", "length"]);
});

test("reasoning without words is sealed thinking that shows none; without a seal it has none", () => {
  const kinds = (item: ResponsesAnswer["items"][number]): unknown[] =>
    answerEvents(responsesWhole({ items: [item] })).slice(1, -1);
  assert.deepEqual(kinds({ type: "reasoning", pieces: [], encrypted: "x" }), [
    { kind: "redacted-thinking", data: writeResponsesSeal({ id: "rs_0", encrypted: "x" }) },
  ]);
  assert.deepEqual(kinds({ type: "reasoning", pieces: ["a"] }), [
    { kind: "thinking", text: "a" },
    { kind: "thinking-end", signature: null },
  ]);
  assert.deepEqual(kinds({ type: "reasoning", pieces: [] }), []);
});

test("the parts of a summary are one thought, apart", () => {
  const read = createEventReader();
  const frames = createResponsesFrameReader();
  const part = (index: number, delta: string): Buffer =>
    Buffer.from(
      `data: ${JSON.stringify({ type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: index, delta })}\n\n`,
    );
  const events = [part(0, "a"), part(0, "b"), part(1, "c"), part(1, "d")]
    .flatMap((event) => frames.push(event))
    .flatMap((frame) => read(frame));
  const texts = events.flatMap((event) => (event.kind === "thinking" ? [event.text] : []));
  assert.equal(texts.join(""), "ab\n\ncd");
});

test("the text of a custom tool is the one argument of a function, however it is cut", () => {
  const item = { type: "custom_tool_call", call_id: "c", name: "patch", id: "ctc_1" };
  const input = '*** "begin"\n\\ 🙂 end';
  const place = { output_index: 0, item_id: "ctc_1" };
  const deltas = [...input].map((delta, at) => ({
    type: "response.custom_tool_call_input.delta",
    sequence_number: at,
    ...place,
    delta,
  }));
  const events = readStream(
    [
      { type: "response.output_item.added", output_index: 0, item: { ...item, input: "" } },
      ...deltas,
      { type: "response.custom_tool_call_input.done", ...place, input },
      { type: "response.output_item.done", output_index: 0, item: { ...item, input } },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ].map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)),
  );
  const [call] = summaryOf(events).calls;
  assert.deepEqual(JSON.parse(call?.arguments ?? ""), { input });
  const whole = answerEvents({ status: "completed", output: [{ ...item, input }] });
  assert.deepEqual(JSON.parse(summaryOf(whole).calls[0]?.arguments ?? ""), { input });
});
