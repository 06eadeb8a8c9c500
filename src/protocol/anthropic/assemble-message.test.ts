/**
 * Guarantee: an answer streamed from the upstream and assembled is the one that the upstream would
 * have given whole (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { createSandbox, type Sandbox } from "../../../sandbox/create-sandbox.ts";
import { GOLDEN_MESSAGES } from "../../../test/support/golden-messages.ts";
import { randomMessage } from "../../../test/support/random-messages.ts";
import { sdkMessage } from "../../../test/support/sdk-message.ts";
import { sseEvent } from "../../../test/support/sse-event.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { createMessageAssembler } from "./assemble-message.ts";
import { createMessagesFrameReader } from "./create-frame-reader.ts";

type Json = Record<string, unknown>;

const named = (event: Json): Buffer => sseEvent(event, String(event["type"]));

function assembleText(events: readonly Json[], stopped: TokenUsage | null = null): string {
  const assembler = createMessageAssembler();
  for (const event of events) assembler.add(event);
  return assembler.finish(stopped, stopped !== null).toString();
}

const assemble = (events: readonly Json[], stopped: TokenUsage | null = null): Json =>
  JSON.parse(assembleText(events, stopped)) as Json;

const begin = (rest: Json = {}): Json => ({
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "x",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...rest,
  },
});
const opened = (index: number, block: Json): Json => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const piece = (index: number, delta: Json): Json => ({ type: "content_block_delta", index, delta });

for (const { name, events, whole } of GOLDEN_MESSAGES) {
  test(`golden answer: ${name}`, async () => {
    assert.deepEqual(assemble(events), whole);
    // What the golden answers are is not only our word.
    assert.deepEqual(await sdkMessage(Buffer.concat(events.map(named))), whole);
  });
}

test("any answer, streamed in any way, is assembled to itself, byte for byte", () => {
  fc.assert(
    fc.property(randomMessage, ({ whole, events }) => {
      const sent = JSON.stringify(events);
      assert.equal(assembleText(events), JSON.stringify(whole));
      assert.equal(JSON.stringify(events), sent);
    }),
    { numRuns: 500 },
  );
});

test("any answer: the official SDK reads the same from the stream", async () => {
  await fc.assert(
    fc.asyncProperty(randomMessage, async ({ events }) => {
      assert.deepEqual(assemble(events), await sdkMessage(Buffer.concat(events.map(named))));
    }),
    { numRuns: 100 },
  );
});

test("the arguments of a tool stay to the digit and in their order", () => {
  const json = '{"id": 12345678901234567890, "b": 1.0, "2": 1e3, "1": -0, "text": " a \\u043f "}';
  const text = assembleText([
    begin(),
    opened(0, { type: "tool_use", id: "t", name: "f", input: {} }),
    ...Array.from(json, (partial) => piece(0, { type: "input_json_delta", partial_json: partial })),
  ]);
  assert.ok(
    text.includes(
      '"input":{"id":12345678901234567890,"b":1.0,"2":1e3,"1":-0,"text":" a \\u043f "}',
    ),
    text,
  );
});

test("arguments that came whole stay; those that were cut off or broken are still an object", () => {
  const input = (begun: unknown, ...pieces: string[]): unknown => {
    const message = assemble([
      begin(),
      opened(0, { type: "tool_use", id: "t", name: "f", input: begun }),
      ...pieces.map((partial) => piece(0, { type: "input_json_delta", partial_json: partial })),
    ]);
    return (message["content"] as Json[])[0]?.["input"];
  };
  assert.deepEqual(input({ a: 1 }), { a: 1 });
  assert.deepEqual(input(undefined, '{"a": 1}'), { a: 1 });
  assert.deepEqual(input({}, ""), {});
  assert.deepEqual(input({}, '{"a": "x", "b": "Ниж'), { a: "x" });
  assert.deepEqual(input({}, "<html>"), {});
});

test("fields of newer versions and of betas: kept, and the last word that is not null counts", () => {
  const management = {
    applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 3 }],
  };
  const message = assemble([
    begin({
      container: { id: "c1" },
      context_management: null,
      usage: { input_tokens: 5, iterations: null, speed: "fast" },
    }),
    opened(0, { type: "compaction", content: null }),
    piece(0, { type: "compaction_delta", content: "summary", encrypted_content: "E" }),
    opened(1, { type: "fallback", from: { model: "x" }, to: { model: "y" } }),
    opened(2, { type: "made_up", body: "a", list: [1] }),
    piece(2, { type: "made_up_delta", body: "b", list: [2], score: 7, nothing: null }),
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null, container: null, stop_details: null },
      context_management: management,
      usage: { output_tokens: 9, input_tokens: null, iterations: [{ type: "message" }] },
    },
  ]);
  assert.deepEqual(message, {
    id: "m",
    type: "message",
    role: "assistant",
    model: "y",
    content: [
      { type: "compaction", content: "summary", encrypted_content: "E" },
      { type: "fallback", from: { model: "x" }, to: { model: "y" } },
      { type: "made_up", body: "ab", list: [1, 2], score: 7, nothing: null },
    ],
    stop_reason: "end_turn",
    stop_sequence: null,
    container: { id: "c1" },
    context_management: management,
    usage: { input_tokens: 5, iterations: [{ type: "message" }], speed: "fast", output_tokens: 9 },
    stop_details: null,
  });
});

test("deltas without a block, or of another block's kind, change nothing", () => {
  const message = assemble([
    begin(),
    piece(3, { type: "text_delta", text: "lost" }),
    opened(0, { type: "text", text: "" }),
    piece(0, { type: "text_delta", text: "a" }),
    piece(0, { type: "input_json_delta", partial_json: "{}" }),
    begin({ id: "second" }),
    { type: "ping" },
    { type: "content_block_start" },
    { type: "content_block_delta", index: 0 },
  ]);
  assert.deepEqual([message["id"], message["content"]], ["m", [{ type: "text", text: "a" }]]);
});

const CHARGED = { ...NO_USAGE, inputTokens: 5, cacheWrite1hTokens: 3, outputTokens: 7 };

test("an answer that the balance stopped ends by the limit, with the usage that was charged", () => {
  const message = assemble(
    [
      begin({ usage: { input_tokens: 9, output_tokens: 1, service_tier: "standard" } }),
      opened(0, { type: "text", text: "Прив" }),
    ],
    CHARGED,
  );
  assert.deepEqual([message["stop_reason"], message["stop_sequence"]], ["max_tokens", null]);
  assert.deepEqual(message["content"], [{ type: "text", text: "Прив" }]);
  assert.deepEqual(message["usage"], {
    input_tokens: 5,
    output_tokens: 7,
    service_tier: "standard",
    cache_creation_input_tokens: 3,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 3 },
    output_tokens_details: null,
    server_tool_use: null,
  });
});

test("stopped after its own stop reason it keeps that; stopped before anything came it is a message all the same", () => {
  const reported = {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 2 },
  };
  assert.equal(assemble([begin(), reported], CHARGED)["stop_reason"], "end_turn");
  const { usage, ...rest } = assemble([], CHARGED);
  assert.deepEqual(rest, {
    id: "",
    type: "message",
    role: "assistant",
    model: "",
    stop_reason: "max_tokens",
    stop_sequence: null,
    content: [],
  });
  assert.equal((usage as Json)["output_tokens"], 7);
});

test("names from a hostile upstream make no prototype, and nothing that it can send throws", () => {
  const hostile =
    '{"__proto__":{"polluted":true},"id":"m","content":[{"type":"text","__proto__":{"p":1}}],"usage":{"__proto__":{"p":1}}}';
  const delta =
    '{"type":"message_delta","delta":{"__proto__":{"polluted":true}},"usage":{"__proto__":{"p":1}}}';
  assemble([
    { type: "message_start", message: JSON.parse(hostile) as Json },
    JSON.parse(delta) as Json,
  ]);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  const types = fc.constantFrom(
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
  );
  const deltas = fc.constantFrom(
    "text_delta",
    "thinking_delta",
    "signature_delta",
    "citations_delta",
    "input_json_delta",
    "compaction_delta",
    "x",
  );
  const event = fc
    .tuple(types, deltas, fc.jsonValue(), fc.jsonValue())
    .map(([type, kind, one, other]) => ({
      type,
      index: 0,
      message: typeof one === "object" ? one : { content: one, usage: other },
      content_block: { type: "text", text: other, input: one, citations: other },
      delta: {
        type: kind,
        text: one,
        thinking: one,
        signature: one,
        citation: one,
        partial_json: one,
        content: one,
      },
      usage: other,
    }));
  fc.assert(fc.property(fc.array(event), (events) => void assemble(events, CHARGED)));
});

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
});
after(() => sandbox.close());

test("what the sandbox streams is assembled to what it answers whole, byte for byte but for the ids", async () => {
  const user = (content: unknown) => ({ role: "user", content });
  const tools = [
    {
      name: "get_time",
      input_schema: { type: "object", properties: { zone: { enum: ["UTC"] } }, required: ["zone"] },
    },
    {
      name: "get_weather",
      input_schema: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      },
    },
  ];
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
  };
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city", "days"],
  };
  const bodies: Json[] = [
    { messages: [user("Привет, мир 👋🏽!")] },
    { system: "Be brief.", messages: [user([{ type: "text", text: "what is this?" }, image])] },
    { messages: [user("think hard")], thinking },
    { messages: [user("think hard")], thinking: { ...thinking, display: "omitted" } },
    { messages: [user("call get_weather and get_time at once")], tools },
    { messages: [user("think, then call get_weather")], tools, thinking },
    { messages: [user("say it")], max_tokens: 3 },
    { messages: [user("one two three")], stop_sequences: ["two"] },
    { messages: [user("[[sandbox: refusal]] no")] },
    { messages: [user("a forecast")], output_config: { format: { type: "json_schema", schema } } },
    {
      messages: [user("[[sandbox: cached=3 cacheWrite5m=2 cacheWrite1h=1]] hello there my friend")],
    },
    { messages: [user("[[sandbox: usage=none]] hello")] },
    { messages: [user("[[sandbox: usage=zero]] hello")] },
  ];
  const ask = async (body: Json, stream: boolean): Promise<Buffer> => {
    const response = await fetch(`${sandbox.url}/v1/messages`, {
      method: "POST",
      headers: {
        "x-api-key": "k",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
      },
      body: JSON.stringify({ model: "echo-large", max_tokens: 3000, ...body, stream }),
    });
    assert.equal(response.status, 200, JSON.stringify(body));
    return Buffer.from(await response.arrayBuffer());
  };
  const ids = /"(?:msg|toolu)_[^"]*"/g;
  for (const body of bodies) {
    const frames = createMessagesFrameReader().push(await ask(body, true));
    const assembled = assembleText(
      frames.flatMap((frame) => (frame.payload === null ? [] : [frame.payload])),
    );
    const whole = (await ask(body, false)).toString();
    assert.equal(
      assembled.replaceAll(ids, '"id"'),
      whole.replaceAll(ids, '"id"'),
      JSON.stringify(body),
    );
  }
});
