/**
 * Guarantee: an answer of another protocol reaches the official SDK as an answer of OpenAI would,
 * and says the same.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { Stream } from "openai/streaming";
import { neutralAnswer, summaryOf } from "../../../test/support/neutral-answers.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, WireEvent } from "../chat-dialect.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { createCompletionAssembler } from "./assemble-completion.ts";
import { createChunkWriter, renderChunks } from "./event-writer.ts";

const IDENTITY: AnswerIdentity = {
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1_763_712_000,
  model: "sandbox-large",
  answerModel: null,
  promptTokens: 7,
  includeUsage: true,
};
const ID = "chatcmpl-0199a1b2c3d47e5f8a9b0c1d2e3f4a5b";
const USAGE = {
  ...NO_USAGE,
  inputTokens: 5,
  cachedInputTokens: 3,
  cacheWrite5mTokens: 2,
  outputTokens: 4,
  reasoningTokens: 1,
};
const WIRE_USAGE = {
  prompt_tokens: 10,
  completion_tokens: 4,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};

const START: NeutralEvent = { kind: "start", id: "msg_1", model: "claude" };
const text = (piece: string): NeutralEvent => ({ kind: "text", text: piece });
const thinking = (piece: string): NeutralEvent => ({ kind: "thinking", text: piece });
const seal = (signature: string | null): NeutralEvent => ({ kind: "thinking-end", signature });
const toolStart = (call: number): NeutralEvent => ({
  kind: "tool-start",
  call,
  id: `toolu_${call}`,
  name: `tool_${call}`,
});
const json = (call: number, piece: string): NeutralEvent => ({
  kind: "tool-arguments",
  call,
  json: piece,
});
const finish = (
  reason: Extract<NeutralEvent, { kind: "finish" }>["reason"] = "stop",
): NeutralEvent => ({
  kind: "finish",
  reason,
  stopSequence: null,
});

/** The chunks of a whole answer, as they are after their way over the wire. */
function written(
  events: readonly NeutralEvent[],
  identity: Partial<AnswerIdentity> = {},
): WireEvent[] {
  const writer = createChunkWriter({ ...IDENTITY, ...identity });
  return onWire([...writer.write(events), ...writer.end(USAGE)]);
}

function onWire(events: readonly WireEvent[]): WireEvent[] {
  return JSON.parse(JSON.stringify(events));
}

const head = { id: ID, object: "chat.completion.chunk", created: 1_763_712_000, model: "claude" };
const chunk = (delta: object, finishReason: string | null = null): WireEvent => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  usage: null,
});
const role = (content: "" | null): WireEvent =>
  chunk({ role: "assistant", content, refusal: null });
const usage: WireEvent = { ...head, choices: [], usage: WIRE_USAGE };

async function accumulate(chunks: readonly object[]): Promise<ChatCompletion> {
  const lines = chunks.map((event) => `${JSON.stringify(event)}\n`).join("");
  return ChatCompletionStream.fromReadableStream(
    new Blob([lines]).stream() as never,
  ).finalChatCompletion();
}

async function overTheWire(bytes: Buffer): Promise<ChatCompletionChunk[]> {
  const stream = Stream.fromSSEResponse<ChatCompletionChunk>(
    new Response(new Uint8Array(bytes)),
    new AbortController(),
  );
  return Array.fromAsync(stream);
}

test("a text, as OpenAI streams it", () => {
  assert.deepEqual(written([START, text("При"), text("вет 👋"), finish()]), [
    role(""),
    chunk({ content: "При" }),
    chunk({ content: "вет 👋" }),
    chunk({}, "stop"),
    usage,
  ]);
});

test("usage is null in the other chunks where it was asked for, and nowhere where it was not", () => {
  for (const event of written([START, text("a"), finish()], { includeUsage: false }))
    assert.ok(!("usage" in event));
});

test("two parallel calls, interleaved; a call comes with a null content, and one without arguments with an empty object", () => {
  const events = [
    START,
    toolStart(0),
    json(0, '{"a":'),
    toolStart(1),
    json(0, "1}"),
    finish("tool-calls"),
  ];
  const call = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] });
  assert.deepEqual(written(events), [
    role(null),
    call(0, { id: "toolu_0", type: "function", function: { name: "tool_0", arguments: "" } }),
    call(0, { function: { arguments: '{"a":' } }),
    call(1, { id: "toolu_1", type: "function", function: { name: "tool_1", arguments: "" } }),
    call(0, { function: { arguments: "1}" } }),
    call(1, { function: { arguments: "{}" } }),
    chunk({}, "tool_calls"),
    usage,
  ]);
});

