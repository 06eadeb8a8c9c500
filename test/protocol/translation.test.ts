/**
 * Guarantee: an answer that crosses from one protocol to the other drives the other's official SDK
 * and says the same (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_USAGE, type TokenUsage } from "../../src/kernel/token-usage.ts";
import { anthropicDialect } from "../../src/protocol/anthropic/dialect.ts";
import { anthropicUpstream } from "../../src/protocol/anthropic/upstream.ts";
import { answerPath } from "../../src/protocol/answer-path.ts";
import type {
  AnswerIdentity,
  ChatDialect,
  Frame,
  UpstreamDialect,
} from "../../src/protocol/chat-dialect.ts";
import { openAiDialect } from "../../src/protocol/openai/dialect.ts";
import { openAiUpstream } from "../../src/protocol/openai/upstream.ts";
import {
  anthropicMessage,
  anthropicStream,
  type AnthropicAnswer,
} from "../support/anthropic-stream.ts";
import {
  neutralAnswer,
  pieces,
  summaryOf,
  someArguments,
  someText,
} from "../support/neutral-answers.ts";
import { openAiCompletion, openAiStream, type OpenAiAnswer } from "../support/openai-stream.ts";
import { sdkCompletion } from "../support/sdk-completion.ts";
import { sdkMessage } from "../support/sdk-message.ts";

interface Pair {
  readonly caller: ChatDialect;
  readonly upstream: UpstreamDialect;
}
const TO_MESSAGES: Pair = { caller: anthropicDialect, upstream: openAiUpstream };
const TO_CHAT: Pair = { caller: openAiDialect, upstream: anthropicUpstream };

const IDENTITY: AnswerIdentity = {
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1_763_712_000,
  model: "sandbox-large",
  answerModel: null,
  promptTokens: 7,
  includeUsage: true,
};

/**
 * The pieces in which a connection gives the bytes: all at once, or cut after each of these
 * positions.
 */
function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const bounds = [
    0,
    ...cuts.map((position) => position % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
}

interface FrameList {
  readonly frames: readonly Frame[];
  readonly done: Frame | null;
  /** The last that was said of it, as the gateway would charge it. */
  readonly usage: TokenUsage;
}

function readFrames(upstream: UpstreamDialect, arriving: readonly Buffer[]): FrameList {
  const reader = upstream.createFrameReader();
  const all = arriving.flatMap((piece) => reader.push(piece));
  assert.ok(reader.finished, "the upstream's stream is whole");
  const [last] = all
    .flatMap(({ usage }) => (usage.kind === "valid" ? [usage.usage] : []))
    .slice(-1);
  return {
    frames: all.filter(({ kind }) => kind !== "done"),
    done: all.find(({ kind }) => kind === "done") ?? null,
    usage: last ?? NO_USAGE,
  };
}

function translate({ caller, upstream }: Pair, arriving: readonly Buffer[]): Buffer {
  const { frames, done, usage } = readFrames(upstream, arriving);
  const writer = answerPath(caller, upstream).createWriter(IDENTITY);
  const written = frames.map((frame) => writer.write(frame));
  return Buffer.concat([...written, writer.end(done, usage)].filter((bytes) => bytes !== null));
}

/** The same stream, asked for as a whole answer. */
function collect({ caller, upstream }: Pair, arriving: readonly Buffer[]): unknown {
  const { frames, usage } = readFrames(upstream, arriving);
  const collector = answerPath(caller, upstream).createCollector(IDENTITY);
  for (const frame of frames) collector.push(frame);
  return JSON.parse(collector.finish(usage, false).toString("utf8"));
}

/** An answer that came whole. */
function translateWhole({ caller, upstream }: Pair, data: Record<string, unknown>): unknown {
  const body = Buffer.from(JSON.stringify(data));
  const answer = upstream.readAnswer(body);
  assert.ok(answer.kind === "answer");
  const usage = answer.usage.kind === "valid" ? answer.usage.usage : NO_USAGE;
  return JSON.parse(
    answerPath(caller, upstream).wholeAnswer(answer, body, usage, IDENTITY).toString("utf8"),
  );
}

interface Heard {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
  }[];
  readonly finish: unknown;
}

async function heardInMessages(stream: Buffer): Promise<Heard> {
  const message = await sdkMessage(stream);
  const content = message["content"] as {
    type: string;
    text: string;
    thinking: string;
    id: string;
    name: string;
    input: unknown;
  }[];
  return {
    text: content.map(({ text }) => text ?? "").join(""),
    thinking: content.map(({ thinking }) => thinking ?? "").join(""),
    calls: content.flatMap(({ type, id, name, input }) =>
      type === "tool_use" ? [{ id, name, input }] : [],
    ),
    finish: message["stop_reason"],
  };
}

