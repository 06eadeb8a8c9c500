/**
 * Guarantee: what an answer gave to the caller, thinking and its seal included, reaches the
 * upstream again when the caller puts it back in the usual way of its protocol, whichever two
 * protocols meet (hazards §35).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_USAGE } from "../../src/kernel/token-usage.ts";
import { anthropicDialect } from "../../src/protocol/anthropic/dialect.ts";
import { anthropicUpstream } from "../../src/protocol/anthropic/upstream.ts";
import type {
  AnswerIdentity,
  ChatDialect,
  UpstreamDialect,
} from "../../src/protocol/chat-dialect.ts";
import type { RequestTarget } from "../../src/protocol/neutral/neutral-request.ts";
import { openAiDialect } from "../../src/protocol/openai/dialect.ts";
import { openAiUpstream } from "../../src/protocol/openai/upstream.ts";
import {
  anthropicMessage,
  anthropicStream,
  type AnthropicAnswer,
} from "../support/anthropic-stream.ts";
import { openAiCompletion, openAiStream, type OpenAiAnswer } from "../support/openai-stream.ts";
import { sdkCompletion } from "../support/sdk-completion.ts";
import { sseEvent } from "../support/sse-event.ts";
import { sdkMessage } from "../support/sdk-message.ts";

type Json = Record<string, unknown>;

const IDENTITY: AnswerIdentity = {
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1_763_712_000,
  model: "m",
  answerModel: null,
  promptTokens: 7,
  includeUsage: true,
};
const USAGE = { ...NO_USAGE, inputTokens: 9, outputTokens: 5 };
const TARGET: RequestTarget = {
  model: "target",
  stream: true,
  maxOutputTokens: 32_000,
  reasoning: true,
};
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const THOUGHT = "Нужна погода 🌦 в двух городах.";
const SEAL = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h==";
const RESULTS = { c1: "снег ❄️", c2: "нет данных" };

/** What both upstreams answer first; only one of them seals what it thinks. */
const SEALED: AnthropicAnswer = {
  blocks: [
    { type: "thinking", pieces: ["Нужна погода ", "🌦 в двух городах."], signature: SEAL },
    { type: "text", pieces: ["Смот", "рю."] },
    { type: "tool_use", id: "c1", name: "get_weather", pieces: ['{"city":', '"Тверь"}'] },
    { type: "tool_use", id: "c2", name: "get_weather", pieces: ['{"city":"Орёл"}'] },
  ],
  startUsage: { input_tokens: 9, output_tokens: 1 },
  usage: { output_tokens: 5 },
};
const UNSEALED: OpenAiAnswer = {
  reasoning: ["Нужна погода ", "🌦 в двух городах."],
  pieces: ["Смот", "рю."],
  toolCalls: [
    { id: "c1", name: "get_weather", arguments: ['{"city":', '"Тверь"}'] },
    { id: "c2", name: "get_weather", arguments: ['{"city":', '"Орёл"}'] },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
};

interface Upstream {
  readonly dialect: UpstreamDialect;
  readonly stream: Buffer;
  readonly whole: Buffer;
}
const UPSTREAMS = {
  openai: {
    dialect: openAiUpstream,
    stream: Buffer.concat(openAiStream(UNSEALED)),
    whole: Buffer.from(JSON.stringify(openAiCompletion(UNSEALED))),
  },
  anthropic: {
    dialect: anthropicUpstream,
    stream: Buffer.concat(anthropicStream(SEALED)),
    whole: Buffer.from(JSON.stringify(anthropicMessage(SEALED))),
  },
} satisfies Record<string, Upstream>;

/** A caller: its first request, what its client makes of the answer, and how it goes on. */
interface Caller {
  readonly dialect: ChatDialect;
  readonly first: Json & { readonly messages: readonly unknown[] };
  /** The assistant's message, as the client's accumulator has it. */
  streamed(bytes: Buffer): Promise<unknown>;
  whole(answer: Json): unknown;
  readonly results: readonly unknown[];
}
const CALLERS = {
  chat: {
    dialect: openAiDialect,
    first: {
      model: "m",
      max_completion_tokens: 8000,
      reasoning_effort: "low",
      messages: [
        { role: "developer", content: "Отвечай кратко." },
        { role: "user", content: "Какая погода в Твери и Орле?" },
      ],
      tools: [{ type: "function", function: { name: "get_weather", parameters: SCHEMA } }],
    },
    async streamed(bytes) {
      const { completion, reasoning } = await sdkCompletion(bytes);
      // The SDK's own addition, for its structured answers.
      const { parsed: _added, ...message } = Object.fromEntries(
        Object.entries(completion.choices[0]?.message ?? {}),
      );
      return { ...message, reasoning_content: reasoning };
    },
    whole: (answer) => (answer["choices"] as { message: unknown }[])[0]?.message,
    results: Object.entries(RESULTS).map(([id, content]) => ({
      role: "tool",
      tool_call_id: id,
      content,
    })),
  },
  messages: {
    dialect: anthropicDialect,
    first: {
      model: "m",
      max_tokens: 8000,
      thinking: { type: "enabled", budget_tokens: 2048 },
      system: "Отвечай кратко.",
      messages: [{ role: "user", content: "Какая погода в Твери и Орле?" }],
      tools: [{ name: "get_weather", input_schema: SCHEMA }],
    },
    async streamed(bytes) {
      return { role: "assistant", content: (await sdkMessage(bytes))["content"] };
    },
    whole: (answer) => ({ role: "assistant", content: answer["content"] }),
    results: [
      {
        role: "user",
        content: Object.entries(RESULTS).map(([id, content]) => ({
          type: "tool_result",
          tool_use_id: id,
          content,
        })),
      },
    ],
  },
} satisfies Record<string, Caller>;

/** The request as it reaches the upstream. */
function sent(caller: Caller, upstream: Upstream, body: Json): Json {
  const reading = caller.dialect.readRequest(Buffer.from(JSON.stringify(body)));
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  const { request } = reading;
  if (caller.dialect.native === upstream.dialect.protocol) {
    return JSON.parse(
      request.rewrite({ model: "target", stream: true, includeUsage: true }).toString("utf8"),
    ) as Json;
  }
  const neutral = request.neutral();
  assert.ok(neutral.ok, neutral.ok ? "" : neutral.fault.message);
  const writing = upstream.dialect.writeRequest(neutral.request, TARGET);
  assert.ok(writing.ok, writing.ok ? "" : writing.fault.message);
  return JSON.parse(writing.body.toString("utf8")) as Json;
}

/** The upstream's stream as it reaches the caller. */
function relayed(caller: Caller, upstream: Upstream): Buffer {
  const frames = upstream.dialect.createFrameReader().push(upstream.stream);
  const data = frames.filter(({ kind }) => kind === "data");
  const done = frames.find(({ kind }) => kind === "done") ?? null;
  if (caller.dialect.native === upstream.dialect.protocol) {
    const writer = caller.dialect.createNativeWriter(IDENTITY);
    return Buffer.concat(
      [
        ...data.map((frame) => writer.write(frame)),
        writer.end(done, USAGE),
        caller.dialect.streamEnd,
      ].filter((bytes) => bytes !== null),
    );
  }
  const read = upstream.dialect.createEventReader();
  const writer = caller.dialect.createEventWriter(IDENTITY);
  const events = data.flatMap((frame) => writer.write(read(frame)));
  return Buffer.concat([
    caller.dialect.renderEvents([...events, ...writer.end(USAGE)]),
    caller.dialect.streamEnd,
  ]);
}

/** The upstream's whole answer as it reaches the caller. */
function answered(caller: Caller, upstream: Upstream): Json {
  const reading = upstream.dialect.readAnswer(upstream.whole);
  assert.ok(reading.kind === "answer");
  if (caller.dialect.native === upstream.dialect.protocol) return reading.data;
  const writer = caller.dialect.createEventWriter(IDENTITY);
  const assembler = caller.dialect.createAssembler();
  for (const event of [
    ...writer.write(upstream.dialect.answerEvents(reading.data)),
    ...writer.end(USAGE),
  ])
    assembler.add(event);
  return JSON.parse(assembler.finish(null).toString("utf8")) as Json;
}

const CALLS = [
  { type: "tool_use", id: "c1", name: "get_weather", input: { city: "Тверь" } },
  { type: "tool_use", id: "c2", name: "get_weather", input: { city: "Орёл" } },
];
const TEXT = { type: "text", text: "Смотрю." };
const SEALED_BLOCK = { type: "thinking", thinking: THOUGHT, signature: SEAL };

/** The last two messages that an anthropic upstream gets. */
function assertMessages(body: Json, thinking: readonly unknown[]): void {
  const [assistant, results, ...rest] = (body["messages"] as Json[]).slice(1);
  assert.deepEqual(assistant, { role: "assistant", content: [...thinking, TEXT, ...CALLS] });
  assert.deepEqual(rest, []);
  const content = results?.["content"] as Json[];
  assert.deepEqual(
    content.map((block) => [block["type"], block["tool_use_id"], textOf(block["content"])]),
    Object.entries(RESULTS).map(([id, reported]) => ["tool_result", id, reported]),
  );
}

function textOf(content: unknown): unknown {
  return Array.isArray(content) ? content.map((block: Json) => block["text"]).join("") : content;
}

/** The last three messages that an openai upstream gets. */
function assertChat(body: Json): void {
  const [assistant, ...results] = (body["messages"] as Json[]).slice(-3);
  assert.deepEqual(
    [assistant?.["role"], assistant?.["content"], assistant?.["reasoning_content"]],
    ["assistant", "Смотрю.", THOUGHT],
  );
  const calls =
    (assistant?.["tool_calls"] as {
      id: string;
      type: string;
      function: { name: string; arguments: string };
    }[]) ?? [];
  assert.deepEqual(
    calls.map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments) as unknown,
    })),
    CALLS,
  );
  assert.deepEqual(
    results.map((result) => [result["role"], result["tool_call_id"], result["content"]]),
    Object.entries(RESULTS).map(([id, reported]) => ["tool", id, reported]),
  );
}

