/**
 * Guarantee: the OpenAI Agents SDK, which calls Responses unless it is told otherwise, answers,
 * streams, calls tools and makes structured answers over an upstream of any protocol, and pays for
 * each of its calls what the upstream counts.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { standardPrice, type ChatCustomer } from "../support/chat-scene.ts";
import { PROTOCOLS, type Protocol } from "../support/protocol-pairs.ts";
import { WEATHER } from "./chat-client.ts";
import { openMatrixScene, type MatrixScene } from "./matrix-scene.ts";

let scene: MatrixScene;
before(async () => {
  scene = await openMatrixScene();
});
after(() => scene.close());

const TIME = tool({
  name: "get_time",
  description: "Который час",
  parameters: z.object({ zone: z.enum(["UTC", "MSK"]) }),
  execute: ({ zone }) => `полдень ${zone}`,
});

/** Its traces would go to the vendor. */
function runnerOf({ secret }: ChatCustomer): Runner {
  const baseURL = `${scene.chat.gateway.url}/v1`;
  return new Runner({
    modelProvider: new OpenAIProvider({ apiKey: secret, baseURL }),
    tracingDisabled: true,
  });
}

interface Run {
  readonly runContext: {
    readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  };
}

/**
 * All that was asked for this text: each receipt at the price of what its upstream counted, and
 * their sum is what the runs report.
 */
async function checkCharges(
  { accountId }: ChatCustomer,
  upstream: Protocol,
  text: string,
  calls: number,
  ...runs: readonly Run[]
): Promise<void> {
  const asked = scene.asked(upstream, text);
  assert.equal(asked.length, calls);
  const sum = { input: 0, output: 0 };
  const receipts = (await scene.chat.receipts(accountId, calls)).toReversed();
  for (const [at, { figures }] of asked.entries()) {
    const counted = await figures;
    assert.ok(counted !== null);
    const [input, output] = [Number(counted.prompt), Number(counted.completion)];
    sum.input += input;
    sum.output += output;
    const price = standardPrice({ input, output });
    const { endpoint, state, chargedNano } = receipts[at] ?? assert.fail("a receipt");
    assert.deepEqual([endpoint, state, chargedNano], ["responses", "completed", price]);
  }
  const reported = runs.map(({ runContext }) => runContext.usage);
  assert.deepEqual(
    {
      input: reported.reduce((all, { inputTokens }) => all + inputTokens, 0),
      output: reported.reduce((all, { outputTokens }) => all + outputTokens, 0),
    },
    sum,
  );
}

for (const upstream of PROTOCOLS) {
  const settings = {
    name: "Помощник",
    instructions: "Будь краток.",
    model: `over-${upstream}`,
    modelSettings: { maxTokens: 2000 },
  };

  suite(`over an ${upstream} upstream`, () => {
    test("a plain answer", async () => {
      const customer = await scene.chat.customer();
      const text = `Привет, мир 👋🏽 <<plain-${upstream}>>`;
      const result = await runnerOf(customer).run(new Agent(settings), text);
      assert.match(result.finalOutput ?? "", /Привет, мир 👋🏽.*Будь краток/);
      await checkCharges(customer, upstream, text, 1, result);
    });

    test("a stream", async () => {
      const customer = await scene.chat.customer();
      const text = `Привет <<stream-${upstream}>>`;
      const result = await runnerOf(customer).run(new Agent(settings), text, { stream: true });
      let heard = "";
      for await (const piece of result.toTextStream()) heard += piece;
      await result.completed;
      assert.equal(heard, result.finalOutput);
      assert.match(heard, /Привет <<stream/);
      await checkCharges(customer, upstream, text, 1, result);
    });

    for (const streamed of [false, true])
      test(`a tool, called and answered, ${streamed ? "streamed" : "whole"}`, async () => {
        const customer = await scene.chat.customer();
        const text = `Вызови get_time <<tool-${upstream}-${streamed}>>`;
        const agent = new Agent({ ...settings, tools: [TIME] });
        const runner = runnerOf(customer);
        const result = streamed
          ? await runner.run(agent, text, { stream: true })
          : await runner.run(agent, text);
        if ("completed" in result) await result.completed;
        assert.match(result.finalOutput ?? "", /get_time.*полдень UTC/);
        await checkCharges(customer, upstream, text, 2, result);
      });

    test("a structured answer", async () => {
      const customer = await scene.chat.customer();
      const text = `Погода <<structured-${upstream}>>`;
      const agent = new Agent({ ...settings, outputType: WEATHER });
      const result = await runnerOf(customer).run(agent, text);
      assert.deepEqual(result.finalOutput, { city: "sample city", temperature: 1, sunny: true });
      await checkCharges(customer, upstream, text, 1, result);
    });

    test("a conversation that goes on from the last answer's id", async () => {
      const customer = await scene.chat.customer();
      const text = `Запомни <<on-${upstream}>>`;
      const runner = runnerOf(customer);
      const agent = new Agent(settings);
      const first = await runner.run(agent, text);
      const { lastResponseId: previousResponseId } = first;
      assert.ok(previousResponseId !== undefined);
      const second = await runner.run(agent, "Что?", { previousResponseId });
      assert.match(second.finalOutput ?? "", /Что\?/);
      await checkCharges(customer, upstream, text, 2, first, second);
    });
  });
}

test("the books agree after all of this", () => scene.chat.verifyBooks());
