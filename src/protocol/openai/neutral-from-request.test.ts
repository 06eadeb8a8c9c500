/**
 * Guarantee: a chat request for an upstream of another protocol says there what it said here, or is
 * refused by the name of its field.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NeutralRequest } from "../neutral/neutral-request.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { readChatRequest } from "./read-chat-request.ts";

type Json = Record<string, unknown>;

/** Only what has passed the validation of the endpoint gets here. */
function neutral(body: Json): NeutralRequest {
  const validated = readChatRequest(
    Buffer.from(
      JSON.stringify({ model: "m", messages: [{ role: "user", content: "a" }], ...body }),
    ),
  );
  assert.ok(validated.ok, validated.ok ? "" : validated.fault.message);
  const reading = readNeutral(validated.request.body);
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  return reading.request;
}

function refusal(body: Json): string | undefined {
  const reading = readNeutral({ model: "m", messages: [{ role: "user", content: "a" }], ...body });
  if (reading.ok) return undefined;
  assert.equal(reading.fault.code, "invalid_request");
  assert.ok(
    reading.fault.message.startsWith(`'${reading.fault.details.param}' `),
    reading.fault.message,
  );
  assert.ok(reading.fault.message.endsWith("."), reading.fault.message);
  return reading.fault.details.param;
}

const turns = (...messages: Json[]) => neutral({ messages }).turns;
const user = (...content: unknown[]): Json => ({ role: "user", content });
const text = (words: string) => ({ kind: "text", text: words, cache: null }) as const;
const call = (id: string, rest: object = {}) => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}", ...rest },
});
const calling = (...list: Json[]): Json => ({ role: "assistant", content: null, tool_calls: list });

const NOTHING: NeutralRequest = {
  system: [],
  turns: [{ role: "user", parts: [text("a")] }],
  tools: [],
  toolChoice: null,
  parallelToolCalls: null,
  maxTokens: null,
  temperature: null,
  topP: null,
  topK: null,
  stop: [],
  format: null,
  reasoning: null,
  user: null,
};

test("the least request; null is the same as absent everywhere", () => {
  assert.deepEqual(neutral({}), NOTHING);
  const fields = [
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "stop",
    "response_format",
    "reasoning_effort",
    "thinking",
    "user",
    "n",
    "functions",
    "function_call",
    "web_search_options",
    "stream_options",
  ];
  assert.deepEqual(neutral(Object.fromEntries(fields.map((field) => [field, null]))), NOTHING);
});

test("what Anthropic's own compatibility layer drops is dropped", () => {
  const dropped = {
    logprobs: true,
    top_logprobs: 3,
    metadata: { a: "b" },
    prediction: { type: "content", content: "x" },
    presence_penalty: 1,
    frequency_penalty: 1,
    seed: 1,
    service_tier: "auto",
    audio: { voice: "alloy", format: "mp3" },
    logit_bias: { "1": 1 },
    store: true,
    modalities: ["text"],
    verbosity: "low",
    made_up: { deep: [1] },
    n: 1,
    functions: [],
  };
  assert.deepEqual(neutral(dropped), NOTHING);
});

test("sampling, limits, stops and the user", () => {
  const request = neutral({
    temperature: 1.5,
    top_p: 0.9,
    max_tokens: 10,
    stop: "x",
    user: "u",
    safety_identifier: "s",
    reasoning_effort: "high",
  });
  const reasoning = { kind: "effort", effort: "high" };
  assert.deepEqual(request, {
    ...NOTHING,
    temperature: 1.5,
    topP: 0.9,
    maxTokens: 10,
    stop: ["x"],
    user: "u",
    reasoning,
  });
  assert.equal(neutral({ max_tokens: 10, max_completion_tokens: 20 }).maxTokens, 20);
  assert.deepEqual(neutral({ stop: ["a", " ", ""] }).stop, ["a", " ", ""]);
  assert.equal(neutral({ safety_identifier: "s" }).user, "s");
});

