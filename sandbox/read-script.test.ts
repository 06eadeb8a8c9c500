/**
 * A script is followed step by step in every protocol, and what a model could not do is refused: a
 * tool that got lost on its way to the upstream does not look like one that was called.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "./create-sandbox.ts";
import { readScript, type ScriptStep } from "./read-script.ts";

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
});
after(() => sandbox.close());

const PATCH = "*** Begin Patch\n*** Add File: ё.txt\n+один\n*** End Patch";
const STEPS: readonly ScriptStep[] = [
  { calls: [{ name: "apply_patch", input: { input: PATCH } }] },
  { text: "Готово." },
];
const directive = (steps: unknown): string =>
  `[[sandbox: script=${Buffer.from(JSON.stringify(steps)).toString("base64")}]] сделай`;

async function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const answer = await fetch(sandbox.url + path, {
    method: "POST",
    headers: { authorization: "Bearer key", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "echo-large", ...body }),
  });
  return { status: answer.status, text: await answer.text() };
}

const schema = { type: "object", properties: { input: { type: "string" } } };
const input = { input: PATCH };
const ASKED = { role: "user", content: directive(STEPS) };

test("steps in base64, and nothing else, are a script", () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
  assert.deepEqual(readScript(encoded(STEPS)), STEPS);
  for (const wrong of [[], {}, [{}], [{ text: 1 }], [{ calls: [{ name: "x" }] }], "x"])
    assert.equal(readScript(encoded(wrong)), null, JSON.stringify(wrong));
  assert.equal(readScript("%"), null);
});

test("Chat Completions: a call, then its text, then prose", async () => {
  const tools = [{ type: "function", function: { name: "apply_patch", parameters: schema } }];
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "apply_patch", arguments: JSON.stringify(input) },
  };
  const result = { role: "tool", tool_call_id: "call_1", content: "ok" };
  const called = [ASKED, { role: "assistant", content: null, tool_calls: [call] }, result];
  const first = await post("/v1/chat/completions", { messages: [ASKED], tools });
  assert.ok(first.text.includes(JSON.stringify(JSON.stringify(input))), first.text);
  const second = await post("/v1/chat/completions", { messages: called, tools });
  assert.match(second.text, /"content":"Готово\."/);
  const over = [...called, { role: "assistant", content: "Готово." }];
  assert.match((await post("/v1/chat/completions", { messages: over, tools })).text, /сделай/);
});

test("Messages", async () => {
  const tools = [{ name: "apply_patch", input_schema: schema }];
  const body = { max_tokens: 1000, tools };
  const first = await post("/v1/messages", { ...body, messages: [ASKED] });
  assert.ok(first.text.includes(`"input":${JSON.stringify(input)}`), first.text);
  const messages = [
    ASKED,
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "apply_patch", input }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] },
  ];
  assert.match((await post("/v1/messages", { ...body, messages })).text, /"text":"Готово\."/);
});

test("Responses, where a custom tool gets its text as it is", async () => {
  const tools = [{ type: "custom", name: "apply_patch" }];
  const first = await post("/v1/responses", { input: [ASKED], tools });
  const [item] = (JSON.parse(first.text) as { output: Record<string, unknown>[] }).output;
  assert.deepEqual([item?.["type"], item?.["input"]], ["custom_tool_call", PATCH]);
  const output = { type: "custom_tool_call_output", call_id: item?.["call_id"], output: "ok" };
  const second = await post("/v1/responses", { input: [ASKED, item, output], tools });
  assert.match(second.text, /"text":"Готово\."/);
});

test("a tool that was not offered cannot be called", async () => {
  const { status, text } = await post("/v1/responses", { input: [ASKED] });
  assert.equal(status, 400);
  assert.match(text, /calls \\"apply_patch\\", which was not offered/);
});
