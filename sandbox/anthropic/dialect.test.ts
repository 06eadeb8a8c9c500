/**
 * Messages of the sandbox have the vendor's shapes, event order and checks, and cost what the same
 * talk costs in Chat Completions.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { createSandbox, type Sandbox } from "../create-sandbox.ts";

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown> & {
    content: Record<string, unknown>[];
    usage: Record<string, unknown>;
    error: Record<string, unknown>;
  };
}
interface Event {
  readonly type: string;
  readonly index: number;
  readonly delta: Record<string, string | undefined>;
  readonly message: Reply["body"];
  readonly content_block: Record<string, unknown>;
  readonly usage: Record<string, unknown>;
}

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
});
after(() => sandbox.close());

const HEADERS = {
  "x-api-key": "k",
  "anthropic-version": "2023-06-01",
  "content-type": "application/json",
};
const request = (
  body: object,
  path = "/v1/messages",
  headers: Record<string, string> = HEADERS,
): Promise<Response> =>
  fetch(sandbox.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "echo-large", max_tokens: 3000, ...body }),
  });
const send = async (
  body: object,
  path?: string,
  headers?: Record<string, string>,
): Promise<Reply> => {
  const response = await request(body, path, headers);
  return { status: response.status, body: (await response.json()) as Reply["body"] };
};
const stream = async (body: object): Promise<Event[]> => {
  const text = await (await request({ ...body, stream: true })).text();
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      const event = JSON.parse(data ?? "null") as Event;
      assert.equal(event.type, name);
      return event;
    });
};
const tokens = (text: string): number => encode(text).length;
const user = (content: unknown) => ({ role: "user", content });
const TOOLS = [
  {
    name: "get_time",
    input_schema: { type: "object", properties: { zone: { enum: ["UTC"] } }, required: ["zone"] },
  },
  {
    name: "get_weather",
    description: "weather",
    input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  { type: "web_search_20250305", name: "web_search" },
];

test("a message: content, stop reason, usage counted as the tokenizer counts", async () => {
  const { status, body } = await send({
    system: [{ type: "text", text: "Be brief." }],
    messages: [user("hello there")],
  });
  assert.equal(status, 200);
  const text = String(body.content[0]?.text);
  assert.match(text, /echo-large.*“hello there”.*“Be brief\.”/);
  assert.deepEqual(
    [body.type, body.role, body.model, body.stop_reason, body.stop_sequence],
    ["message", "assistant", "echo-large", "end_turn", null],
  );
  assert.equal(body.usage.input_tokens, 3 + 2 * 4 + tokens("hello there") + tokens("Be brief."));
  assert.equal(body.usage.output_tokens, tokens(text));
});

test("a stream keeps the order, opens and closes every block, and its delta usage is the total", async () => {
  const messages = [user("think, then call get_weather and get_time")];
  const params = { messages, tools: TOOLS, thinking: { type: "enabled", budget_tokens: 1024 } };
  const { body } = await send(params);
  const events = await stream(params);
  assert.deepEqual(
    events.map((event) => event.type).filter((type, at, all) => type !== all[at - 1]),
    [
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ],
  );
  const start = events[0]?.message;
  assert.deepEqual(
    [start?.content, start?.stop_reason, start?.usage.input_tokens, start?.usage.output_tokens],
    [[], null, body.usage.input_tokens, 1],
  );
  const joined = body.content.map((_, index) =>
    events
      .filter((event) => event.type === "content_block_delta" && event.index === index)
      .map((event) => event.delta.thinking ?? event.delta.partial_json ?? event.delta.text ?? "")
      .join(""),
  );
  assert.deepEqual(joined, [
    body.content[0]?.thinking,
    JSON.stringify(body.content[1]?.input),
    JSON.stringify(body.content[2]?.input),
  ]);
  assert.deepEqual(
    body.content.map((block) => block.name ?? block.type),
    ["thinking", "get_weather", "get_time"],
  );
  const signature = events.find(
    (event) => event.type === "content_block_delta" && event.delta.type === "signature_delta",
  );
  assert.equal(signature?.delta.signature, body.content[0]?.signature);
  const delta = events.at(-2);
  assert.equal(delta?.delta.stop_reason, "tool_use");
  assert.equal(delta?.usage.output_tokens, body.usage.output_tokens);
  assert.deepEqual(body.usage.output_tokens_details, {
    thinking_tokens: tokens(String(body.content[0]?.thinking)),
  });
});

test("the second turn of a tool conversation is answered with its results, and a changed thinking block is found out", async () => {
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const question = user("get_weather and get_time");
  const first = (await send({ messages: [question], tools: TOOLS, thinking })).body;
  const results = first.content
    .filter((block) => block.type === "tool_use")
    .map((block, at) => ({
      type: "tool_result",
      tool_use_id: block.id,
      is_error: at === 1,
      content:
        at === 1
          ? "no clock"
          : [
              { type: "text", text: "sunny" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
            ],
    }));
  const turn = (content: unknown) => ({
    messages: [question, { role: "assistant", content }, user(results)],
    tools: TOOLS,
    thinking,
  });
  const second = await send(turn(first.content));
  assert.equal(second.status, 200);
  assert.match(
    String(second.body.content[1]?.text),
    /get_weather answered: “sunny”.*get_time failed: “no clock”.*Images I was shown: 1/,
  );
  const forged = await send(
    turn([{ ...first.content[0], thinking: "other" }, ...first.content.slice(1)]),
  );
  assert.deepEqual(
    [forged.status, forged.body.error.message],
    [400, "messages.1.content.0: Invalid `signature` in `thinking` block"],
  );
  assert.match(
    String((await send(turn(first.content.slice(1)))).body.error.message),
    /Expected `thinking`/,
  );
  const unanswered = await send({
    messages: [question, { role: "assistant", content: first.content }, user("never mind")],
  });
  assert.match(
    String(unanswered.body.error.message),
    /`tool_use` ids were found without `tool_result` blocks/,
  );
});

test("the same talk costs the same in both protocols", async () => {
  const schema = TOOLS[1]?.input_schema;
  const { body } = await send({
    system: "Be brief.",
    tools: [TOOLS[1]],
    messages: [
      user([
        { type: "text", text: "weather?" },
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      ]),
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "a", name: "get_weather", input: { city: "Oslo" } }],
      },
      user([{ type: "tool_result", tool_use_id: "a", content: "snow" }]),
    ],
  });
  const response = await fetch(`${sandbox.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({
      model: "echo-large",
      tools: [
        {
          type: "function",
          function: { name: "get_weather", description: "weather", parameters: schema },
        },
      ],
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "weather?" },
            { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "a",
              type: "function",
              function: { name: "get_weather", arguments: '{ "city": "Oslo" }' },
            },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "snow" },
      ],
    }),
  });
  const openai = (await response.json()) as {
    usage: Record<string, unknown>;
    choices: { message: { content: string } }[];
  };
  assert.equal(openai.choices[0]?.message.content, body.content[0]?.text);
  assert.deepEqual(
    [openai.usage.prompt_tokens, openai.usage.completion_tokens],
    [body.usage.input_tokens, body.usage.output_tokens],
  );
});

test("cached tokens are counted beside the input here and inside the prompt there", async () => {
  const words = "[[sandbox: cached=5 cacheWrite5m=3 cacheWrite1h=2]] hello";
  const { usage } = (await send({ messages: [user(words)] })).body;
  const prompt = 3 + 4 + tokens(words);
  assert.deepEqual(
    [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens],
    [prompt - 10, 5, 5],
  );
  assert.deepEqual(usage.cache_creation, {
    ephemeral_5m_input_tokens: 3,
    ephemeral_1h_input_tokens: 2,
  });
});

test("limits, stop sequences, refusals and forced tools have their stop reasons", async () => {
  const reason = async (content: string, extra: object = {}): Promise<unknown[]> => {
    const { body } = await send({ messages: [user(content)], ...extra });
    return [body.stop_reason, body.stop_sequence];
  };
  assert.deepEqual(await reason("a long message to be cut", { max_tokens: 3 }), [
    "max_tokens",
    null,
  ]);
  assert.deepEqual(await reason("one two", { stop_sequences: ["two"] }), ["stop_sequence", "two"]);
  assert.deepEqual(await reason("[[sandbox: refusal]]"), ["refusal", null]);
  assert.deepEqual(await reason("x", { tools: TOOLS, tool_choice: { type: "any" } }), [
    "tool_use",
    null,
  ]);
  assert.deepEqual(await reason("x", { tools: TOOLS, tool_choice: { type: "none" } }), [
    "end_turn",
    null,
  ]);
});

test("structured output and hidden thinking", async () => {
  const schema = {
    type: "object",
    properties: { age: { type: "integer" } },
    required: ["age"],
    additionalProperties: false,
  };
  const structured = await send({
    messages: [user("x")],
    output_config: { format: { type: "json_schema", schema } },
  });
  assert.deepEqual(JSON.parse(String(structured.body.content[0]?.text)), { age: 1 });
  const hidden = await send({
    messages: [user("x")],
    thinking: { type: "adaptive", display: "omitted" },
  });
  assert.equal(hidden.body.content[0]?.thinking, "");
  assert.ok(
    Number(
      (hidden.body.usage.output_tokens_details as { thinking_tokens: number }).thinking_tokens,
    ) > 0,
  );
  const returned = await send({
    messages: [user("x"), { role: "assistant", content: hidden.body.content }, user("y")],
  });
  assert.equal(returned.status, 200);
});

test("counting tokens gives the input figure that a message would report", async () => {
  const params = { system: "s", messages: [user("hello")], tools: TOOLS };
  const message = (await send(params)).body;
  const counted = await send({ ...params, max_tokens: undefined }, "/v1/messages/count_tokens");
  assert.deepEqual(counted.body, { input_tokens: message.usage.input_tokens });
});

test("what the vendor refuses is refused in its shape", async () => {
  const refused = async (body: object, headers?: Record<string, string>): Promise<unknown[]> => {
    const reply = await send(body, "/v1/messages", headers);
    assert.equal(reply.body.type, "error");
    assert.equal(typeof reply.body.request_id, "string");
    return [reply.status, reply.body.error.type, reply.body.error.message];
  };
  const messages = [user("x")];
  assert.deepEqual(await refused({ messages, max_tokens: undefined }), [
    400,
    "invalid_request_error",
    "max_tokens: Field required",
  ]);
  assert.deepEqual(await refused({ messages }, { "x-api-key": "k" }), [
    400,
    "invalid_request_error",
    "anthropic-version: header is required",
  ]);
  assert.deepEqual((await refused({ messages }, {})).slice(0, 2), [401, "authentication_error"]);
  assert.deepEqual((await refused({ messages: [] })).slice(0, 2), [400, "invalid_request_error"]);
  assert.deepEqual((await refused({ messages: [user("[[sandbox: status=529]]")] })).slice(0, 2), [
    529,
    "overloaded_error",
  ]);
  assert.deepEqual(
    (
      await refused({
        messages,
        tools: TOOLS,
        tool_choice: { type: "any" },
        thinking: { type: "adaptive" },
      })
    )[0],
    400,
  );
});

test("models come in the shape of the version header", async () => {
  const list = (await (
    await fetch(`${sandbox.url}/v1/models?limit=1000`, { headers: HEADERS })
  ).json()) as {
    data: { type: string }[];
    has_more: boolean;
  };
  assert.equal(list.has_more, false);
  assert.ok(list.data.every((model) => model.type === "model"));
});