test("sealed thinking is said once more before the first call, with what was redacted; without a seal it is not", () => {
  const events = [
    START,
    thinking("Ду"),
    thinking("маю"),
    seal("sig="),
    { kind: "redacted-thinking", data: "xyz" } as const,
    toolStart(0),
  ];
  const details = [
    {
      type: "reasoning.text",
      text: "Думаю",
      signature: "sig=",
      format: "anthropic-claude-v1",
      index: 0,
    },
    { type: "reasoning.encrypted", data: "xyz", format: "anthropic-claude-v1", index: 1 },
  ];
  assert.deepEqual(written(events).slice(0, 4), [
    role(null),
    chunk({ reasoning_content: "Ду" }),
    chunk({ reasoning_content: "маю" }),
    chunk({ reasoning_details: details }),
  ]);
  assert.deepEqual(written([START, thinking("a"), seal("s"), text("b"), finish()]).slice(-3, -1), [
    chunk({ reasoning_details: [{ ...details[0], text: "a", signature: "s" }] }),
    chunk({}, "stop"),
  ]);
  for (const end of [[], [seal(null)]]) {
    assert.deepEqual(written([START, thinking("a"), ...end, text("b"), finish()]), [
      role(null),
      chunk({ reasoning_content: "a" }),
      chunk({ content: "b" }),
      chunk({}, "stop"),
      usage,
    ]);
  }
});

test("every reason to finish has its word; a refusal in words ends like any text", () => {
  const words = (["stop", "stop-sequence", "length", "context-full", "refusal"] as const).map(
    (reason) => {
      const assembler = createCompletionAssembler();
      for (const event of written([START, text("a"), finish(reason)])) assembler.add(event);
      return (assembler.completion() as unknown as ChatCompletion).choices[0]?.finish_reason;
    },
  );
  assert.deepEqual(words, ["stop", "stop", "length", "length", "content_filter"]);
  const refused = written([START, { kind: "refusal", text: "Нет." }, finish("refusal")]);
  assert.deepEqual(refused, [role(null), chunk({ refusal: "Нет." }), chunk({}, "stop"), usage]);
});

test("id and model: the upstream's where it has this protocol's form and may be named, else the gateway's", () => {
  const named = (event: NeutralEvent, identity: Partial<AnswerIdentity> = {}) => {
    const [first] = written([event, finish()], identity);
    return [first?.["id"], first?.["model"]];
  };
  assert.deepEqual(named(START), [ID, "claude"]);
  assert.deepEqual(named(START, { answerModel: "sandbox-small" }), [ID, "sandbox-small"]);
  assert.deepEqual(named({ kind: "start", id: null, model: null }), [ID, "sandbox-large"]);
  assert.deepEqual(named({ kind: "start", id: "chatcmpl-up", model: "m" }), ["chatcmpl-up", "m"]);
});

test("an answer without any word still has its role and its end", () => {
  assert.deepEqual(written([START, finish()]), [role(""), chunk({}, "stop"), usage]);
});

test("an end that never came is not made up; nothing follows an end", () => {
  const writer = createChunkWriter(IDENTITY);
  writer.write([START, text("a")]);
  assert.deepEqual(writer.end(USAGE), []);
  assert.equal(writer.write([finish()]).length, 1);
  assert.deepEqual(writer.write([text("b"), finish("length")]), []);
  assert.deepEqual(onWire(writer.end(USAGE)), [usage]);
  assert.deepEqual([...writer.end(USAGE), ...writer.limitStop(USAGE)], []);
});

