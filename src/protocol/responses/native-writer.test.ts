/**
 * Guarantee: an upstream's own stream passes to a caller of its protocol byte for byte, but for the
 * response's id, its model's name and the usage charged; stopped or broken, it still has its end.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertResponseStream, responseEvents } from "../../../test/support/strict-response.ts";
import { Fault } from "../../kernel/faults.ts";
import { createSeal } from "../../kernel/seal.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, Frame, WireEvent } from "../chat-dialect.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { StreamFrame } from "../stream-frame.ts";
import { createResponsesFrameReader } from "./create-frame-reader.ts";
import { createResponseWriter } from "./event-writer.ts";
import { createResponsePasser } from "./native-writer.ts";
import { renderResponseEvents } from "./render-events.ts";

const UPSTREAMS: AnswerIdentity = {
  requestId: "ffffffff-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1_763_712_000,
  model: "gpt-upstream",
  answerModel: null,
  promptTokens: 7,
  includeUsage: true,
};
const OURS = {
  ...UPSTREAMS,
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  answerModel: "sold",
};
type Passer = ReturnType<typeof createResponsePasser>;
const SEAL = { seal: createSeal("a secret of at least thirty-two characters"), accountId: "a-1" };
const USAGE = { ...NO_USAGE, inputTokens: 5, outputTokens: 4 };
const ANSWER: readonly NeutralEvent[] = [
  { kind: "start", id: null, model: null },
  { kind: "thinking", text: "Дума" },
  { kind: "thinking", text: "ю" },
  { kind: "thinking-end", signature: null },
  { kind: "text", text: "При" },
  { kind: "text", text: "вет" },
  { kind: "tool-start", call: 0, id: "call_0", name: "f" },
  { kind: "tool-arguments", call: 0, json: '{"a":1}' },
  { kind: "finish", reason: "tool-calls", stopSequence: null },
];

class EventFrame extends StreamFrame {
  readonly #event: WireEvent;
  constructor(event: WireEvent) {
    const ended = event["type"] === "response.completed";
    super("data", renderResponseEvents([event]), null, "", true, ended);
    this.#event = event;
  }
  override get payload(): WireEvent {
    return this.#event;
  }
}

function upstreamFrames(): Frame[] {
  const writer = createResponseWriter(UPSTREAMS);
  const events = [...writer.write(ANSWER), ...writer.end(USAGE)];
  return events.map((event) => new EventFrame(JSON.parse(JSON.stringify(event)) as WireEvent));
}

test("bytes pass, and what is ours is put in their place", () => {
  const frames = upstreamFrames();
  const passer = createResponsePasser(OURS);
  const passed = frames.flatMap((frame) => passer.write(frame) ?? []);
  const end = passer.end(null, USAGE);
  assert.ok(end !== null);
  const all = Buffer.concat([...passed, end]).toString();
  const expected = Buffer.concat(frames.map(({ bytes }) => bytes))
    .toString()
    .replaceAll(
      '"id":"resp_ffffffffc3d47e5f8a9b0c1d2e3f4a5b"',
      '"id":"resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"',
    )
    .replaceAll('"model":"gpt-upstream"', '"model":"sold"');
  assert.equal(all, expected);
});

test("the usage shown is the one charged", () => {
  const passer = createResponsePasser(OURS);
  for (const frame of upstreamFrames()) passer.write(frame);
  const charged = { ...USAGE, outputTokens: 9 };
  const [last] = responseEvents(passer.end(null, charged) ?? "");
  assert.partialDeepStrictEqual(last?.["response"], {
    usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14 },
  });
});

test("stopped by the balance after any event, what was begun is ended, and the response is incomplete", () => {
  const frames = upstreamFrames();
  for (let length = 0; length < frames.length; length++) {
    const passer = createResponsePasser(OURS);
    const passed = frames.slice(0, length).flatMap((frame) => passer.write(frame) ?? []);
    const events = responseEvents(Buffer.concat([...passed, passer.limitStop(USAGE)]));
    const response = assertResponseStream(events);
    assert.equal(response["status"], "incomplete", String(length));
    assert.equal(response["id"], "resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b");
    assert.equal(response["model"], "sold");
  }
});

test("stopped behind events that repeat one another, all that they said is in the output", () => {
  const words = ["один ", "два ", "три ", "four ", "five ", "six "];
  const writer = createResponseWriter(UPSTREAMS);
  const events = writer.write([
    { kind: "start", id: null, model: null },
    ...words.map((text) => ({ kind: "text", text }) as const),
  ]);
  const reader = createResponsesFrameReader();
  const frames = events.flatMap((event) => reader.push(renderResponseEvents([event])));
  assert.ok(frames.filter(({ repeats }) => repeats).length > 2, "most of them are known again");
  for (let length = frames.length - 4; length <= frames.length; length++) {
    const passer = createResponsePasser(OURS);
    const passed = frames.slice(0, length).flatMap((frame) => passer.write(frame) ?? []);
    const bytes = Buffer.concat([...passed, passer.limitStop(USAGE)]);
    const response = assertResponseStream(responseEvents(bytes));
    const text = words.slice(0, words.length - (frames.length - length)).join("");
    assert.partialDeepStrictEqual(response["output"], [{ content: [{ text }] }]);
  }
});

test("broken off where its end was made and never left, it goes on from what its caller has", () => {
  const frames = upstreamFrames();
  for (let length = 0; length <= frames.length; length++) {
    const passer = createResponsePasser(OURS);
    const passed = frames.slice(0, length).flatMap((frame) => passer.write(frame) ?? []);
    passer.limitStop(USAGE);
    const failed = passer.failed?.(new Fault("overloaded")) ?? Buffer.alloc(0);
    const response = assertResponseStream(responseEvents(Buffer.concat([...passed, failed])));
    assert.equal(response["status"], "failed", String(length));
  }
});

test("an end that is made here says what the beginning said, and of a failed one that it is not kept", () => {
  const body = { model: "sold", input: "a", previous_response_id: "resp_before" };
  const asked = { request: { body }, seal: SEAL, keeps: true, seconds: () => 1 };
  const begun = (end: (passer: Passer) => Buffer | undefined) => {
    const passer = createResponsePasser({ ...OURS, asked });
    const passed = upstreamFrames()
      .slice(0, 5)
      .flatMap((frame) => passer.write(frame) ?? []);
    return assertResponseStream(
      responseEvents(Buffer.concat([...passed, end(passer) ?? Buffer.alloc(0)])),
    );
  };
  const stopped = begun((passer) => passer.limitStop(USAGE));
  const broken = begun((passer) => passer.failed?.(new Fault("upstream_error")));
  assert.deepEqual([stopped["previous_response_id"], stopped["store"]], ["resp_before", true]);
  assert.deepEqual([broken["previous_response_id"], broken["store"]], ["resp_before", false]);
});

test("broken off after any event, the response has failed", () => {
  const frames = upstreamFrames();
  for (let length = 0; length < frames.length; length++) {
    const passer = createResponsePasser(OURS);
    const passed = frames.slice(0, length).flatMap((frame) => passer.write(frame) ?? []);
    const failed = passer.failed?.(new Fault("upstream_error"));
    assert.ok(failed !== undefined);
    const response = assertResponseStream(responseEvents(Buffer.concat([...passed, failed])));
    assert.equal(response["status"], "failed", String(length));
  }
});
