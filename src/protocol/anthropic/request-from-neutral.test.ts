/**
 * Guarantee: what a caller of another protocol asks reaches a Messages upstream in the form that it
 * takes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  EMPTY_REQUEST,
  TARGET,
  TOOL,
  assistant,
  call,
  results,
  text,
  thought,
  user,
} from "../../../test/support/neutral-request.ts";
import type {
  AssistantPart,
  NeutralRequest,
  NeutralTurn,
  RequestTarget,
  UserPart,
} from "../neutral/neutral-request.ts";
import { writeMessagesRequest } from "./request-from-neutral.ts";

const ASKED = [user(text("Привет"))];

interface Body {
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly Record<string, unknown>[];
  }[];
  readonly [field: string]: unknown;
}

function write(fields: Partial<NeutralRequest>, target: Partial<RequestTarget> = {}): Body {
  const writing = writeMessagesRequest(
    { ...EMPTY_REQUEST, turns: ASKED, ...fields },
    { ...TARGET, ...target },
  );
  assert.ok(writing.ok, writing.ok ? "" : writing.fault.message);
  return JSON.parse(writing.body.toString("utf8")) as Body;
}
const messagesOf = (...turns: NeutralTurn[]): unknown => write({ turns }).messages;

test("the least request, and what is not in it", () => {
  assert.deepEqual(write({}), {
    model: "target",
    max_tokens: 64_000,
    messages: [{ role: "user", content: [{ type: "text", text: "Привет" }] }],
    stream: true,
  });
});

test("the limit is filled and cut", () => {
  const table: [number | null, number][] = [
    [null, 64_000],
    [1, 1],
    [64_000, 64_000],
    [128_000, 64_000],
  ];
  for (const [maxTokens, sent] of table) assert.equal(write({ maxTokens }).max_tokens, sent);
});

test("instructions come first and together, wherever they stood", () => {
  const body = write({
    system: [text("a", { ttl: "1h" })],
    turns: [
      user(text("1")),
      { role: "system", parts: [text("b"), text(" ")] },
      user(text("2")),
      { role: "system", parts: [text("c")] },
    ],
  });
  assert.deepEqual(body.system, [
    { type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } },
    { type: "text", text: "b" },
    { type: "text", text: "c" },
  ]);
  assert.deepEqual(body.messages, [
    {
      role: "user",
      content: [
        { type: "text", text: "1" },
        { type: "text", text: "2" },
      ],
    },
  ]);
});

test("instructions alone are what the user asks", () => {
  const body = write({ system: [text("Переведи: cat")], turns: [user(text(" \n"))] });
  assert.deepEqual(
    [body.system, body.messages],
    [undefined, [{ role: "user", content: [{ type: "text", text: "Переведи: cat" }] }]],
  );
});

test("where nothing is said the caller is told so", () => {
  const writing = writeMessagesRequest(
    { ...EMPTY_REQUEST, turns: [user(text("")), assistant(thought(null))] },
    TARGET,
  );
  assert.ok(!writing.ok);
  assert.deepEqual(
    [writing.fault.code, writing.fault.details.param],
    ["invalid_request", "messages"],
  );
});

test("a conversation that the assistant opens gets an opening of the user", () => {
  assert.deepEqual(messagesOf(assistant(text("Здравствуйте!")), user(text("Привет"))), [
    { role: "user", content: [{ type: "text", text: "…" }] },
    { role: "assistant", content: [{ type: "text", text: "Здравствуйте!" }] },
    { role: "user", content: [{ type: "text", text: "Привет" }] },
  ]);
});

test("neighbours of one role are one message, results of tools come first", () => {
  const turns = [
    user(text("a")),
    assistant(text("b")),
    assistant(call("t1"), call("t2")),
    results("t1"),
    user(text("и ещё")),
    results("t2"),
    assistant(text("c")),
    user(text("d")),
  ];
  assert.deepEqual(messagesOf(...turns), [
    { role: "user", content: [{ type: "text", text: "a" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "b" },
        { type: "tool_use", id: "t1", name: "f", input: {} },
        { type: "tool_use", id: "t2", name: "f", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "t1",
          content: [{ type: "text", text: "result of t1" }],
        },
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: [{ type: "text", text: "result of t2" }],
        },
        { type: "text", text: "и ещё" },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "c" }] },
    { role: "user", content: [{ type: "text", text: "d" }] },
  ]);
});

test("white space at the end is taken from an answer that goes on, and from no other", () => {
  const turns = [
    user(text("a ")),
    assistant(text("b ")),
    user(text("c ")),
    assistant(text("{"), text('"x": \n')),
  ];
  assert.deepEqual(messagesOf(...turns), [
    { role: "user", content: [{ type: "text", text: "a " }] },
    { role: "assistant", content: [{ type: "text", text: "b " }] },
    { role: "user", content: [{ type: "text", text: "c " }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "{" },
        { type: "text", text: '"x":' },
      ],
    },
  ]);
});

test("what users and tools can say", () => {
  const cache = { ttl: "5m" } as const;
  const cacheControl = { type: "ephemeral", ttl: "5m" };
  const media: UserPart[] = [
    {
      kind: "image",
      source: { kind: "base64", mediaType: "image/png", data: "iVBO" },
      detail: "low",
      cache: null,
    },
    {
      kind: "image",
      source: { kind: "url", url: "https://example.com/a.png" },
      detail: null,
      cache,
    },
    {
      kind: "document",
      source: { kind: "base64", mediaType: "application/pdf", data: "JVBE" },
      name: "Отчёт.pdf",
      cache,
    },
    { kind: "document", source: { kind: "text", text: "слова" }, name: null, cache: null },
  ];
  const blocks = [
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
    {
      type: "image",
      source: { type: "url", url: "https://example.com/a.png" },
      cache_control: cacheControl,
    },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
      title: "Отчёт.pdf",
      cache_control: cacheControl,
    },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "слова" } },
  ];
  assert.deepEqual(messagesOf(user(text("a", cache), ...media)), [
    {
      role: "user",
      content: [{ type: "text", text: "a", cache_control: cacheControl }, ...blocks],
    },
  ]);
  const answered: NeutralTurn = {
    role: "tool-results",
    results: [
      { callId: "t1", parts: [text(""), ...media], isError: false, cache },
      { callId: "t2", parts: [text("нет")], isError: true, cache: null },
      { callId: "t3", parts: [text(" ")], isError: false, cache: null },
    ],
  };
  assert.deepEqual(
    write({ turns: [user(text("a")), assistant(call("t1"), call("t2"), call("t3")), answered] })
      .messages[2],
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: blocks, cache_control: cacheControl },
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: [{ type: "text", text: "нет" }],
          is_error: true,
        },
        { type: "tool_result", tool_use_id: "t3" },
      ],
    },
  );
});

test("what the assistant has said: thinking only under its seal, a refusal as text, no empty text", () => {
  const parts: AssistantPart[] = [
    thought(null),
    thought("EqQB"),
    { kind: "thinking", text: "", signature: "EqQB2" },
    { kind: "redacted-thinking", data: "EmwK" },
    text(""),
    text("да"),
    { kind: "refusal", text: "нет" },
  ];
  assert.deepEqual(write({ turns: [...ASKED, assistant(...parts), ...ASKED] }).messages[1], {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "EqQB" },
      { type: "thinking", thinking: "", signature: "EqQB2" },
      { type: "redacted_thinking", data: "EmwK" },
      { type: "text", text: "да" },
      { type: "text", text: "нет" },
    ],
  });
});

test("arguments of calls become an object whatever the model wrote (hazards §36)", () => {
  const deep = `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`;
  const table: [string, unknown][] = [
    ["", {}],
    [" \n", {}],
    ["null", {}],
    ["{}", {}],
    [' { "город" : "Тверь" } ', { город: "Тверь" }],
    ['{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}')],
    ['{"a": 1', { arguments: '{"a": 1' }],
    ['{"a": 1}}', { arguments: '{"a": 1}}' }],
    ["[1]", { arguments: "[1]" }],
    ['"x"', { arguments: '"x"' }],
    ["ls -la", { arguments: "ls -la" }],
    [deep, { arguments: deep }],
  ];
  for (const [json, input] of table) {
    const { messages } = write({ turns: [...ASKED, assistant(call("t1", json)), results("t1")] });
    assert.deepEqual(messages[1]?.content, [{ type: "tool_use", id: "t1", name: "f", input }]);
  }
});

test("ids of calls that the vendor does not take are changed alike in the call and its result", () => {
  const ids = ["toolu_01-A", "functions.f:0", "functions.f:1", "вызов"];
  const { messages } = write({
    turns: [...ASKED, assistant(...ids.map((id) => call(id))), results(...ids)],
  });
  const sent = messages[1]?.content.map(({ id }) => id);
  assert.deepEqual(sent, [
    "toolu_01-A",
    "functions_2e_f_3a_0",
    "functions_2e_f_3a_1",
    "_432__44b__437__43e__432_",
  ]);
  assert.deepEqual(
    messages[2]?.content.map((block) => block["tool_use_id"]),
    sent,
  );
});

test("tools, which of them to call, and how many at a time", () => {
  const schema = { properties: { a: { type: "string" } } };
  const body = write({
    tools: [
      {
        name: "a",
        description: "d",
        schema: { type: "object", ...schema },
        strict: true,
        cache: { ttl: "1h" },
      },
      { name: "b", description: null, schema, strict: false, cache: null },
      TOOL,
    ],
  });
  assert.deepEqual(body.tools, [
    {
      name: "a",
      description: "d",
      input_schema: { type: "object", ...schema },
      strict: true,
      cache_control: { type: "ephemeral", ttl: "1h" },
    },
    { name: "b", input_schema: { type: "object", ...schema } },
    { name: "f", input_schema: { type: "object" } },
  ]);
  assert.equal(body.tool_choice, undefined);
  const table: [Partial<NeutralRequest>, unknown][] = [
    [{ toolChoice: { kind: "auto" } }, { type: "auto" }],
    [{ toolChoice: { kind: "required" } }, { type: "any" }],
    [{ toolChoice: { kind: "tool", name: "f" } }, { type: "tool", name: "f" }],
    [{ toolChoice: { kind: "none" }, parallelToolCalls: false }, { type: "none" }],
    [{ parallelToolCalls: true }, undefined],
    [{ parallelToolCalls: false }, { type: "auto", disable_parallel_tool_use: true }],
    [
      { toolChoice: { kind: "required" }, parallelToolCalls: false },
      { type: "any", disable_parallel_tool_use: true },
    ],
    [
      { toolChoice: { kind: "tool", name: "f" }, parallelToolCalls: false },
      { type: "tool", name: "f", disable_parallel_tool_use: true },
    ],
  ];
  for (const [fields, choice] of table)
    assert.deepEqual(write({ tools: [TOOL], ...fields }).tool_choice, choice);
  assert.deepEqual(write({ toolChoice: { kind: "auto" }, parallelToolCalls: false }), write({}));
});

test("tools that were called and are not given any more are named, and not to be called", () => {
  const { tools, tool_choice: choice } = write({
    turns: [...ASKED, assistant(call("1", "", "a"), call("2", "", "b"), call("3", "", "a"))],
  });
  const schema = { type: "object" };
  assert.deepEqual(
    [tools, choice],
    [
      [
        { name: "a", input_schema: schema },
        { name: "b", input_schema: schema },
      ],
      { type: "none" },
    ],
  );
});

test("sampling as the vendor takes it", () => {
  const table: [Partial<NeutralRequest>, object][] = [
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ temperature: 0, topP: 1 }, { temperature: 0 }],
    [
      { topP: 0.3, topK: 5 },
      { top_p: 0.3, top_k: 5 },
    ],
    [{ stop: ["\n", "Человек:", ""] }, { stop_sequences: ["Человек:"] }],
    [{ stop: [" "] }, {}],
    [{ user: "u-1" }, { metadata: { user_id: "u-1" } }],
    [{ user: "" }, {}],
    [{ user: "u".repeat(257) }, {}],
  ];
  for (const [fields, expected] of table)
    assert.deepEqual(write(fields), { ...write({}), ...expected }, JSON.stringify(fields));
  assert.equal(write({}, { stream: false }).stream, false);
});

test("the form of the answer: a schema, but not just any object", () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const format = { name: "x", description: "d", strict: true };
  assert.deepEqual(write({ format: { ...format, schema } }).output_config, {
    format: { type: "json_schema", schema },
  });
  assert.equal(write({ format: { ...format, schema: null } }).output_config, undefined);
});
