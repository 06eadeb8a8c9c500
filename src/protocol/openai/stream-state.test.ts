/**
 * Guarantee: a stream can be ended properly at any point, and only a finished one counts as
 * finished (hazards §7, §112, §116).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { createEventSplitter, parseEvent } from "../sse/split-events.ts";
import { limitStop } from "./limit-stop.ts";
import { readChunk } from "./read-chunk.ts";
import { createStreamState, type StreamState } from "./stream-state.ts";

const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 100, model: "echo" };
const FALLBACK = {
  requestId: "fallback",
  created: 1,
  model: "fallback",
  answerModel: null,
  promptTokens: 0,
  includeUsage: true,
};
const USAGE = { ...NO_USAGE, inputTokens: 5, outputTokens: 7 };

function stateAfter(chunks: readonly object[]): StreamState {
  const state = createStreamState();
  for (const chunk of chunks) {
    const reading = readChunk(parseEvent(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)));
    assert.ok(reading.kind === "chunk");
    state.add(reading);
  }
  return state;
}

const say = (index: number, content: string) => ({
  ...HEAD,
  choices: [{ index, delta: { role: "assistant", content }, finish_reason: null }],
});
const finish = (index: number) => ({
  ...HEAD,
  choices: [{ index, delta: {}, finish_reason: "stop" }],
});

test("open choices are those without a finish reason", () => {
  const state = stateAfter([say(1, "b"), say(0, "a"), say(2, "c"), finish(1)]);
  assert.deepEqual(state.openChoices, [0, 2]);
  assert.equal(state.finished, false);
  assert.deepEqual([...state.finishReasons], [[1, "stop"]]);
  assert.equal(stateAfter([say(0, "a"), finish(0)]).finished, true);
  assert.equal(stateAfter([]).finished, false);
  assert.deepEqual(stateAfter([say(0, "a"), finish(0), say(0, "")]).openChoices, []);
});

function eventsOf(bytes: Buffer): unknown[] {
  return createEventSplitter(1e6)
    .push(bytes)
    .events.map(({ data }) => (data === "[DONE]" ? data : JSON.parse(data ?? "null")));
}

test("a stopped stream ends with length for every open choice, usage where asked, and [DONE]", () => {
  const state = stateAfter([say(0, "a"), say(1, "b"), say(2, "c"), finish(1)]);
  const stop = (index: number) => ({
    ...HEAD,
    choices: [{ index, delta: {}, logprobs: null, finish_reason: "length" }],
  });
  assert.deepEqual(eventsOf(limitStop({ state, usage: null, identity: FALLBACK })), [
    stop(0),
    stop(2),
    "[DONE]",
  ]);
  const [first, second, usage, done] = eventsOf(
    limitStop({ state, usage: USAGE, identity: FALLBACK }),
  );
  assert.deepEqual(
    [first, second],
    [
      { ...stop(0), usage: null },
      { ...stop(2), usage: null },
    ],
  );
  assert.deepEqual(usage, {
    ...HEAD,
    choices: [],
    usage: {
      prompt_tokens: 5,
      completion_tokens: 7,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
  assert.equal(done, "[DONE]");
});

test("a stream stopped before it said anything is still a whole one", () => {
  const [only] = eventsOf(
    limitStop({ state: createStreamState(), usage: null, identity: FALLBACK }),
  );
  assert.deepEqual(only, {
    id: "chatcmpl-fallback",
    created: 1,
    model: "fallback",
    object: "chat.completion.chunk",
    choices: [
      {
        index: 0,
        delta: { role: "assistant", content: "" },
        logprobs: null,
        finish_reason: "length",
      },
    ],
  });
});

test("the official SDK accepts the stopped stream as one completion that ended by length", async () => {
  const chunks = [say(0, "Прив"), say(0, "ет")];
  const stop = eventsOf(
    limitStop({ state: stateAfter(chunks), usage: USAGE, identity: FALLBACK }),
  ).filter((event) => event !== "[DONE]");
  const lines = [...chunks, ...stop].map((chunk) => `${JSON.stringify(chunk)}\n`).join("");
  const completion = await ChatCompletionStream.fromReadableStream(
    new Blob([lines]).stream(),
  ).finalChatCompletion();
  assert.equal(completion.choices[0]?.message.content, "Привет");
  assert.equal(completion.choices[0]?.finish_reason, "length");
  assert.equal(completion.usage?.total_tokens, 12);
});