async function heardInChat(stream: Buffer): Promise<Heard> {
  const { completion, reasoning } = await sdkCompletion(stream);
  const [choice] = completion.choices;
  assert.ok(choice !== undefined);
  const calls = (choice.message.tool_calls ?? []).map((call) => {
    assert.ok(call.type === "function");
    return {
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments) as unknown,
    };
  });
  return {
    text: (choice.message.content ?? "") + (choice.message.refusal ?? ""),
    thinking: reasoning,
    calls,
    finish: choice.finish_reason,
  };
}

const somePieces = someText.chain(pieces);
const someCalls = fc
  .array(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), arguments: someArguments.chain(pieces) }),
    { maxLength: 4 },
  )
  .map((calls) => calls.map((call, index) => ({ ...call, id: `call_${index}` })));
const someCuts = fc.array(fc.nat(), { maxLength: 12 });

const CHAT_USAGE = {
  prompt_tokens: 20,
  completion_tokens: 30,
  total_tokens: 50,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 18 },
};
const someChatAnswer = fc.record({
  pieces: somePieces,
  reasoning: somePieces,
  toolCalls: someCalls,
  finishReason: fc.constantFrom("stop", "length", "content_filter"),
  usage: fc.constant(CHAT_USAGE),
});

function chatSays({
  pieces: text = [],
  reasoning = [],
  toolCalls = [],
  finishReason,
}: OpenAiAnswer): Heard {
  const stop = toolCalls.length > 0 ? "tool_use" : "end_turn";
  return {
    text: text.join(""),
    thinking: reasoning.join(""),
    calls: toolCalls.map((call) => ({
      id: call.id,
      name: call.name,
      input: JSON.parse(call.arguments.join("")) as unknown,
    })),
    finish:
      finishReason === "length"
        ? "max_tokens"
        : finishReason === "content_filter"
          ? "refusal"
          : stop,
  };
}

const MESSAGES_USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 6,
  cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 4 },
  output_tokens: 30,
};
const someBlock = fc.oneof(
  fc.record({ type: fc.constant("text" as const), pieces: somePieces }),
  fc.record({
    type: fc.constant("thinking" as const),
    pieces: somePieces,
    signature: fc.stringMatching(/^[A-Za-z0-9+/]{4,8}=$/),
  }),
);
const someMessagesAnswer = fc
  .tuple(fc.array(someBlock, { maxLength: 4 }), someCalls, fc.boolean())
  .map(([blocks, calls, limited]) => {
    const used = calls.map(({ id, name, arguments: json }) => ({
      type: "tool_use" as const,
      id,
      name,
      pieces: json,
    }));
    const start = { ...MESSAGES_USAGE, output_tokens: 1 };
    const answer: AnthropicAnswer = {
      blocks: [...blocks, ...used],
      startUsage: start,
      usage: MESSAGES_USAGE,
    };
    return limited ? { ...answer, stopReason: "max_tokens" } : answer;
  });

function messagesSay({ blocks, stopReason }: AnthropicAnswer): Heard {
  const joined = (type: "text" | "thinking") =>
    blocks.flatMap((block) => (block.type === type ? block.pieces : [])).join("");
  const calls = blocks.flatMap((block) =>
    block.type === "tool_use"
      ? [{ id: block.id, name: block.name, input: JSON.parse(block.pieces.join("")) as unknown }]
      : [],
  );
  const finish = stopReason === "max_tokens" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
  return { text: joined("text"), thinking: joined("thinking"), calls, finish };
}

test("a chat stream, however it is cut on its way, is heard whole by the SDK of the Messages protocol", async () => {
  await fc.assert(
    fc.asyncProperty(someChatAnswer, someCuts, async (answer, cuts) => {
      const translated = translate(TO_MESSAGES, cut(Buffer.concat(openAiStream(answer)), cuts));
      assert.deepEqual(await heardInMessages(translated), chatSays(answer));
    }),
    { numRuns: 150 },
  );
});

test("a Messages stream, however it is cut on its way, is heard whole by the SDK of Chat Completions", async () => {
  await fc.assert(
    fc.asyncProperty(someMessagesAnswer, someCuts, async (answer, cuts) => {
      const translated = translate(TO_CHAT, cut(Buffer.concat(anthropicStream(answer)), cuts));
      assert.deepEqual(await heardInChat(translated), messagesSay(answer));
    }),
    { numRuns: 150 },
  );
});