for (const [callerName, caller] of Object.entries<Caller>(CALLERS)) {
  for (const [upstreamName, upstream] of Object.entries<Upstream>(UPSTREAMS)) {
    for (const form of ["streamed", "whole"] as const) {
      test(`${callerName} before ${upstreamName}, ${form}: the second request carries what the first answer gave`, async () => {
        const reported =
          form === "streamed"
            ? await caller.streamed(relayed(caller, upstream))
            : caller.whole(answered(caller, upstream));
        const second = sent(caller, upstream, {
          ...caller.first,
          messages: [...caller.first.messages, reported, ...caller.results],
        });
        // The model goes on thinking: nothing is missing that the upstream would ask for.
        if (upstreamName === "openai") {
          assertChat(second);
          assert.equal(second["reasoning_effort"], "low");
        } else {
          assertMessages(second, [SEALED_BLOCK]);
          assert.deepEqual(second["thinking"], { type: "enabled", budget_tokens: 2048 });
        }
      });
    }
  }
}

const GEMINI_SEAL = "CiQB+/9b==, и знак";
const SIGNED_CALL = {
  id: "c1",
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Тверь"}' },
  extra_content: { google: { thought_signature: GEMINI_SEAL } },
};
const UNSIGNED_CALL = {
  id: "c2",
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Орёл"}' },
};