test("thinking as Anthropic's compatibility layer takes it", () => {
  const reasoning = (body: Json) => neutral(body).reasoning;
  assert.deepEqual(reasoning({ thinking: { type: "enabled", budget_tokens: 2000 } }), {
    kind: "budget",
    tokens: 2000,
  });
  assert.deepEqual(reasoning({ thinking: { type: "enabled" }, reasoning_effort: "low" }), {
    kind: "effort",
    effort: "low",
  });
  assert.deepEqual(reasoning({ thinking: { type: "enabled" } }), {
    kind: "effort",
    effort: "medium",
  });
  assert.deepEqual(reasoning({ thinking: { type: "adaptive" }, reasoning_effort: "low" }), {
    kind: "adaptive",
    effort: "low",
  });
  assert.deepEqual(reasoning({ thinking: { type: "disabled" }, reasoning_effort: "low" }), {
    kind: "off",
  });
});

test("instructions before the conversation are its system; later ones keep their place; what says nothing is left out", () => {
  const messages = [
    { role: "system", content: "a" },
    {
      role: "developer",
      content: [
        { type: "text", text: "b" },
        { type: "text", text: "" },
      ],
    },
    { role: "user", content: "c", name: "Анна" },
    { role: "system", content: "d" },
    { role: "user", content: "" },
    { role: "assistant", content: null, tool_calls: [] },
    { role: "user", content: null },
  ];
  const { system, turns: conversation } = neutral({ messages });
  assert.deepEqual(system, [text("a"), text("b")]);
  assert.deepEqual(conversation, [
    { role: "user", parts: [text("c")] },
    { role: "system", parts: [text("d")] },
  ]);
});

test("an assistant's turn: reasoning, text in either form, refusal, calls", () => {
  const message = {
    role: "assistant",
    content: [
      { type: "text", text: "b" },
      { type: "refusal", refusal: "c" },
    ],
    refusal: "d",
    reasoning_content: "a",
    reasoning: "a",
    tool_calls: [
      call("1"),
      call("2", { arguments: { x: "я" } }),
      { id: "3", function: { name: "g" } },
    ],
    audio: null,
    function_call: null,
  };
  const called = (id: string, name: string, json: string) => ({
    kind: "tool-call",
    id,
    name,
    arguments: json,
    cache: null,
  });
  assert.deepEqual(turns(message), [
    {
      role: "assistant",
      parts: [
        { kind: "thinking", text: "a", signature: null },
        text("b"),
        { kind: "refusal", text: "c" },
        { kind: "refusal", text: "d" },
        called("1", "f", "{}"),
        called("2", "f", '{"x":"я"}'),
        called("3", "g", ""),
      ],
    },
  ]);
  assert.deepEqual(turns({ role: "assistant", content: "b", reasoning: "a" }), [
    { role: "assistant", parts: [{ kind: "thinking", text: "a", signature: null }, text("b")] },
  ]);
});

test("results of tools: neighbours are one turn, in text or in parts", () => {
  const messages = [
    calling(call("1"), call("2")),
    { role: "tool", tool_call_id: "1", content: "один" },
    {
      role: "tool",
      tool_call_id: "2",
      content: [
        { type: "text", text: "два" },
        { type: "image_url", image_url: "https://x/y.png" },
      ],
    },
    { role: "user", content: "a" },
    { role: "tool", tool_call_id: "3", content: null },
  ];
  const result = (callId: string, ...parts: object[]) => ({
    callId,
    parts,
    isError: false,
    cache: null,
  });
  const image = {
    kind: "image",
    source: { kind: "url", url: "https://x/y.png" },
    detail: null,
    cache: null,
  };
  assert.deepEqual(turns(...messages).slice(1), [
    { role: "tool-results", results: [result("1", text("один")), result("2", text("два"), image)] },
    { role: "user", parts: [text("a")] },
    { role: "tool-results", results: [result("3")] },
  ]);
});

