/**
 * Chat Completions of the sandbox satisfy the official SDK, its stream accumulator included, and
 * its figures are the tokenizer's.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import OpenAI, { APIError, AuthenticationError, BadRequestError, RateLimitError } from "openai";
import type {
  ChatCompletionChunk,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { createSandbox, type Sandbox } from "../create-sandbox.ts";

let sandbox: Sandbox;
let client: OpenAI;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0, apiKeys: ["key-1"] });
  client = new OpenAI({ baseURL: `${sandbox.url}/v1`, apiKey: "key-1", maxRetries: 0 });
});
after(() => sandbox.close());

const tokens = (text: string): number => encode(text).length;
const user = (content: string): ChatCompletionMessageParam[] => [{ role: "user", content }];
const tool = (name: string, parameters: Record<string, unknown>): ChatCompletionTool => ({
  type: "function",
  function: { name, parameters },
});
const WEATHER = tool("get_weather", {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
});
const CLOCK = tool("get_time", {
  type: "object",
  properties: { zone: { enum: ["UTC", "MSK"] } },
  required: ["zone"],
});

test("an answer greets in the user's language, quotes, and is counted as the tokenizer counts", async () => {
  const content = "Привет, мир 👋";
  const completion = await client.chat.completions.create({
    model: "echo-large",
    messages: [{ role: "developer", content: "Будь краток." }, ...user(content)],
  });
  const text = completion.choices[0]?.message.content ?? "";
  assert.match(text, /^Здравствуйте!.*echo-large.*«Привет, мир 👋».*«Будь краток\.»/s);
  assert.equal(completion.choices[0]?.finish_reason, "stop");
  assert.equal(completion.model, "echo-large");
  assert.equal(
    completion.usage?.prompt_tokens,
    3 + 2 * 4 + tokens(content) + tokens("Будь краток."),
  );
  assert.equal(completion.usage?.completion_tokens, tokens(text));
  assert.equal(
    completion.usage?.total_tokens,
    Number(completion.usage?.prompt_tokens) + tokens(text),
  );
  const again = await client.chat.completions.create({
    model: "echo-large",
    messages: [{ role: "developer", content: "Будь краток." }, ...user(content)],
  });
  assert.equal(again.choices[0]?.message.content, text);
  assert.notEqual(again.id, completion.id);
});

test("a stream says the same word by word, with usage only where it was asked for", async () => {
  const whole = await client.chat.completions.create({
    model: "echo-small",
    messages: user("streamed 👨‍👩‍👧 text"),
  });
  const chunks: ChatCompletionChunk[] = [];
  const stream = await client.chat.completions.create({
    model: "echo-small",
    messages: user("streamed 👨‍👩‍👧 text"),
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) chunks.push(chunk);
  assert.equal(
    chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""),
    whole.choices[0]?.message.content,
  );
  assert.ok(chunks.length > 8);
  assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1);
  assert.deepEqual(chunks.at(-1)?.choices, []);
  assert.deepEqual(chunks.at(-1)?.usage, whole.usage);
  assert.ok(chunks.slice(0, -1).every((chunk) => chunk.usage === null));
  assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, "stop");
  const bare = await client.chat.completions.create({
    model: "echo-small",
    messages: user("x"),
    stream: true,
  });
  for await (const chunk of bare) assert.ok(!("usage" in chunk));
});

test("n choices differ, are interleaved in a stream, and are all counted", async () => {
  const whole = await client.chat.completions.create({ model: "m", messages: user("hi"), n: 3 });
  const texts = whole.choices.map((choice) => choice.message.content ?? "");
  assert.equal(new Set(texts).size, 3);
  assert.equal(
    whole.usage?.completion_tokens,
    texts.reduce((sum, text) => sum + tokens(text), 0),
  );
  const streamed = await client.chat.completions
    .stream({ model: "m", messages: user("hi"), n: 3, stream_options: { include_usage: true } })
    .finalChatCompletion();
  assert.deepEqual(
    streamed.choices.map((choice) => choice.message.content),
    texts,
  );
  assert.deepEqual(streamed.usage, whole.usage);
});

test("max_tokens cuts the answer, max_completion_tokens before it", async () => {
  const older: object = { max_tokens: 400 }; // the name that many clients still send
  const cut = await client.chat.completions.create({
    model: "m",
    messages: user("a long enough message to answer"),
    ...older,
    max_completion_tokens: 5,
  });
  assert.equal(cut.choices[0]?.finish_reason, "length");
  assert.equal(cut.usage?.completion_tokens, 5);
  assert.equal(tokens(cut.choices[0]?.message.content ?? ""), 5);
});

test("a stop sequence ends the answer before itself, whichever comes first", async () => {
  const stopped = await client.chat.completions.create({
    model: "m",
    messages: user("one two three"),
    stop: ["three", "two"],
  });
  assert.equal(stopped.choices[0]?.finish_reason, "stop");
  assert.match(stopped.choices[0]?.message.content ?? "", /one $/);
});

test("images are seen and cost 85 tokens each, whatever their bytes", async () => {
  const url = `data:image/png;base64,${"A".repeat(100_000)}`;
  const seen = await client.chat.completions.create({
    model: "m",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        ],
      },
    ],
  });
  assert.match(seen.choices[0]?.message.content ?? "", /Images I was shown: 2\./);
  assert.equal(seen.usage?.prompt_tokens, 3 + 4 + tokens("look") + 2 * 85);
});

test("a tool is called when tools are given: the named one, else the first; several where several are asked for", async () => {
  const called = async (content: string, extra: object = {}): Promise<(string | undefined)[]> => {
    const completion = await client.chat.completions.create({
      model: "m",
      messages: user(content),
      tools: [CLOCK, WEATHER],
      ...extra,
    });
    const [choice] = completion.choices;
    const names = (choice?.message.tool_calls ?? []).map((call) =>
      call.type === "function" ? call.function.name : undefined,
    );
    assert.equal(choice?.finish_reason, names.length > 0 ? "tool_calls" : "stop");
    assert.equal(choice?.message.content === null, names.length > 0);
    return names;
  };
  assert.deepEqual(await called("anything"), ["get_time"]);
  assert.deepEqual(await called("please get_weather"), ["get_weather"]);
  assert.deepEqual(await called("get_weather and get_time"), ["get_weather", "get_time"]);
  assert.deepEqual(await called("call several tools"), ["get_time", "get_weather"]);
  assert.deepEqual(await called("вызови get_weather несколько раз"), [
    "get_weather",
    "get_weather",
  ]);
  assert.deepEqual(await called("get_weather and get_time", { parallel_tool_calls: false }), [
    "get_weather",
  ]);
  assert.deepEqual(await called("get_weather", { tool_choice: "none" }), []);
  assert.deepEqual(
    await called("get_weather", {
      tool_choice: { type: "function", function: { name: "get_time" } },
    }),
    ["get_time"],
  );
});

test("a streamed parallel tool conversation goes round: calls, results, answer", async () => {
  const params = {
    model: "m",
    tools: [CLOCK, WEATHER],
    messages: user("get_weather and get_time in parallel"),
  };
  const first = await client.chat.completions
    .stream({ ...params, stream_options: { include_usage: true } })
    .finalChatCompletion();
  const calls = (first.choices[0]?.message.tool_calls ?? []).flatMap((call) =>
    call.type === "function" ? [call] : [],
  );
  assert.deepEqual(
    calls.map((call) => JSON.parse(call.function.arguments) as unknown),
    [{ city: "sample city" }, { zone: "UTC" }],
  );
  assert.equal(new Set(calls.map((call) => call.id)).size, 2);
  assert.equal(
    first.usage?.completion_tokens,
    calls.reduce(
      (sum, call) => sum + tokens(call.function.name) + tokens(call.function.arguments),
      0,
    ),
  );
  const [weather, time] = calls;
  assert.ok(weather !== undefined && time !== undefined);
  const second = await client.chat.completions.create({
    ...params,
    messages: [
      ...params.messages,
      {
        role: "assistant",
        content: null,
        tool_calls: [weather, time].map((call) => ({
          id: call.id,
          type: "function",
          function: { name: call.function.name, arguments: call.function.arguments },
        })),
      },
      { role: "tool", tool_call_id: time.id, content: "noon" },
      { role: "tool", tool_call_id: weather.id, content: [{ type: "text", text: "sunny" }] },
    ],
  });
  assert.match(
    second.choices[0]?.message.content ?? "",
    /get_time answered: “noon”.*get_weather answered: “sunny”/,
  );
  assert.equal(second.choices[0]?.finish_reason, "stop");
});

test("structured output is valid JSON for its schema, streamed and whole", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "integer" } },
    required: ["name", "age"],
    additionalProperties: false,
  };
  const params = {
    model: "m",
    messages: user("who?"),
    response_format: {
      type: "json_schema" as const,
      json_schema: { name: "person", strict: true, schema },
    },
  };
  const whole = await client.chat.completions.parse(params);
  assert.deepEqual(whole.choices[0]?.message.parsed, { name: "sample name", age: 1 });
  const streamed = await client.chat.completions.stream(params).finalChatCompletion();
  assert.deepEqual(streamed.choices[0]?.message.parsed, whole.choices[0]?.message.parsed);
});

test("reasoning is given when asked for, and counts as part of the completion", async () => {
  const completion = await client.chat.completions.create({
    model: "m",
    messages: user("think"),
    reasoning_effort: "low",
  });
  const message = completion.choices[0]?.message as { content: string; reasoning_content?: string };
  assert.ok(message.reasoning_content !== undefined);
  assert.equal(
    completion.usage?.completion_tokens_details?.reasoning_tokens,
    tokens(message.reasoning_content),
  );
  assert.equal(
    completion.usage?.completion_tokens,
    tokens(message.reasoning_content) + tokens(message.content),
  );
  let streamed = "";
  for await (const chunk of await client.chat.completions.create({
    model: "m",
    messages: user("think"),
    reasoning_effort: "low",
    stream: true,
  })) {
    streamed +=
      (chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ??
      "";
  }
  assert.equal(streamed, message.reasoning_content);
  const quick = await client.chat.completions.create({
    model: "m",
    messages: user("think"),
    reasoning_effort: "none",
  });
  assert.ok(!("reasoning_content" in (quick.choices[0]?.message ?? {})));
  const starved = await client.chat.completions.create({
    model: "m",
    messages: user("think"),
    reasoning_effort: "low",
    max_completion_tokens: 4,
  });
  assert.deepEqual(
    [
      starved.choices[0]?.message.content,
      starved.choices[0]?.finish_reason,
      starved.usage?.completion_tokens,
    ],
    ["", "length", 4],
  );
});

test("a refusal is a refusal in both forms", async () => {
  const whole = await client.chat.completions.create({
    model: "m",
    messages: user("[[sandbox: refusal]]"),
  });
  assert.ok((whole.choices[0]?.message.refusal ?? "").length > 0);
  assert.equal(whole.choices[0]?.message.content, null);
  const streamed = await client.chat.completions
    .stream({ model: "m", messages: user("[[sandbox: refusal]]") })
    .finalChatCompletion();
  assert.equal(streamed.choices[0]?.message.refusal, whole.choices[0]?.message.refusal);
});

test("errors come as the SDK's own classes, with message, param and retry-after", async () => {
  const create = (content: string, extra: object = {}): Promise<unknown> =>
    client.chat.completions.create({ model: "m", messages: user(content), ...extra });
  await assert.rejects(create("[[sandbox: status=429 retry-after=7]]"), (error) => {
    assert.ok(error instanceof RateLimitError);
    assert.equal(error.headers.get("retry-after"), "7");
    assert.match(error.message, /status 429 as asked/);
    return true;
  });
  await assert.rejects(
    create("[[sandbox: status=503]]", { stream: true }),
    (error) => error instanceof APIError && error.status === 503,
  );
  await assert.rejects(
    create("[[sandbox: stauts=503]]"),
    (error) => error instanceof BadRequestError && /unknown directive/.test(error.message),
  );
  await assert.rejects(
    create("x", { n: 0 }),
    (error) => error instanceof BadRequestError && error.param === "n",
  );
  await assert.rejects(
    create("x", { max_tokens: 1.5 }),
    (error) => error instanceof BadRequestError && error.param === "max_tokens",
  );
  const stranger = new OpenAI({ baseURL: `${sandbox.url}/v1`, apiKey: "key-2", maxRetries: 0 });
  await assert.rejects(
    stranger.models.list(),
    (error) => error instanceof AuthenticationError && error.code === "invalid_api_key",
  );
  await assert.rejects(
    client.chat.completions.create({
      model: "m",
      messages: [...user("x"), { role: "tool", tool_call_id: "t", content: "y" }],
    }),
    (error) =>
      error instanceof BadRequestError && /preceding message with 'tool_calls'/.test(error.message),
  );
});

test("an error event in the middle of a stream reaches the SDK as an error", async () => {
  const stream = await client.chat.completions.create({
    model: "m",
    messages: user("[[sandbox: errorEvent=3]] hello"),
    stream: true,
  });
  let seen = 0;
  await assert.rejects(async () => {
    for await (const chunk of stream) seen += chunk.choices.length;
  }, APIError);
  assert.equal(seen, 3);
});

test("models are listed and found", async () => {
  const ids = (await client.models.list()).data.map((model) => model.id);
  assert.deepEqual(ids, ["echo-large", "echo-medium", "echo-small"]);
  assert.equal((await client.models.retrieve("echo-small")).id, "echo-small");
});