/**
 * Gemini's answer: two calls without an index, of which the first has the seal on the thought
 * before them.
 */
function geminiUpstream(): Upstream {
  const head = { id: "g", created: 1_763_712_000, model: "gemini" };
  const message = { role: "assistant", content: null, tool_calls: [SIGNED_CALL, UNSIGNED_CALL] };
  const end = { finish_reason: "tool_calls" };
  return {
    dialect: openAiUpstream,
    stream: Buffer.concat([
      sseEvent({
        ...head,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: message, ...end }],
      }),
      sseEvent("[DONE]"),
    ]),
    whole: Buffer.from(
      JSON.stringify({
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, ...end }],
      }),
    ),
  };
}

for (const [callerName, caller] of Object.entries<Caller>(CALLERS)) {
  for (const form of ["streamed", "whole"] as const) {
    test(`${callerName} before Gemini, ${form}: the second request has the seal on the call again, without which it is refused`, async () => {
      const gemini = geminiUpstream();
      const reported =
        form === "streamed"
          ? await caller.streamed(relayed(caller, gemini))
          : caller.whole(answered(caller, gemini));
      const calls = (Reflect.get(Object(reported), "content") ?? []) as Json[];
      for (const { id } of calls)
        assert.match(String(id), /^[a-zA-Z0-9_-]+$/, "signs that any vendor takes in an id");
      const results = JSON.parse(
        JSON.stringify(caller.results).replace(
          '"tool_use_id":"c1"',
          `"tool_use_id":${JSON.stringify(calls[0]?.["id"])}`,
        ),
      ) as unknown[];
      const second = sent(caller, gemini, {
        ...caller.first,
        messages: [...caller.first.messages, reported, ...results],
      });
      const [assistant, ...answers] = (second["messages"] as Json[]).slice(-3);
      assert.deepEqual(assistant?.["tool_calls"], [SIGNED_CALL, UNSIGNED_CALL]);
      assert.deepEqual(
        answers.map((answer) => answer["tool_call_id"]),
        ["c1", "c2"],
      );
    });
  }
}

test("a conversation may go on before another upstream: thinking as far as its seal is known there", async () => {
  const go = async (caller: Caller, from: Upstream, to: Upstream): Promise<Json> => {
    const reported = await caller.streamed(relayed(caller, from));
    return sent(caller, to, {
      ...caller.first,
      messages: [...caller.first.messages, reported, ...caller.results],
    });
  };
  const { openai, anthropic } = UPSTREAMS;
  assertChat(await go(CALLERS.messages, anthropic, openai));
  assertChat(await go(CALLERS.chat, anthropic, openai));
  const unsealed = await go(CALLERS.chat, openai, anthropic);
  assertMessages(unsealed, []);
  assert.equal(
    unsealed["thinking"],
    undefined,
    "the vendor would ask for the thinking that it cannot have",
  );
});
