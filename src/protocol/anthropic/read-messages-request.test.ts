/**
 * Guarantee: a request is refused only for what is wrong, measured for its hold, and sent on with
 * only the named values changed (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ChatRequest } from "../chat-request.ts";
import { readCountTokensRequest, readMessagesRequest } from "./read-messages-request.ts";

const USER = { role: "user", content: "Привет!" };

const bytesOf = (body: unknown): Buffer =>
  Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

function read(body: unknown): ChatRequest {
  const reading = readMessagesRequest(bytesOf(body));
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  return reading.request;
}

function refusal(
  body: unknown,
  reader = readMessagesRequest,
): { message: string; param: string | undefined } {
  const reading = reader(bytesOf(body));
  assert.ok(!reading.ok);
  assert.equal(reading.fault.code, "invalid_request");
  return { message: reading.fault.message, param: reading.fault.details.param };
}

test("what the gateway reads", () => {
  const plain = read({ model: "m", max_tokens: 5, messages: [USER] });
  assert.deepEqual(
    [
      plain.model,
      plain.stream,
      plain.includeUsage,
      plain.maxTokens,
      plain.n,
      plain.images,
      plain.cacheTtl,
    ],
    ["m", false, true, 5, 1, 0, "5m"],
  );
  assert.equal(read({ model: "m", max_tokens: 5, messages: [USER], stream: true }).stream, true);
  assert.equal(read({ model: "m", max_tokens: 5, messages: [USER], stream: null }).stream, false);
  // Zero fills the upstream's cache and generates nothing.
  assert.equal(read({ model: "m", max_tokens: 0, messages: [USER] }).maxTokens, 0);
});

test("a request as an agent sends it: no stricter than the upstream, and unknown fields stay (hazards §39)", () => {
  const body = {
    model: "claude-opus",
    max_tokens: 128_000,
    stream: true,
    thinking: { type: "adaptive", display: "omitted" },
    output_config: { effort: "high", format: null },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    metadata: { user_id: '{"device_id":"d"}' },
    system: [{ type: "text", text: "You are…", cache_control: { type: "ephemeral", ttl: "1h" } }],
    tools: [
      {
        name: "Bash",
        description: null,
        input_schema: { type: "object" },
        eager_input_streaming: true,
      },
      { type: "web_search_20250305", name: "web_search", max_uses: 8 },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    temperature: null,
    messages: [
      { role: "user", content: [{ type: "text", text: "x", cache_control: null }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "", signature: "sig" },
          { type: "tool_use", id: "t", name: "Bash", input: { a: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t",
            is_error: true,
            content: [{ type: "text", text: "no" }],
          },
        ],
      },
      { role: "system", content: "be brief" },
    ],
  };
  const request = read(body);
  assert.equal(
    request.rewrite({ model: "claude-opus", stream: true, includeUsage: true }).toString(),
    JSON.stringify(body),
  );
  assert.deepEqual(request.body, body);
});

test("mistakes are told with their field", () => {
  assert.deepEqual(refusal({ model: "m", messages: [USER] }), {
    message: "'max_tokens' is required.",
    param: "max_tokens",
  });
  assert.equal(
    refusal({ model: "m", max_tokens: null, messages: [USER] }).message,
    "'max_tokens' must be an integer.",
  );
  assert.equal(
    refusal({ model: "m", max_tokens: -1, messages: [USER] }).message,
    "'max_tokens' must be at least 0.",
  );
  assert.equal(refusal({ model: "m", max_tokens: 1.5, messages: [USER] }).param, "max_tokens");
  assert.equal(refusal({ model: "m", max_tokens: "5", messages: [USER] }).param, "max_tokens");
  assert.equal(
    refusal({ model: "m", max_tokens: 1, messages: [] }).message,
    "'messages' must not be empty.",
  );
  assert.equal(
    refusal({ model: "m", max_tokens: 1, messages: [{ role: "developer", content: "x" }] }).param,
    "messages[0].role",
  );
  assert.equal(
    refusal({ model: "m", max_tokens: 1, messages: [{ role: "user", content: 1 }] }).message,
    "'messages[0].content' must be a string or an array.",
  );
  assert.equal(
    refusal({ model: "m", max_tokens: 1, messages: [{ role: "user", content: [{ text: "x" }] }] })
      .param,
    "messages[0].content[0].type",
  );
  assert.equal(
    refusal({ model: "m", max_tokens: 1, messages: [USER], temperature: 1.1 }).message,
    "'temperature' must be at most 1.",
  );
  assert.match(
    refusal({ max_tokens: 1 }).message,
    /^'model' is required\. There is 1 more mistake/,
  );
});

test("a conversation that the vendor keeps is refused in the words that the SDK goes on after; null is none", () => {
  for (const thread of [
    { type: "create" },
    { type: "continue", previous_message_id: "msg_1" },
    "create",
  ]) {
    const reading = readMessagesRequest(
      bytesOf({ model: "m", max_tokens: 1, messages: [], thread }),
    );
    assert.ok(!reading.ok);
    assert.equal(reading.fault.details.param, "thread");
    assert.deepEqual(reading.fault.details.forPrograms, {
      error_code: "thread_unsupported_request",
      unsupported: ["thread"],
    });
  }
  assert.equal(
    refusal({ model: "m", messages: [USER], thread: { type: "create" } }, readCountTokensRequest)
      .param,
    "thread",
  );
  assert.equal(read({ model: "m", max_tokens: 1, messages: [USER], thread: null }).model, "m");
  assert.equal(
    refusal('{"model":"m","max_tokens":1,"messages":[],"thread":null,"Thread":{}}').param,
    "Thread",
  );
});

test("counting tokens takes the same body, without a limit", () => {
  const reading = readCountTokensRequest(
    bytesOf({ model: "m", messages: [USER], tools: [{ name: "f" }] }),
  );
  assert.ok(reading.ok);
  assert.deepEqual([reading.request.model, reading.request.maxTokens], ["m", null]);
  assert.match(reading.request.promptText(), /Привет!\n\{"name":"f"\}/);
  assert.equal(refusal({ model: "m" }, readCountTokensRequest).param, "messages");
});

test("nothing that sets the price may be ambiguous", () => {
  const ask = (rest: string) =>
    `{"messages":[{"role":"user","content":"x"}],"max_tokens":1,${rest}}`;
  assert.equal(refusal(ask('"model":"a","model":"b"')).param, "model");
  assert.equal(refusal(ask('"model":"a","Model":"b"')).param, "Model");
  assert.equal(refusal(ask('"model":"a","stream":false,"stream":true')).param, "stream");
  assert.equal(refusal(ask('"model":"a","max_tokens":100000')).param, "max_tokens");
  assert.equal(refusal(ask('"model":"a","MAX_TOKENS":100000')).param, "MAX_TOKENS");
  assert.equal(refusal(ask('"model":"a","System":"long"')).param, "System");
  assert.equal(refusal(ask('"model":"a","tools":[],"tools":[{}]')).param, "tools");
  assert.equal(
    refusal('{"__proto__":{"model":"a","max_tokens":1,"messages":[{"role":"user","content":"x"}]}}')
      .param,
    "model",
  );
});

test("the longest life of the cache is found wherever it is asked for", () => {
  const control = (ttl?: unknown) => ({
    cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) },
  });
  const ttlOf = (rest: object) =>
    read({ model: "m", max_tokens: 1, messages: [USER], ...rest }).cacheTtl;
  const block = (ttl?: unknown) => ({ type: "text", text: "x", ...control(ttl) });
  assert.equal(ttlOf({ system: [block()] }), "5m");
  assert.equal(ttlOf({ system: [block("5m"), block("1h")] }), "1h");
  assert.equal(ttlOf(control("1h")), "1h");
  assert.equal(ttlOf({ tools: [{ name: "f", ...control("1h") }] }), "1h");
  assert.equal(
    ttlOf({
      messages: [
        { role: "user", content: [block(), { type: "tool_result", content: [block("1h")] }] },
      ],
    }),
    "1h",
  );
  assert.equal(
    ttlOf({ messages: [{ role: "user", content: "cache_control 1h" }], cache_control: null }),
    "5m",
  );
});

const WORDS = "слово ".repeat(100);

test("the estimate counts everything that is prompt", () => {
  const base = read({ model: "m", max_tokens: 1, messages: [USER] }).inputTokens;
  const user = (content: unknown) => ({ messages: [USER, { role: "user", content }] });
  const grows: [string, object, number][] = [
    ["text", user(WORDS), 100],
    ["text block", user([{ type: "text", text: WORDS }]), 100],
    ["system", { system: WORDS }, 100],
    ["system blocks", { system: [{ type: "text", text: WORDS }] }, 100],
    ["unknown block", user([{ type: "made_up", body: { text: WORDS } }]), 100],
    ["tool input", user([{ type: "tool_use", id: "t", name: "f", input: { x: WORDS } }]), 100],
    ["tool result", user([{ type: "tool_result", tool_use_id: "t", content: WORDS }]), 100],
    [
      "tool result blocks",
      user([{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: WORDS }] }]),
      100,
    ],
    [
      "image in a tool result",
      user([
        { type: "tool_result", content: [{ type: "image", source: { type: "url", url: "u" } }] },
      ]),
      5000,
    ],
    ["thinking", user([{ type: "thinking", thinking: WORDS, signature: "s" }]), 100],
    ["sealed thinking", user([{ type: "redacted_thinking", data: "A".repeat(10_000) }]), 1000],
    [
      "search result",
      user([
        {
          type: "search_result",
          source: "s",
          title: "t",
          content: [{ type: "text", text: WORDS }],
        },
      ]),
      100,
    ],
    [
      "what a server tool found",
      user([
        { type: "web_search_tool_result", content: [{ encrypted_content: "A".repeat(10_000) }] },
      ]),
      1000,
    ],
    [
      "many messages",
      { messages: Array.from({ length: 100 }, () => ({ role: "user", content: "" })) },
      300,
    ],
    ["tools", { tools: [{ name: "f", description: WORDS, input_schema: {} }] }, 900],
    ["a vendor's tool", { tools: [{ type: "web_search_20250305", name: "web_search" }] }, 10_000],
    ["servers", { mcp_servers: [{ type: "url", url: "https://x" }] }, 10_000],
    [
      "schema",
      { output_config: { format: { type: "json_schema", schema: { description: WORDS } } } },
      100,
    ],
    [
      "schema as it was",
      { output_format: { type: "json_schema", schema: { description: WORDS } } },
      100,
    ],
    [
      "image",
      user([{ type: "image", source: { type: "base64", media_type: "image/png", data: "A" } }]),
      5000,
    ],
    [
      "PDF",
      user([{ type: "document", source: { type: "base64", data: "A".repeat(100_000) } }]),
      10_000,
    ],
    [
      "PDF by address",
      user([{ type: "document", source: { type: "url", url: "https://x" } }]),
      10_000,
    ],
    [
      "text document",
      user([
        {
          type: "document",
          title: "t",
          source: { type: "text", media_type: "text/plain", data: WORDS },
        },
      ]),
      100,
    ],
    [
      "document of blocks",
      user([
        { type: "document", source: { type: "content", content: [{ type: "text", text: WORDS }] } },
      ]),
      100,
    ],
  ];
  for (const [name, rest, least] of grows) {
    const { inputTokens, overheadTokens } = read({
      model: "m",
      max_tokens: 1,
      messages: [USER],
      ...rest,
    });
    assert.ok(inputTokens >= base + least - 20, `${name}: ${inputTokens}`);
    assert.ok(overheadTokens <= inputTokens, name);
  }
});

test("image data is an image, not text, however large", () => {
  const data = "iVBORw0KGgo".repeat(100_000);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const request = read({
    model: "m",
    max_tokens: 1,
    messages: [{ role: "user", content: [{ type: "text", text: "Что это?" }, image, image] }],
  });
  assert.equal(request.images, 2);
  assert.ok(request.inputTokens < 10_100);
  assert.equal(request.promptText(), "Что это?");
});

test("a text that begins as an image does is counted as the text that it is", () => {
  const text = `data:image/png,${WORDS.repeat(50)}`;
  const plain = read({
    model: "m",
    max_tokens: 1,
    messages: [{ role: "user", content: text.replace("data", "Data") }],
  });
  const request = read({ model: "m", max_tokens: 1, messages: [{ role: "user", content: text }] });
  assert.ok(Math.abs(request.inputTokens - plain.inputTokens) < 5, String(request.inputTokens));
  assert.equal(request.promptText(), text);
  const tool = read({
    model: "m",
    max_tokens: 1,
    messages: [USER],
    tools: [{ name: "f", description: text }],
  });
  assert.ok(tool.inputTokens > 5000, String(tool.inputTokens));
});

test("the prompt text is every text once, in order", () => {
  const request = read({
    model: "m",
    max_tokens: 1,
    system: [{ type: "text", text: "ноль" }],
    messages: [
      { role: "user", content: "один" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "два", signature: "AAAA" },
          { type: "text", text: "три", citations: [{ cited_text: "нет" }] },
          { type: "tool_use", id: "t", name: "четыре", input: { x: "пять" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "шесть" }] },
    ],
    tools: [{ name: "семь" }],
  });
  assert.equal(
    request.promptText(),
    'ноль\nодин\nдва\nтри\nчетыре\n{"x":"пять"}\nшесть\n{"name":"семь"}',
  );
});

test("large numbers, 1.0, order, white space and escapes are sent on as they came", () => {
  const body = String.raw`{ "seed" : 12345678901234567890 , "model":"a\u002fb", "top_p":1.0, "max_tokens": 10,
    "messages":[{"role":"user","content":"\u043f\/ \ud83d\ude00"}], "stream" : false }`;
  const request = read(body);
  assert.equal(request.model, "a/b");
  assert.equal(
    request.rewrite({ model: "up", stream: true, includeUsage: true }).toString(),
    body.replace(String.raw`"a\u002fb"`, '"up"').replace('"stream" : false', '"stream" : true'),
  );
  assert.equal(request.rewrite({ model: "a/b", includeUsage: false }).toString(), body);
});

test("any request, any edit: parsed again it is the request with the edit, and every untouched member has its old bytes", () => {
  const request = fc.record(
    {
      model: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
      max_tokens: fc.nat(),
      messages: fc.constant([USER, { role: "assistant", content: 'a"\\😀' }]),
      stream: fc.constantFrom(true, false, null),
      extra: fc.jsonValue(),
    },
    { requiredKeys: ["model", "max_tokens", "messages"] },
  );
  const edit = fc.record(
    {
      model: fc.string({ unit: "binary", maxLength: 10 }),
      stream: fc.boolean(),
      includeUsage: fc.boolean(),
    },
    { requiredKeys: ["model", "includeUsage"] },
  );
  fc.assert(
    fc.property(request, edit, fc.constantFrom(0, 1, "\t"), (source, change, indent) => {
      const sent = JSON.stringify(source, null, indent);
      const got = read(sent).rewrite(change).toString();
      const expected: Record<string, unknown> = { ...JSON.parse(sent), model: change.model };
      if (change.stream !== undefined && change.stream !== (source.stream === true))
        expected["stream"] = change.stream;
      assert.deepEqual(JSON.parse(got), JSON.parse(JSON.stringify(expected)));
      for (const name of ["messages", "extra"] as const) {
        if (!(name in source)) continue;
        const member = `${JSON.stringify(name)}:${indent === 0 ? "" : " "}${JSON.stringify(source[name], null, indent).replaceAll("\n", `\n${indent === "\t" ? "\t" : " ".repeat(Number(indent))}`)}`;
        assert.ok(got.includes(member), `${got} keeps ${member}`);
      }
    }),
    { numRuns: 300 },
  );
});

test("any bytes are a request or a refusal, never an exception", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readMessagesRequest(bytes)),
  );
  fc.assert(fc.property(fc.json(), (text) => void readMessagesRequest(Buffer.from(text))));
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (part, tool, system) => {
      const content = [{ type: "text", ...(typeof part === "object" ? part : { text: part }) }];
      const reading = readMessagesRequest(
        bytesOf({
          model: "m",
          max_tokens: 1,
          messages: [{ role: "user", content }],
          tools: [tool],
          system,
        }),
      );
      if (reading.ok) reading.request.promptText();
    }),
  );
  const broken = `data:image/png;base64,${"A".repeat(9000)}\n`;
  assert.match(
    refusal(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"${broken}"}]}`)
      .message,
    /not valid JSON/,
  );
});

test("for an upstream of another protocol the whole request is read, images and all", () => {
  const url = `data:image/png;base64,${"A".repeat(20_000)}`;
  const tool = { type: "tool_use", id: "t", name: "f", input: { url } };
  const reading = read({
    model: "m",
    max_tokens: 7,
    messages: [USER, { role: "assistant", content: [tool] }],
  }).neutral();
  assert.ok(reading.ok);
  assert.equal(reading.request.maxTokens, 7);
  assert.ok(JSON.stringify(reading.request.turns).includes(url));
});

test("released, a request still answers the same", () => {
  const image = `data:image/png;base64,${"iVBORw0K".repeat(4000)}`;
  const bodies = [
    { model: "m", max_tokens: 5, system: "Кратко.", messages: [USER], stream: true },
    {
      model: "m",
      max_tokens: 5,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "url", url: image } },
            { type: "text", text: "Что?", cache_control: { type: "ephemeral", ttl: "1h" } },
          ],
        },
      ],
    },
    {
      model: "m",
      max_tokens: 5,
      messages: [
        USER,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "x", signature: "" },
            { type: "text", text: image },
          ],
        },
        USER,
      ],
    },
  ];
  for (const body of bodies) {
    const request = read(body);
    const answers = () => [
      { ...request, object: null },
      request.promptText(),
      request.body,
      request.neutral(),
      request.rewrite({ model: "m", includeUsage: false }),
      request.rewrite({ model: "other", stream: true, includeUsage: true }),
    ];
    const before = answers();
    request.release();
    assert.deepEqual(answers(), before);
    for (const answer of [
      () => request.rewrite({ model: "other", stream: true, includeUsage: true }),
      () => request.neutral(),
      () => request.body,
      () => request.promptText(),
    ]) {
      // Whichever is asked for first.
      const asked = answer();
      request.release();
      assert.deepEqual(answer(), asked);
      request.release();
    }
  }
});