test("the balance ends an answer wherever it stands: length, then the usage, and no call is completed for the caller", async () => {
  const stopped = async (events: readonly NeutralEvent[]) => {
    const writer = createChunkWriter(IDENTITY);
    const chunks = onWire([...writer.write(events), ...writer.limitStop(USAGE)]);
    return [chunks, (await accumulate(chunks)).choices[0]?.message] as const;
  };
  const [nothing] = await stopped([]);
  assert.deepEqual(nothing, [
    { ...role(""), model: "sandbox-large" },
    { ...chunk({}, "length"), model: "sandbox-large" },
    { ...usage, model: "sandbox-large" },
  ]);
  const [half, message] = await stopped([
    START,
    thinking("a"),
    seal("s"),
    thinking("b"),
    toolStart(0),
  ]);
  assert.deepEqual(half.slice(-2), [chunk({}, "length"), usage]);
  assert.deepEqual(message?.tool_calls, [
    { id: "toolu_0", type: "function", function: { name: "tool_0", arguments: "" } },
  ]);
  const [cutThinking] = await stopped([START, thinking("a"), seal("s"), thinking("b")]);
  const details = [
    { type: "reasoning.text", text: "a", signature: "s", format: "anthropic-claude-v1", index: 0 },
  ];
  assert.deepEqual(cutThinking.slice(-3), [
    chunk({ reasoning_details: details }),
    chunk({}, "length"),
    usage,
  ]);
  const [finished] = await stopped([START, text("a"), finish()]);
  assert.deepEqual(finished.slice(-2), [chunk({}, "stop"), usage]);
});

test("whatever an answer says, however it is cut, the official SDK puts together the same, and so does the assembler of this room", async () => {
  await fc.assert(
    fc.asyncProperty(
      neutralAnswer({ seals: true, refusals: true }),
      fc.array(fc.nat(40), { maxLength: 4 }),
      async (events, cuts) => {
        const writer = createChunkWriter(IDENTITY);
        const bounds = [
          0,
          ...cuts.map((cut) => Math.min(cut, events.length)).toSorted((a, b) => a - b),
          events.length,
        ];
        const chunks = bounds
          .slice(1)
          .flatMap((end, index) => writer.write(events.slice(bounds[index], end)));
        chunks.push(...writer.end(USAGE));

        const received = await overTheWire(
          Buffer.concat([renderChunks(chunks), Buffer.from("data: [DONE]\n\n")]),
        );
        assert.deepEqual(received, onWire(chunks));

        const reported = summaryOf(events);
        const completion = await accumulate(received);
        assert.deepEqual(completion.usage, WIRE_USAGE);
        const [choice] = completion.choices;
        const calls = choice?.message.tool_calls?.map((call) => {
          assert.ok(call.type === "function");
          return { id: call.id, name: call.function.name, arguments: call.function.arguments };
        });
        assert.equal(choice?.message.content ?? "", reported.text);
        assert.equal(choice?.message.refusal ?? "", reported.refusal);
        assert.deepEqual(calls ?? [], reported.calls);

        const assembler = createCompletionAssembler();
        for (const event of received) assembler.add(event);
        const assembled = onWire([assembler.completion()])[0] as unknown as ChatCompletion;
        assert.equal(assembled.choices[0]?.finish_reason, choice?.finish_reason);
        const message = assembled.choices[0]?.message as unknown as Record<string, unknown>;
        assert.equal(message["reasoning_content"] ?? "", reported.thinking);
        assert.deepEqual(
          message["reasoning_details"],
          (choice?.message as { reasoning_details?: unknown } | undefined)?.reasoning_details,
        );
        if (reported.calls.length === 0) assertSeals(events, message["reasoning_details"]);
      },
    ),
    { numRuns: 300 },
  );
});

/**
 * Every seal, with the thinking before it, and every redacted block, in order; nothing where there
 * is none.
 */
function assertSeals(events: readonly NeutralEvent[], details: unknown): void {
  const seals = events.flatMap((event) => {
    if (event.kind === "redacted-thinking") return [event.data];
    return event.kind === "thinking-end" && event.signature !== null ? [event.signature] : [];
  });
  const list = Array.isArray(details) ? details : [];
  assert.deepEqual(
    list.flatMap(({ data, signature }) => data ?? signature ?? []),
    seals,
  );
  const thought = list.map((detail) => detail.text ?? "").join("");
  assert.equal(thought, seals.length === 0 ? "" : summaryOf(events).thinking);
  assert.deepEqual(
    list.map(({ index }) => index),
    list.map((_, index) => index),
  );
}
