/**
 * Guarantee: what each protocol can say about tools beyond calling them, choosing, forbidding,
 * failing, answering with pictures, reaches an upstream of any protocol, and what it has no word
 * for is refused by name (contract §5).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ChatCustomer } from "../support/chat-scene.ts";
import { CALLERS, PROTOCOLS, type Caller, type Protocol } from "../support/protocol-pairs.ts";
import { openMatrixScene, type MatrixScene } from "./matrix-scene.ts";

let scene: MatrixScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openMatrixScene();
  customer = await scene.chat.customer({ roubles: "1000" });
});
after(() => scene.close());

const SCHEMA = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
};
const NAMES = ["get_weather", "get_time"];
/** Both tools, were there no choice about them. */
const ASKED = "get_weather and get_time, both";

interface Choice {
  readonly name: string;
  readonly openai: Pick<OpenAI.ChatCompletionCreateParams, "tool_choice" | "parallel_tool_calls">;
  readonly anthropic: Anthropic.ToolChoice;
  readonly responses: Pick<
    OpenAI.Responses.ResponseCreateParams,
    "tool_choice" | "parallel_tool_calls"
  >;
  readonly calls: readonly string[];
}

const CHOICES: readonly Choice[] = [
  {
    name: "as it likes",
    openai: { tool_choice: "auto" },
    anthropic: { type: "auto" },
    responses: { tool_choice: "auto" },
    calls: NAMES,
  },
  {
    name: "none",
    openai: { tool_choice: "none" },
    anthropic: { type: "none" },
    responses: { tool_choice: "none" },
    calls: [],
  },
  {
    name: "any",
    openai: { tool_choice: "required" },
    anthropic: { type: "any" },
    responses: { tool_choice: "required" },
    calls: NAMES,
  },
  {
    name: "this one",
    openai: { tool_choice: { type: "function", function: { name: "get_time" } } },
    anthropic: { type: "tool", name: "get_time" },
    responses: { tool_choice: { type: "function", name: "get_time" } },
    calls: ["get_time"],
  },
  {
    name: "one at a time",
    openai: { tool_choice: "auto", parallel_tool_calls: false },
    anthropic: { type: "auto", disable_parallel_tool_use: true },
    responses: { tool_choice: "auto", parallel_tool_calls: false },
    calls: ["get_weather"],
  },
];

function openai(): OpenAI {
  return new OpenAI({
    apiKey: customer.secret,
    baseURL: `${scene.chat.gateway.url}/v1`,
    maxRetries: 0,
  });
}

function anthropic(): Anthropic {
  return new Anthropic({ apiKey: customer.secret, baseURL: scene.chat.gateway.url, maxRetries: 0 });
}

const OPENAI_TOOLS = NAMES.map((name) => ({
  type: "function" as const,
  function: { name, parameters: SCHEMA },
}));
const ANTHROPIC_TOOLS = NAMES.map((name) => ({ name, input_schema: SCHEMA }));
const RESPONSES_TOOLS = NAMES.map((name) => ({
  type: "function" as const,
  name,
  parameters: SCHEMA,
  strict: false,
}));

async function called(
  caller: Caller,
  upstream: Protocol,
  choice: Choice,
): Promise<readonly string[]> {
  const model = `over-${upstream}`;
  const messages = [{ role: "user" as const, content: ASKED }];
  if (caller === "openai") {
    const { choices } = await openai().chat.completions.create({
      model,
      messages,
      tools: OPENAI_TOOLS,
      ...choice.openai,
    });
    return (choices[0]?.message.tool_calls ?? []).map((call) =>
      call.type === "function" ? call.function.name : call.type,
    );
  }
  if (caller === "responses") {
    const { output } = await openai().responses.create({
      model,
      input: messages,
      tools: RESPONSES_TOOLS,
      ...choice.responses,
    });
    return output.flatMap((item) => (item.type === "function_call" ? [item.name] : []));
  }
  const { content } = await anthropic().messages.create({
    model,
    messages,
    max_tokens: 1000,
    tools: ANTHROPIC_TOOLS,
    tool_choice: choice.anthropic,
  });
  return content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
}

