/**
 * Guarantee: a client with the wrong base URL, or the wrong kind of API, tells its user in its own
 * error what to change (contract §4).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import OpenAI from "openai";
import { openMatrixScene, type MatrixScene } from "./matrix-scene.ts";

const MODEL = "over-openai";
const messages = [{ role: "user" as const, content: "x" }];

let scene: MatrixScene;
let apiKey: string;
let url: string;
before(async () => {
  scene = await openMatrixScene();
  ({ url } = scene.chat.gateway);
  ({ secret: apiKey } = await scene.chat.customer({ roubles: "10" }));
});
after(() => scene.close());

const failure = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

test("openai without /v1, anthropic with it", async () => {
  const short = await failure(
    new OpenAI({ apiKey, baseURL: url }).chat.completions.create({ model: MODEL, messages }),
  );
  assert.ok(short instanceof OpenAI.NotFoundError);
  assert.match(short.message, /base URL lacks its end/);
  const listed = await failure(Promise.resolve(new OpenAI({ apiKey, baseURL: url }).models.list()));
  assert.match(String(listed), /base URL lacks its end/);
  const long = await failure(
    new Anthropic({ apiKey, baseURL: `${url}/v1` }).messages.create({
      model: MODEL,
      messages,
      max_tokens: 5,
    }),
  );
  assert.ok(long instanceof Anthropic.NotFoundError);
  assert.match(long.message, /\/v1 once too often/);
});

test("what calls the Responses API by default is answered there", async () => {
  const { output_text: text } = await new OpenAI({
    apiKey,
    baseURL: `${url}/v1`,
  }).responses.create({ model: MODEL, input: "x" });
  const byDefault = createOpenAI({ apiKey, baseURL: `${url}/v1` });
  const generated = await generateText({ model: byDefault(MODEL), prompt: "x" });
  assert.notEqual(text, "");
  assert.equal(generated.text, text);
});