test("cut after any of its bytes, a stream comes out the same to the byte (hazards §9)", () => {
  const words = ["Приве", "т, мир ", "👋🏽", " 漢字\u2028"];
  const calls = [
    { id: "call_1", name: "f", arguments: ['{"город":"Мос', 'ква 🏙"}'] },
    { id: "call_2", name: "g", arguments: ["{", "}"] },
    { id: "call_3", name: "h", arguments: ['{"a":[1,', "2]}"] },
  ];
  const chat = Buffer.concat(
    openAiStream({
      pieces: words,
      reasoning: ["Ду", "маю 🤔"],
      toolCalls: calls,
      usage: CHAT_USAGE,
    }),
  );
  const blocks: AnthropicAnswer["blocks"] = [
    { type: "thinking", pieces: ["Ду", "маю 🤔"], signature: "c2ln" },
    { type: "text", pieces: words },
    ...calls.map(({ id, name, arguments: json }) => ({
      type: "tool_use" as const,
      id,
      name,
      pieces: json,
    })),
  ];
  const messages = Buffer.concat(
    anthropicStream({ blocks, startUsage: MESSAGES_USAGE, usage: MESSAGES_USAGE }),
  );
  for (const [pair, bytes] of [[TO_MESSAGES, chat] as const, [TO_CHAT, messages] as const]) {
    const whole = translate(pair, [bytes]).toString("utf8");
    assert.match(whole, /Мос.*ква 🏙/su);
    for (let position = 1; position < bytes.length; position++) {
      const arrived = translate(pair, [bytes.subarray(0, position), bytes.subarray(position)]);
      assert.equal(arrived.toString("utf8"), whole, `cut after byte ${position}`);
    }
    const single = Array.from(bytes, (byte) => Buffer.of(byte));
    assert.equal(translate(pair, single).toString("utf8"), whole, "byte by byte");
  }
});

test("calls and text that come between each other's pieces are put in order for the Messages protocol, and nothing is lost", async () => {
  await fc.assert(
    fc.asyncProperty(neutralAnswer({ seals: false, refusals: true }), async (events) => {
      const chunks = openAiDialect.createEventWriter(IDENTITY);
      const stream = openAiDialect.renderEvents([...chunks.write(events), ...chunks.end(NO_USAGE)]);
      const heard = await heardInMessages(translate(TO_MESSAGES, [stream]));
      const reported = summaryOf(events);
      // A refusal in words is text with its own stop reason in that protocol.
      assert.equal(
        [...heard.text].toSorted().join(""),
        [...reported.text, ...reported.refusal].toSorted().join(""),
      );
      if (reported.refusal === "") assert.equal(heard.text, reported.text);
      assert.equal(heard.thinking, reported.thinking);
      const calls = reported.calls.map((call) => ({
        id: call.id,
        name: call.name,
        input: JSON.parse(call.arguments) as unknown,
      }));
      assert.deepEqual(heard.calls, calls);
    }),
    { numRuns: 150 },
  );
});

test("an answer that has crossed both ways says what it said", async () => {
  await fc.assert(
    fc.asyncProperty(someChatAnswer, async (answer) => {
      const there = translate(TO_MESSAGES, openAiStream(answer));
      const back = await heardInChat(translate(TO_CHAT, [there]));
      const { finish: _, ...reported } = chatSays(answer);
      const stop = reported.calls.length > 0 ? "tool_calls" : "stop";
      assert.deepEqual(back, {
        ...reported,
        finish: answer.finishReason === "stop" ? stop : answer.finishReason,
      });
    }),
    { numRuns: 100 },
  );
});

test("a call whose arguments the limit has cut off does not break the stream", async () => {
  await fc.assert(
    fc.asyncProperty(someText, someArguments, fc.nat(), async (text, json, length) => {
      const call = {
        id: "call_1",
        name: "f",
        arguments: [json.slice(0, length % (json.length + 1))],
      };
      const heard = await heardInMessages(
        translate(
          TO_MESSAGES,
          openAiStream({ pieces: [text], toolCalls: [call], finishReason: "length" }),
        ),
      );
      assert.deepEqual([heard.text, heard.finish, heard.calls[0]?.name], [text, "max_tokens", "f"]);
    }),
    { numRuns: 100 },
  );
});

test("asked for whole, an answer is the same whether it came from its upstream whole or as a stream", () => {
  fc.assert(
    fc.property(someChatAnswer, (answer) => {
      assert.deepEqual(
        collect(TO_MESSAGES, openAiStream(answer)),
        translateWhole(TO_MESSAGES, openAiCompletion(answer)),
      );
    }),
    { numRuns: 100 },
  );
  fc.assert(
    fc.property(someMessagesAnswer, (answer) => {
      assert.deepEqual(
        collect(TO_CHAT, anthropicStream(answer)),
        translateWhole(TO_CHAT, anthropicMessage(answer)),
      );
    }),
    { numRuns: 100 },
  );
});