for (const upstream of PROTOCOLS) {
  for (const caller of CALLERS) {
    test(`${caller} caller, ${upstream} upstream: the choice of tools is obeyed`, async () => {
      for (const choice of CHOICES)
        assert.deepEqual(await called(caller, upstream, choice), choice.calls, choice.name);
    });
  }

  test(`a Messages caller's tool that failed, and one that answered with a picture, over an ${upstream} upstream`, async () => {
    const client = anthropic().messages;
    const params = { model: `over-${upstream}`, max_tokens: 1000, tools: ANTHROPIC_TOOLS };
    const question = { role: "user" as const, content: ASKED };
    const first = await client.create({ ...params, messages: [question] });
    const [weather, time] = first.content.flatMap((block) =>
      block.type === "tool_use" ? [block.id] : [],
    );
    assert.ok(weather !== undefined && time !== undefined);
    const image = {
      type: "image" as const,
      source: { type: "base64" as const, media_type: "image/png" as const, data: "AAAA" },
    };
    const second = await client.create({
      ...params,
      // For Chat Completions the picture is a new message of the user's, to which the sandbox
      // would call its tools again.
      tool_choice: { type: "none" },
      messages: [
        question,
        { role: "assistant", content: first.content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: time, is_error: true, content: "no clock" },
            {
              type: "tool_result",
              tool_use_id: weather,
              content: [{ type: "text", text: "снег" }, image],
            },
          ],
        },
      ],
    });
    const reported = second.content
      .map((block) => (block.type === "text" ? block.text : ""))
      .join("");
    assert.match(reported, /get_weather answered: “снег/);
    // OpenAI's protocol knows no failed tools: there the words say it.
    assert.match(
      reported,
      upstream === "anthropic"
        ? /get_time failed: “no clock”/
        : /get_time answered: “Error: no clock”/,
    );
    assert.match(reported, /Images I was shown: 1\./, "the picture comes too");
  });
}

test("what the other protocol has no word for is a 400 that names the field, and nothing is charged", async () => {
  const { charged } = await scene.chat.money(customer.accountId);
  const messages = [{ role: "user" as const, content: "x" }];
  const two = await openai()
    .chat.completions.create({ model: "over-anthropic", messages, n: 2 })
    .catch((error: unknown) => error);
  assert.ok(two instanceof OpenAI.BadRequestError, String(two));
  assert.equal(two.param, "n");
  const searching = await anthropic()
    .messages.create({
      model: "over-openai",
      messages,
      max_tokens: 10,
      tools: [{ type: "web_search_20250305", name: "web_search" }],
    })
    .catch((error: unknown) => error);
  assert.ok(searching instanceof Anthropic.BadRequestError, String(searching));
  assert.match(searching.message, /tools\[0\]|tools\.0/);
  const stopping = await openai()
    .chat.completions.create({ model: "over-responses", messages, stop: ["x"] })
    .catch((error: unknown) => error);
  assert.ok(stopping instanceof OpenAI.BadRequestError, String(stopping));
  assert.equal(stopping.param, "stop");
  assert.equal((await scene.chat.money(customer.accountId)).charged, charged);
});

test("a limit below the vendor's least is raised to it, and a conversation of thought goes on", async () => {
  const { messages } = anthropic();
  const params = {
    model: "over-responses",
    thinking: { type: "enabled" as const, budget_tokens: 1024 },
    max_tokens: 4000,
    tools: ANTHROPIC_TOOLS,
  };
  const question = { role: "user" as const, content: "get_weather" };
  const probe = await messages.create({
    model: "over-responses",
    max_tokens: 1,
    messages: [question],
  });
  assert.deepEqual([probe.stop_reason, probe.usage.output_tokens], ["max_tokens", 16]);
  const first = await messages.create({ ...params, messages: [question] });
  const [thought, call] = first.content;
  assert.ok(thought?.type === "thinking" && thought.signature !== "" && call?.type === "tool_use");
  const second = await messages.create({
    ...params,
    messages: [
      question,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "снег" }] },
    ],
  });
  assert.match(JSON.stringify(second.content), /снег/);
  // Another upstream does not get what it could not open.
  const elsewhere = await messages.create({
    ...params,
    model: "over-anthropic",
    messages: [
      question,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "снег" }] },
    ],
  });
  assert.match(JSON.stringify(elsewhere.content), /снег/);
});

test("the books agree after all of this", () => scene.chat.verifyBooks());
