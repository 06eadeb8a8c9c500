/**
 * Guarantee: the Anthropic SDK's tool runner goes its whole round over an upstream of either
 * protocol as it is set up by default, although it asks for a kept conversation first
 * (contract §5).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import type { ChatCustomer } from "../support/chat-scene.ts";
import { PROTOCOLS } from "../support/protocol-pairs.ts";
import { openMatrixScene, type MatrixScene } from "./matrix-scene.ts";

let scene: MatrixScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openMatrixScene();
  customer = await scene.chat.customer({ roubles: "1000" });
});
after(() => scene.close());

function anthropic(): Anthropic {
  return new Anthropic({ apiKey: customer.secret, baseURL: scene.chat.gateway.url, maxRetries: 0 });
}

const weather = betaTool({
  name: "get_weather",
  description: "The weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: ({ city }) => `снег, ${city}`,
});

function textOf(message: {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}): string {
  return message.content.map(({ text = "" }) => text).join("");
}

for (const upstream of PROTOCOLS) {
  const asked = { model: `over-${upstream}`, max_tokens: 1000, tools: [weather] };

  test(`a tool's result comes back with the question, over an ${upstream} upstream`, async () => {
    const label = `<<whole-${upstream}>>`;
    const messages = [{ role: "user" as const, content: `get_weather ${label}` }];
    assert.match(
      textOf(await anthropic().beta.messages.toolRunner({ ...asked, messages })),
      /get_weather answered: “снег, sample city”/,
    );
    const requests = scene.asked(upstream, label);
    assert.equal(requests.length, 2, "both turns say all that was said, and no others were made");
    for (const { body } of requests) assert.ok(!("thread" in body));
  });

  test(`and streamed, over an ${upstream} upstream`, async () => {
    const messages = [{ role: "user" as const, content: "get_weather" }];
    const runner = anthropic().beta.messages.toolRunner({ ...asked, messages, stream: true });
    for await (const stream of runner) await stream.finalMessage();
    assert.match(textOf(await runner.done()), /get_weather answered: “снег, sample city”/);
  });

  test(`a conversation of the SDK's own is told what to do, or goes on without being kept, over an ${upstream} upstream`, async () => {
    const { charged } = await scene.chat.money(customer.accountId);
    const params = { model: `over-${upstream}`, max_tokens: 1000 };
    const refused = await anthropic()
      .beta.messages.thread(params)
      .send({ role: "user", content: "x" })
      .catch((error: unknown) => error);
    assert.ok(refused instanceof Anthropic.BadRequestError, String(refused));
    assert.match(refused.message, /continue_unthreaded/);
    assert.equal(
      (await scene.chat.money(customer.accountId)).charged,
      charged,
      "a refusal costs nothing",
    );

    const thread = anthropic().beta.messages.thread({
      ...params,
      unsupportedRequestBehavior: "continue_unthreaded",
    });
    const label = `<<thread-${upstream}>>`;
    await thread.send({ role: "user", content: label });
    await thread.send({ role: "user", content: "и ещё" });
    const [, second] = scene.asked(upstream, label);
    assert.ok(second !== undefined);
    const sent = (second.body["messages"] ?? second.body["input"]) as object[];
    assert.equal(sent.length, 3, "it sends all that was said");
  });
}

test("the books agree after all of this", () => scene.chat.verifyBooks());
