/**
 * Guarantee: everything that a Messages request says reaches an upstream of another protocol, or
 * the caller is told which field cannot.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NeutralRequest } from "../neutral/neutral-request.ts";
import { readNeutral } from "./neutral-from-request.ts";

const user = (content: unknown): object => ({ role: "user", content });
const assistant = (content: unknown): object => ({ role: "assistant", content });
const bodyOf = (fields: object): Record<string, unknown> => ({
  model: "m",
  max_tokens: 100,
  messages: [user("Привет")],
  ...fields,
});

function read(fields: object): NeutralRequest {
  const reading = readNeutral(bodyOf(fields));
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  return reading.request;
}
const text = (value: string, cache: unknown = null): object => ({
  kind: "text",
  text: value,
  cache,
});

function refusal(fields: object): [string | undefined, string] {
  const reading = readNeutral(bodyOf(fields));
  assert.ok(!reading.ok, "this request must be refused");
  assert.equal(reading.fault.code, "invalid_request");
  return [reading.fault.details.param, reading.fault.message];
}

test("the least request, and every field that is not in it", () => {
  assert.deepEqual(read({}), {
    system: [],
    turns: [{ role: "user", parts: [text("Привет")] }],
    tools: [],
    toolChoice: null,
    parallelToolCalls: null,
    maxTokens: 100,
    temperature: null,
    topP: null,
    topK: null,
    stop: [],
    format: null,
    reasoning: null,
    user: null,
  });
});

test("null is not said", () => {
  const nothing = Object.fromEntries(
    [
      "system",
      "tools",
      "tool_choice",
      "temperature",
      "top_p",
      "top_k",
      "stop_sequences",
      "thinking",
      "output_config",
      "metadata",
    ].map((name) => [name, null]),
  );
  assert.deepEqual(read(nothing), read({}));
});

test("sampling, limits, stops and the caller's user", () => {
  const request = read({
    temperature: 0,
    top_p: 0.5,
    top_k: 40,
    stop_sequences: ["\n\nЧеловек:", " "],
    metadata: { user_id: "u-1" },
  });
  assert.deepEqual(
    [request.temperature, request.topP, request.topK, request.stop, request.user],
    [0, 0.5, 40, ["\n\nЧеловек:", " "], "u-1"],
  );
});

test("system prompts as a string or as blocks, with the life of the cache", () => {
  assert.deepEqual(read({ system: "Отвечай кратко 🙂" }).system, [text("Отвечай кратко 🙂")]);
  const blocks = [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.329; cc_entrypoint=cli;" },
    { type: "text", text: "" },
    { type: "text", text: "a", cache_control: { type: "ephemeral" } },
    { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } },
    { type: "text", text: "c", cache_control: null },
  ];
  assert.deepEqual(read({ system: blocks }).system, [
    text("x-anthropic-billing-header: cc_version=2.1.329; cc_entrypoint=cli;"),
    text("a", { ttl: "5m" }),
    text("b", { ttl: "1h" }),
    text("c"),
  ]);
});

test("tools and which of them to call", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const { tools } = read({
    tools: [
      {
        name: "a",
        description: "d",
        input_schema: schema,
        strict: true,
        cache_control: { type: "ephemeral" },
        eager_input_streaming: true,
      },
      {
        type: "custom",
        name: "b",
        description: null,
        input_schema: schema,
        defer_loading: true,
        input_examples: [{ a: "x" }],
      },
      { type: null, name: "c" },
    ],
  });
  assert.deepEqual(tools, [
    { name: "a", description: "d", schema, strict: true, cache: { ttl: "5m" } },
    { name: "b", description: null, schema, strict: null, cache: null },
    { name: "c", description: null, schema: null, strict: null, cache: null },
  ]);
  const table: [object, unknown, unknown][] = [
    [{ type: "auto" }, { kind: "auto" }, null],
    [{ type: "any", disable_parallel_tool_use: true }, { kind: "required" }, false],
    [
      { type: "tool", name: "a", disable_parallel_tool_use: false },
      { kind: "tool", name: "a" },
      null,
    ],
    [{ type: "none" }, { kind: "none" }, null],
  ];
  for (const [choice, expected, parallel] of table) {
    const request = read({ tool_choice: choice });
    assert.deepEqual([request.toolChoice, request.parallelToolCalls], [expected, parallel]);
  }
});

test("thinking and effort", () => {
  const table: [object, unknown][] = [
    [{ thinking: { type: "enabled", budget_tokens: 4096 } }, { kind: "budget", tokens: 4096 }],
    [
      { thinking: { type: "enabled", budget_tokens: 4096 }, output_config: { effort: "low" } },
      { kind: "budget", tokens: 4096 },
    ],
    [{ thinking: { type: "adaptive", display: "omitted" } }, { kind: "adaptive", effort: null }],
    [
      { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
      { kind: "adaptive", effort: "max" },
    ],
    [{ thinking: { type: "between_tools" } }, { kind: "adaptive", effort: null }],
    [{ thinking: { type: "disabled" }, output_config: { effort: "max" } }, { kind: "off" }],
    [{ output_config: { effort: "medium" } }, { kind: "adaptive", effort: "medium" }],
    [{ output_config: {} }, null],
  ];
  for (const [fields, expected] of table)
    assert.deepEqual(read(fields).reasoning, expected, JSON.stringify(fields));
});

test("the form of the answer, by its new and its old name", () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const format = { type: "json_schema", schema };
  const expected = { name: null, description: null, schema, strict: true };
  assert.deepEqual(read({ output_config: { format, effort: "low" } }).format, expected);
  assert.deepEqual(read({ output_format: format }).format, expected);
  assert.equal(read({ output_config: { format: null } }).format, null);
});

test("what has no equivalent is refused by the path of the field", () => {
  const block = (value: object): object => ({
    messages: [user("a"), assistant("b"), user([{ type: "text", text: "c" }, value])],
  });
  const table: [object, string][] = [
    [{ tools: [{ name: "a" }, { type: "web_search_20250305", name: "web_search" }] }, "tools[1]"],
    [{ tools: [{ type: "bash_20250124", name: "bash" }] }, "tools[0]"],
    [{ tools: [{ type: "computer_20250124", name: "computer", display_width_px: 1 }] }, "tools[0]"],
    [{ mcp_servers: [{ type: "url", url: "https://example.com", name: "x" }] }, "mcp_servers"],
    [
      block({ type: "image", source: { type: "file", file_id: "file_1" } }),
      "messages[2].content[1].source",
    ],
    [
      block({ type: "document", source: { type: "url", url: "https://example.com/a.pdf" } }),
      "messages[2].content[1].source",
    ],
    [
      block({ type: "document", source: { type: "file", file_id: "file_1" } }),
      "messages[2].content[1].source",
    ],
    [block({ type: "container_upload", file_id: "file_1" }), "messages[2].content[1]"],
    [
      block({
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "browser_state", tabs: [] }],
      }),
      "messages[2].content[1].content[0]",
    ],
    [
      {
        messages: [
          user("a"),
          assistant([{ type: "server_tool_use", id: "s", name: "web_search", input: {} }]),
        ],
      },
      "messages[1].content[0]",
    ],
    [
      { messages: [user("a"), assistant([{ type: "web_search_tool_result", content: [] }])] },
      "messages[1].content[0]",
    ],
    [{ system: [{ type: "text", text: "a" }, { type: "image" }] }, "system[1]"],
  ];
  for (const [fields, param] of table) {
    const [named, message] = refusal(fields);
    assert.equal(named, param);
    assert.match(message, /has no equivalent for this model/);
    assert.ok(message.includes(`'${param}'`), message);
  }
});

test("what is of a wrong type is refused by its path, and nothing throws", () => {
  const message = (value: object): object => ({ messages: [user([value])] });
  const table: [object, string][] = [
    [{ system: 5 }, "system"],
    [{ messages: [user(5)] }, "messages[0].content"],
    [{ messages: [user(null)] }, "messages[0].content"],
    [{ messages: [user(["a"])] }, "messages[0].content[0]"],
    [message({ text: "a" }), "messages[0].content[0].type"],
    [message({ type: "text" }), "messages[0].content[0].text"],
    [message({ type: "text", text: 5 }), "messages[0].content[0].text"],
    [message({ type: "thinking", thinking: "a" }), "messages[0].content[0]"],
    [message({ type: "image" }), "messages[0].content[0].source"],
    [
      message({ type: "image", source: { type: "base64", data: "" } }),
      "messages[0].content[0].source.media_type",
    ],
    [
      message({ type: "document", source: { type: "content" } }),
      "messages[0].content[0].source.content",
    ],
    [message({ type: "tool_result" }), "messages[0].content[0].tool_use_id"],
    [
      message({ type: "tool_result", tool_use_id: "t", content: 5 }),
      "messages[0].content[0].content",
    ],
    [
      message({ type: "tool_result", tool_use_id: "t", is_error: "no" }),
      "messages[0].content[0].is_error",
    ],
    [
      { messages: [user("a"), assistant([{ type: "tool_use", id: "t", name: "f", input: [1] }])] },
      "messages[1].content[0].input",
    ],
    [
      { messages: [user("a"), assistant([{ type: "tool_result", tool_use_id: "t" }])] },
      "messages[1].content[0]",
    ],
    [{ messages: [{ role: "tool", content: "a" }] }, "messages[0].role"],
    [{ messages: [user(""), assistant([])] }, "messages"],
    [{ tools: {} }, "tools"],
    [{ tools: [5] }, "tools[0]"],
    [{ tools: [{}] }, "tools[0].name"],
    [{ tools: [{ name: "a", input_schema: "{}" }] }, "tools[0].input_schema"],
    [{ tool_choice: "auto" }, "tool_choice"],
    [{ tool_choice: { type: "required" } }, "tool_choice.type"],
    [{ tool_choice: { type: "tool" } }, "tool_choice.name"],
    [{ stop_sequences: "x" }, "stop_sequences"],
    [{ stop_sequences: ["x", 5] }, "stop_sequences[1]"],
    [{ temperature: "0" }, "temperature"],
    [{ top_k: true }, "top_k"],
    [{ thinking: true }, "thinking"],
    [{ thinking: { type: "enabled" } }, "thinking.budget_tokens"],
    [{ thinking: { type: "often" } }, "thinking.type"],
    [{ output_config: "x" }, "output_config"],
    [{ output_config: { effort: 5 } }, "output_config.effort"],
    [{ output_config: { format: { type: "xml" } } }, "output_config.format.type"],
    [{ output_format: { type: "json_schema" } }, "output_format.schema"],
    [{ metadata: { user_id: 5 } }, "metadata.user_id"],
  ];
  for (const [fields, param] of table)
    assert.equal(refusal(fields)[0], param, JSON.stringify(fields));
});

test("what a Claude Code session sends is read as a whole", () => {
  const names = [
    "Agent",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "Skill",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
  ];
  const cache = { type: "ephemeral", ttl: "1h" };
  const userId = JSON.stringify({
    device_id: "0".repeat(64),
    account_uuid: "",
    session_id: "5f0c",
  });
  const request = read({
    model: "claude-sonnet-5-5",
    max_tokens: 128_000,
    stream: true,
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.329" },
      {
        type: "text",
        text: "You are Claude Code, Anthropic's official CLI for Claude.",
        cache_control: cache,
      },
      { type: "text", text: "Длинные указания.", cache_control: cache },
    ],
    tools: names.map((name) => ({
      name,
      description: `Tool ${name}`,
      input_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {},
        additionalProperties: false,
      },
    })),
    thinking: { type: "adaptive" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    output_config: { effort: "medium" },
    metadata: { user_id: userId },
    messages: [
      user([
        { type: "text", text: "<system-reminder>\nКонтекст\n</system-reminder>" },
        { type: "text", text: "Почини тесты 🔧", cache_control: cache },
      ]),
      assistant([
        { type: "thinking", thinking: "Сначала посмотрю.", signature: "EqQBCg" },
        { type: "text", text: "Смотрю." },
        { type: "tool_use", id: "toolu_01A", name: "Bash", input: { command: "npm test" } },
        { type: "tool_use", id: "toolu_01B", name: "Read", input: { file_path: "/a.ts" } },
      ]),
      user([
        { type: "tool_result", tool_use_id: "toolu_01A", content: "2 failing", is_error: true },
        {
          type: "tool_result",
          tool_use_id: "toolu_01B",
          content: [{ type: "text", text: "1\tconst a = 1;" }],
          cache_control: cache,
        },
      ]),
    ],
  });
  assert.deepEqual(
    [request.maxTokens, request.user, request.tools.map(({ name }) => name)],
    [128_000, userId, names],
  );
  assert.deepEqual(request.reasoning, { kind: "adaptive", effort: "medium" });
  assert.deepEqual(
    request.system.map((part) => part.cache),
    [null, { ttl: "1h" }, { ttl: "1h" }],
  );
  assert.deepEqual(request.turns, [
    {
      role: "user",
      parts: [
        text("<system-reminder>\nКонтекст\n</system-reminder>"),
        text("Почини тесты 🔧", { ttl: "1h" }),
      ],
    },
    {
      role: "assistant",
      parts: [
        { kind: "thinking", text: "Сначала посмотрю.", signature: "EqQBCg" },
        text("Смотрю."),
        {
          kind: "tool-call",
          id: "toolu_01A",
          name: "Bash",
          arguments: '{"command":"npm test"}',
          cache: null,
        },
        {
          kind: "tool-call",
          id: "toolu_01B",
          name: "Read",
          arguments: '{"file_path":"/a.ts"}',
          cache: null,
        },
      ],
    },
    {
      role: "tool-results",
      results: [
        { callId: "toolu_01A", parts: [text("2 failing")], isError: true, cache: null },
        {
          callId: "toolu_01B",
          parts: [text("1\tconst a = 1;")],
          isError: false,
          cache: { ttl: "1h" },
        },
      ],
    },
  ]);
});