test("pictures: addresses and data URLs, with their media type", () => {
  const source = (image: unknown) => {
    const [turn] = turns(user({ type: "image_url", image_url: image }));
    const part = turn?.role === "user" ? turn.parts[0] : undefined;
    assert.ok(part?.kind === "image");
    return [part.source, part.detail];
  };
  assert.deepEqual(source({ url: "https://example.com/я.png", detail: "low" }), [
    { kind: "url", url: "https://example.com/я.png" },
    "low",
  ]);
  assert.deepEqual(source("HTTP://example.com/a"), [
    { kind: "url", url: "HTTP://example.com/a" },
    null,
  ]);
  const base64 = (mediaType: string, data: string) => ({ kind: "base64", mediaType, data });
  assert.deepEqual(source({ url: "data:image/png;base64,iVBORw0KGgo=" }), [
    base64("image/png", "iVBORw0KGgo="),
    null,
  ]);
  assert.deepEqual(source({ url: "DATA:IMAGE/JPG;name=a;BASE64,AAAA" }), [
    base64("image/jpeg", "AAAA"),
    null,
  ]);
  const large = "iVBORw0K".repeat(200_000);
  assert.deepEqual(source({ url: `data:image/webp;base64,${large}` }), [
    base64("image/webp", large),
    null,
  ]);
});