test("the prompt is counted once: cached tokens are a part of it in one protocol and beside it in the other (hazards §21)", async () => {
  const message = await sdkMessage(
    translate(TO_MESSAGES, openAiStream({ pieces: ["a"], usage: CHAT_USAGE })),
  );
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } =
    message["usage"] as Record<string, number>;
  assert.deepEqual(
    [input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens],
    [15, 5, 0, 30],
  );
  const blocks = [{ type: "text", pieces: ["a"] }] as const;
  const { completion } = await sdkCompletion(
    translate(
      TO_CHAT,
      anthropicStream({ blocks, startUsage: MESSAGES_USAGE, usage: MESSAGES_USAGE }),
    ),
  );
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details } =
    completion.usage ?? {};
  assert.deepEqual(
    [prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details?.cached_tokens],
    [20, 30, 50, 4],
  );
});

/** What goes to the upstream for a caller's body. */
function request({ caller, upstream }: Pair, body: object): Record<string, unknown> {
  const reading = caller.readRequest(Buffer.from(JSON.stringify(body)));
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  const target = { model: "up", stream: true, maxOutputTokens: 32_000, reasoning: true };
  const writing = answerPath(caller, upstream).writeRequest(reading.request, target);
  assert.ok(writing.ok, writing.ok ? "" : writing.fault.message);
  return JSON.parse(writing.body.toString("utf8"));
}

test("a chat client that sends an answer back gives an anthropic upstream its sealed thinking before its calls (hazards §35)", async () => {
  const blocks: AnthropicAnswer["blocks"] = [
    { type: "thinking", pieces: ["Надо ", "узнать"], signature: "c2VhbA==" },
    { type: "text", pieces: ["Смотрю."] },
    { type: "tool_use", id: "toolu_1", name: "weather", pieces: ['{"city":', '"Москва"}'] },
    { type: "tool_use", id: "toolu_2", name: "time", pieces: ["{}"] },
  ];
  const { completion } = await sdkCompletion(translate(TO_CHAT, anthropicStream({ blocks })));
  const sent = request(TO_CHAT, {
    model: "m",
    reasoning_effort: "low",
    tools: ["weather", "time"].map((name) => ({ type: "function", function: { name } })),
    messages: [
      { role: "user", content: "Погода?" },
      completion.choices[0]?.message,
      { role: "tool", tool_call_id: "toolu_1", content: "+3" },
      { role: "tool", tool_call_id: "toolu_2", content: "12:00" },
    ],
  });
  assert.deepEqual(sent["messages"], [
    { role: "user", content: [{ type: "text", text: "Погода?" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Надо узнать", signature: "c2VhbA==" },
        { type: "text", text: "Смотрю." },
        { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Москва" } },
        { type: "tool_use", id: "toolu_2", name: "time", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "+3" }] },
        { type: "tool_result", tool_use_id: "toolu_2", content: [{ type: "text", text: "12:00" }] },
      ],
    },
  ]);
  assert.deepEqual(sent["thinking"], { type: "enabled", budget_tokens: 2048 });
});

test("a Messages client that sends an answer back gives an openai upstream its reasoning beside its calls (hazards §35)", async () => {
  const toolCalls = [
    { id: "call_1", name: "weather", arguments: ['{"city":', '"Москва"}'] },
    { id: "call_2", name: "time", arguments: ["{}"] },
  ];
  const answer: OpenAiAnswer = { reasoning: ["Надо ", "узнать"], pieces: ["Смотрю."], toolCalls };
  const message = await sdkMessage(translate(TO_MESSAGES, openAiStream(answer)));
  const sent = request(TO_MESSAGES, {
    model: "m",
    max_tokens: 100,
    thinking: { type: "enabled", budget_tokens: 2000 },
    messages: [
      { role: "user", content: "Погода?" },
      { role: "assistant", content: message["content"] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "+3" },
          { type: "tool_result", tool_use_id: "call_2", content: "нет", is_error: true },
        ],
      },
    ],
  });
  const call = (id: string, name: string, json: string) => ({
    id,
    type: "function",
    function: { name, arguments: json },
  });
  assert.deepEqual(sent["messages"], [
    { role: "user", content: "Погода?" },
    {
      role: "assistant",
      content: "Смотрю.",
      reasoning_content: "Надо узнать",
      tool_calls: [call("call_1", "weather", '{"city":"Москва"}'), call("call_2", "time", "{}")],
    },
    { role: "tool", tool_call_id: "call_1", content: "+3" },
    { role: "tool", tool_call_id: "call_2", content: "Error: нет" },
  ]);
  assert.deepEqual([sent["reasoning_effort"], sent["max_completion_tokens"]], ["low", 100]);
});
