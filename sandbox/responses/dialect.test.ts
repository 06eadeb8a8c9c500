/**
 * Responses of the sandbox satisfy the official SDK, its stream accumulator included, its figures
 * are the tokenizer's, and it refuses what the vendor refuses.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { BadRequestError } from "openai";
import type {
  FunctionTool,
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { createSandbox, type Sandbox } from "../create-sandbox.ts";

let sandbox: Sandbox;
let client: OpenAI;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
  client = new OpenAI({ baseURL: `${sandbox.url}/v1`, apiKey: "key-1", maxRetries: 0 });
});
after(() => sandbox.close());

const WEATHER: FunctionTool = {
  type: "function",
  name: "get_weather",
  strict: false,
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

function ask(body: Omit<ResponseCreateParamsNonStreaming, "model">): Promise<Response> {
  return client.responses.create({ model: "echo-large", store: false, ...body });
}

async function refused(body: object): Promise<string> {
  try {
    await ask(body);
  } catch (error) {
    assert.ok(error instanceof BadRequestError, String(error));
    return error.message;
  }
  return "";
}

test("an answer greets, quotes and is counted as the same talk in Chat Completions", async () => {
  const input = "Привет, мир 👋";
  const response = await ask({ input, instructions: "Будь краток." });
  assert.match(
    response.output_text,
    /^Здравствуйте!.*echo-large.*«Привет, мир 👋».*«Будь краток\.»/s,
  );
  const completion = await client.chat.completions.create({
    model: "echo-large",
    messages: [
      { role: "system", content: "Будь краток." },
      { role: "user", content: input },
    ],
  });
  assert.deepEqual(
    [response.status, response.usage?.input_tokens, response.usage?.output_tokens],
    ["completed", completion.usage?.prompt_tokens, completion.usage?.completion_tokens],
  );
});

test("what is not to be stored cannot be referred to, everything else can", async () => {
  const more = { reasoning: { effort: "low", summary: "auto" } } as const;
  const question = { role: "user", content: "Привет" } as const;
  const referTo = (id: string | undefined) => ({ type: "item_reference" as const, id: id ?? "" });
  const kept = await ask({ input: [question], ...more, store: true });
  const [thought, message] = kept.output;
  assert.equal(thought?.type, "reasoning");
  const on = { role: "user", content: "Дальше" } as const;
  const again = await ask({
    input: [question, referTo(thought?.id), referTo(message?.id), on],
    ...more,
  });
  const whole = await ask({
    input: [question, ...(kept.output as ResponseInputItem[]), on],
    ...more,
  });
  assert.equal(again.usage?.input_tokens, whole.usage?.input_tokens);
  const gone = await ask({ input: [question], ...more });
  const input = [question, referTo(gone.output[1]?.id), on];
  assert.match(await refused({ input }), /not found/);
  assert.match(
    await refused({ input: [question, ...(gone.output as ResponseInputItem[]), on] }),
    /Items are not persisted/,
  );
});

test("a stream is taken by the SDK's own helper and says the same, its events numbered from zero", async () => {
  const body = {
    model: "echo-large",
    input: "get_weather в Москве",
    tools: [WEATHER],
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
  } as const;
  const events: ResponseStreamEvent[] = [];
  const running = client.responses.stream({
    ...body,
    tools: [WEATHER],
    include: [...body.include],
  });
  running.on("event", (event) => void events.push(event));
  const streamed = await running.finalResponse();
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, at) => at),
  );
  assert.deepEqual(
    [events[0]?.type, events.at(-1)?.type],
    ["response.created", "response.completed"],
  );
  assert.deepEqual(
    streamed.output.map(({ type }) => type),
    ["reasoning", "function_call"],
  );
  const [reasoning, call] = streamed.output;
  assert.ok(reasoning?.type === "reasoning" && reasoning.summary.length === 1);
  assert.ok(call?.type === "function_call" && typeof JSON.parse(call.arguments) === "object");
  const input: ResponseInputItem[] = [
    { role: "user", content: body.input },
    reasoning,
    call,
    { type: "function_call_output", call_id: call.call_id, output: "снег" },
  ];
  assert.match((await ask({ input, tools: [WEATHER] })).output_text, /снег/);
  const changed = { ...reasoning, encrypted_content: `${reasoning.encrypted_content ?? ""}x` };
  assert.match(await refused({ input: input.with(1, changed) }), /could not be verified/);
});

test("a custom tool is called with a text, a tool of a namespace by both names", async () => {
  const custom = await ask({
    input: "apply_patch",
    tools: [{ type: "custom", name: "apply_patch" }],
  });
  assert.ok(custom.output[0]?.type === "custom_tool_call");
  assert.equal(typeof custom.output[0].input, "string");
  const tools = [{ type: "namespace", name: "agents", description: "", tools: [WEATHER] }];
  const within = await ask({ input: "get_weather", tools: tools as never });
  assert.partialDeepStrictEqual(within.output[0], { name: "get_weather", namespace: "agents" });
});

test("limits, refusals, failures and ends that were asked for", async () => {
  const cut = await ask({ input: "a long enough message to answer", max_output_tokens: 16 });
  assert.deepEqual(
    [cut.status, cut.incomplete_details?.reason, cut.usage?.output_tokens],
    ["incomplete", "max_output_tokens", 16],
  );
  const refusal = await ask({ input: "[[sandbox: refusal]]" });
  assert.ok(refusal.output[0]?.type === "message");
  assert.deepEqual([refusal.status, refusal.output[0].content[0]?.type], ["completed", "refusal"]);
  const failed = await ask({ input: "[[sandbox: failed=rate_limit_exceeded]]" });
  assert.deepEqual([failed.status, failed.error?.code], ["failed", "rate_limit_exceeded"]);
  const filtered = await ask({ input: "[[sandbox: incomplete=content_filter]]" });
  assert.deepEqual(
    [filtered.status, filtered.incomplete_details?.reason],
    ["incomplete", "content_filter"],
  );
});

test("what the vendor refuses is refused", async () => {
  const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
  const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
  for (const [body, words] of [
    [{}, /'input'/],
    [{ input: "x", max_tokens: 20 }, /Unknown parameter: 'max_tokens'/],
    [{ input: "x", stop: ["a"] }, /Unknown parameter: 'stop'/],
    [{ input: "x", max_output_tokens: 15 }, /Expected a value >= 16/],
    [{ input: "x", previous_response_id: "resp_1" }, /not found/],
    [{ input: "x", background: true }, /Background/],
    [{ input: [call] }, /No tool output found for function call c/],
    [{ input: [{ type: "function_call_output", call_id: "c", output: "" }] }, /No tool call found/],
    [{ input: [reasoning] }, /not found/],
    [
      { input: [{ role: "assistant", content: [{ type: "input_text", text: "a" }] }] },
      /content\[0\]/,
    ],
    [{ input: "x", tools: [{ type: "function", function: { name: "f" } }] }, /tools\[0\]\.name/],
    [{ input: "x", tools: [{ type: "teleport" }] }, /Invalid value: 'teleport'/],
    [{ input: "x", tools: [{ ...WEATHER, strict: true }] }, /Invalid schema for function/],
    [{ input: "x", tool_choice: "required" }, /must be specified with 'tools'/],
    [{ input: "x", text: { format: { type: "json_schema", schema: {} } } }, /text\.format\.name/],
    [{ input: "x", reasoning: { effort: "endless" } }, /Invalid value: "endless"/],
  ] as const)
    assert.match(await refused(body), words, JSON.stringify(body));
});