test("files: a PDF stays what it is, a text is read", () => {
  const part = (file: unknown) => {
    const [turn] = turns(user({ type: "file", file }));
    return turn?.role === "user" ? turn.parts[0] : undefined;
  };
  const document = (source: object, name: string | null) => ({
    kind: "document",
    source,
    name,
    cache: null,
  });
  const pdf = { kind: "base64", mediaType: "application/pdf", data: "JVBERi0xLjc=" };
  assert.deepEqual(
    part({ filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjc=" }),
    document(pdf, "a.pdf"),
  );
  assert.deepEqual(part({ file_data: "JVBERi0xLjc=", file_id: null }), document(pdf, null));
  const words = Buffer.from("Привет 👋").toString("base64");
  const readable = { kind: "text", text: "Привет 👋" };
  assert.deepEqual(
    part({ filename: "README.md", file_data: `data:text/markdown;charset=utf-8;base64,${words}` }),
    document(readable, "README.md"),
  );
});

test("marks for the cache, as clients send them through this protocol, mean five minutes", () => {
  const cache_control = { type: "ephemeral", ttl: "1h" };
  const cache = { ttl: "5m" };
  const request = neutral({
    messages: [
      { role: "system", content: [{ type: "text", text: "a", cache_control }] },
      user(
        { type: "text", text: "b", cache_control },
        { type: "image_url", image_url: { url: "https://x/y" }, cache_control },
      ),
      calling({ ...call("1"), cache_control }),
      { role: "tool", tool_call_id: "1", content: "c", cache_control },
    ],
    tools: [
      { type: "function", function: { name: "f" }, cache_control },
      { type: "function", function: { name: "g", cache_control } },
    ],
  });
  const [reported, called, answered] = request.turns;
  assert.deepEqual(request.system[0]?.cache, cache);
  assert.deepEqual(reported?.role === "user" && reported.parts.map((part) => part.cache), [
    cache,
    cache,
  ]);
  assert.deepEqual(called?.role === "assistant" && called.parts, [
    { kind: "tool-call", id: "1", name: "f", arguments: "{}", cache },
  ]);
  assert.deepEqual(answered?.role === "tool-results" && answered.results[0]?.cache, cache);
  assert.deepEqual(
    request.tools.map((tool) => tool.cache),
    [cache, cache],
  );
});

test("tools: with and without description and parameters", () => {
  const schema = { type: "object", properties: { город: { type: "string" } } };
  const tools = [
    {
      type: "function",
      function: { name: "f", description: "d", parameters: schema, strict: true },
    },
    { function: { name: "g", description: null, parameters: null, strict: null } },
    { type: "function", function: { name: "h" } },
  ];
  const bare = { description: null, schema: null, strict: null, cache: null };
  const request = neutral({ tools, parallel_tool_calls: false });
  assert.deepEqual(request.tools, [
    { name: "f", description: "d", schema, strict: true, cache: null },
    { ...bare, name: "g" },
    { ...bare, name: "h" },
  ]);
  assert.equal(request.parallelToolCalls, false);
});

test("which tool: in every form that this protocol has", () => {
  const tools = ["f", "g", "h"].map((name) => ({ type: "function", function: { name } }));
  const named = (name: string) => ({ type: "function", function: { name } });
  const choose = (tool_choice: unknown) => {
    const request = neutral({ tools, tool_choice });
    return [request.toolChoice, request.tools.map(({ name }) => name).join("")];
  };
  for (const kind of ["auto", "none", "required"])
    assert.deepEqual(choose(kind), [{ kind }, "fgh"]);
  assert.deepEqual(choose(named("g")), [{ kind: "tool", name: "g" }, "fgh"]);
  const allowed = {
    type: "allowed_tools",
    allowed_tools: { mode: "required", tools: [named("h"), named("f")] },
  };
  assert.deepEqual(choose(allowed), [{ kind: "required" }, "fh"]);
  for (const kind of ["auto", "none"])
    assert.equal(neutral({ tool_choice: kind }).toolChoice, null);
});

test("the form of the answer", () => {
  const format = (response_format: unknown) => neutral({ response_format }).format;
  assert.equal(format({ type: "text" }), null);
  assert.deepEqual(format({ type: "json_object" }), {
    name: null,
    description: null,
    schema: null,
    strict: null,
  });
  const schema = { type: "object" };
  assert.deepEqual(
    format({
      type: "json_schema",
      json_schema: { name: "n", description: "d", schema, strict: true },
    }),
    {
      name: "n",
      description: "d",
      schema,
      strict: true,
    },
  );
});

test("a body full of parts, tools or names is read without a bound being passed", () => {
  const length = 100_000;
  const parts = Array.from({ length }, () => ({ type: "text", text: "a" }));
  assert.equal(
    neutral({ messages: [{ role: "system", content: parts }, user({ type: "text", text: "b" })] })
      .system.length,
    length,
  );
  const tools = Array.from({ length }, (_, index) => ({ function: { name: `f${index}` } }));
  const allowed = { mode: "auto", tools: tools.map((tool) => ({ type: "function", ...tool })) };
  const reading = readNeutral({
    messages: [],
    tools,
    tool_choice: { type: "allowed_tools", allowed_tools: allowed },
  });
  assert.equal(reading.ok && reading.request.tools.length, length);
});

test("what has no equivalent is refused by its place", () => {
  const part = (value: unknown): Json => ({
    messages: [{ role: "user", content: "a" }, user({ type: "text", text: "b" }, value)],
  });
  const image = (url: unknown) => part({ type: "image_url", image_url: { url } });
  const file = (value: unknown) => part({ type: "file", file: value });
  const message = (value: Json): Json => ({ messages: [value] });
  const tool = { type: "function", function: { name: "f" } };
  const table: [Json, string][] = [
    [{ n: 2 }, "n"],
    [{ functions: [{ name: "f" }] }, "functions"],
    [{ function_call: "auto" }, "function_call"],
    [{ web_search_options: {} }, "web_search_options"],
    [
      part({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }),
      "messages[1].content[1]",
    ],
    [part({ type: "video_url", video_url: { url: "https://x" } }), "messages[1].content[1]"],
    [part({ type: "text", text: null }), "messages[1].content[1].text"],
    [part({ type: "image_url", image_url: null }), "messages[1].content[1].image_url"],
    [part("b"), "messages[1].content[1]"],
    [image(null), "messages[1].content[1].image_url.url"],
    [image("file:///etc/passwd"), "messages[1].content[1].image_url.url"],
    [image("blob:https://x"), "messages[1].content[1].image_url.url"],
    [image("iVBORw0KGgo="), "messages[1].content[1].image_url.url"],
    [image("data:image/png,iVBORw0KGgo="), "messages[1].content[1].image_url.url"],
    [image("data:image/png;base64,"), "messages[1].content[1].image_url.url"],
    [image("data:image/png;base64,iVBO%2B"), "messages[1].content[1].image_url.url"],
    [image("data:;base64,AAAA"), "messages[1].content[1].image_url.url"],
    [
      image(`data:image/png;${"a".repeat(300)};base64,AAAA`),
      "messages[1].content[1].image_url.url",
    ],
    [image("data:application/pdf;base64,JVBERi0="), "messages[1].content[1].image_url.url"],
    [file({ file_id: "file-1" }), "messages[1].content[1].file.file_id"],
    [file({}), "messages[1].content[1].file.file_data"],
    [file(null), "messages[1].content[1].file.file_data"],
    [file({ file_data: "https://x/a.pdf" }), "messages[1].content[1].file.file_data"],
    [
      file({ file_data: "data:application/zip;base64,AAAA" }),
      "messages[1].content[1].file.file_data",
    ],
    [file({ file_data: "data:text/plain;base64,/w==" }), "messages[1].content[1].file.file_data"],
    [message({ role: "function", name: "f", content: "x" }), "messages[0].role"],
    [
      message({
        role: "system",
        content: [{ type: "image_url", image_url: { url: "https://x" } }],
      }),
      "messages[0].content[0]",
    ],
    [
      message({
        role: "assistant",
        content: [{ type: "image_url", image_url: { url: "https://x" } }],
      }),
      "messages[0].content[0]",
    ],
    [
      message({ role: "assistant", content: [{ type: "refusal" }] }),
      "messages[0].content[0].refusal",
    ],
    [
      message({ role: "assistant", function_call: { name: "f", arguments: "{}" } }),
      "messages[0].function_call",
    ],
    [
      message(calling({ id: "1", type: "custom", custom: { name: "f", input: "x" } })),
      "messages[0].tool_calls[0]",
    ],
    [
      message(calling(call("1"), { type: "function", function: { name: "f" } })),
      "messages[0].tool_calls[1].id",
    ],
    [
      message(calling({ id: "1", type: "function", function: {} })),
      "messages[0].tool_calls[0].function.name",
    ],
    [message({ role: "tool", content: "x" }), "messages[0].tool_call_id"],
    [{ tools: [tool, { type: "custom", custom: { name: "f" } }] }, "tools[1]"],
    [{ tools: [{ type: "web_search" }] }, "tools[0]"],
    [{ tools: [{ type: "function", function: {} }] }, "tools[0].function.name"],
    [
      { tools: [{ type: "function", function: { name: "f", parameters: "x" } }] },
      "tools[0].function.parameters",
    ],
    [{ tools: [tool], tool_choice: "any" }, "tool_choice"],
    [{ tools: [tool], tool_choice: { type: "custom", custom: { name: "f" } } }, "tool_choice"],
    [{ tools: [tool], tool_choice: { type: "allowed_tools" } }, "tool_choice.allowed_tools"],
    [
      {
        tools: [tool],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: {
            mode: "auto",
            tools: [tool, { type: "function", function: { name: "g" } }],
          },
        },
      },
      "tool_choice.allowed_tools.tools[1]",
    ],
    [{ tool_choice: "required" }, "tool_choice"],
    [{ tools: [], tool_choice: { type: "function", function: { name: "f" } } }, "tool_choice"],
    [{ response_format: "json" }, "response_format"],
    [{ response_format: { type: "grammar", grammar: "x" } }, "response_format"],
    [{ response_format: { type: "json_schema" } }, "response_format.json_schema"],
    [
      { response_format: { type: "json_schema", json_schema: { schema: "x" } } },
      "response_format.json_schema.schema",
    ],
    [{ stop: 1 }, "stop"],
    [{ stop: ["a", 1] }, "stop[1]"],
    [{ top_p: "1" }, "top_p"],
    [{ reasoning_effort: 1 }, "reasoning_effort"],
    [{ thinking: true }, "thinking"],
    [{ user: 1 }, "user"],
  ];
  for (const [body, param] of table)
    assert.equal(refusal(body), param, JSON.stringify(body).slice(0, 200));
});
