/**
 * Guarantee: a prompt is never held below what an upstream counts, and counted as the sandbox
 * counts it, give or take the format (hazards §38).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "../../../sandbox/create-sandbox.ts";
import { tokenCorpora } from "../../../test/support/token-corpora.ts";
import { countTokens } from "../count-tokens.ts";
import { readCountTokensRequest } from "./read-messages-request.ts";

type Json = Record<string, unknown>;

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
});
after(() => sandbox.close());

async function upstreamCount(body: string): Promise<number> {
  const response = await fetch(`${sandbox.url}/v1/messages/count_tokens`, {
    method: "POST",
    headers: {
      "x-api-key": "k",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    },
    body,
  });
  assert.equal(response.status, 200);
  return ((await response.json()) as { input_tokens: number }).input_tokens;
}

const texts = tokenCorpora()
  .filter(({ ordinary }) => ordinary)
  .map(({ text }) => text);
const user = (content: unknown): Json => ({ role: "user", content });
const tool: Json = {
  name: "get_weather",
  description: texts[1],
  input_schema: {
    type: "object",
    properties: { city: { type: "string", description: "Город" } },
    required: ["city"],
  },
};
const call: Json = {
  type: "tool_use",
  id: "t",
  name: "get_weather",
  input: { city: "Нижний Новгород", days: 3 },
};
const bodies: Json[] = [
  ...texts.map((text) => ({ messages: [user(text)] })),
  { system: texts[0], messages: [user("да"), { role: "assistant", content: "нет" }, user("да")] },
  {
    system: [{ type: "text", text: texts[2] }],
    messages: [user([{ type: "text", text: texts[0] }])],
  },
  {
    tools: [tool],
    messages: [
      user("погода?"),
      { role: "assistant", content: [call] },
      user([{ type: "tool_result", tool_use_id: "t", content: texts[0] }]),
    ],
  },
  {
    messages: [user("a forecast")],
    output_config: { format: { type: "json_schema", schema: tool["input_schema"] } },
  },
  {
    messages: Array.from({ length: 40 }, (_, at) =>
      at % 2 === 0 ? user("раз") : { role: "assistant", content: "два" },
    ),
  },
];

test("the estimate is never below the upstream's count, our own count is near it", async () => {
  for (const body of bodies) {
    const sent = JSON.stringify({ model: "echo-large", ...body });
    const reading = readCountTokensRequest(Buffer.from(sent));
    assert.ok(reading.ok);
    const expected = await upstreamCount(sent);
    const { inputTokens, overheadTokens } = reading.request;
    assert.ok(
      inputTokens >= expected,
      `${inputTokens} held for ${expected}: ${sent.slice(0, 200)}`,
    );
    const counted = (await countTokens(reading.request.promptText())) + overheadTokens;
    assert.ok(
      Math.abs(counted - expected) <= 12 + expected * 0.1,
      `${counted} for ${expected}: ${sent.slice(0, 200)}`,
    );
  }
});

test("an image is bounded by the largest that the vendor counts", async () => {
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
  };
  const sent = JSON.stringify({ model: "echo-large", messages: [user([image, image])] });
  const reading = readCountTokensRequest(Buffer.from(sent));
  assert.ok(reading.ok && reading.request.images === 2);
  assert.ok(
    reading.request.inputTokens >= 2 * 5000 &&
      reading.request.inputTokens >= (await upstreamCount(sent)),
  );
});
