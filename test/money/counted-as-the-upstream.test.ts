/**
 * Guarantee: what is counted because the upstream could not say it comes near to what the upstream
 * counts: by the factor of its tokenizer, and with what it had told to be cached (contract §6).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { countTokens } from "../../sandbox/count-tokens.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { saveCountSample, sumCountSamples } from "../../src/usage/count-samples.store.ts";
import { liveHolds } from "./books.ts";
import { postChat } from "../support/post-chat.ts";
import type { StoredReceipt } from "../../src/usage/receipt-row.ts";
import type { TokenUsage } from "../../src/kernel/token-usage.ts";

const PRICE = `price: { input: "150", cachedInput: "15", output: "600" }`;

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({
    catalogue: (url) => `
upstreams:
  up: { protocol: openai, baseUrl: "${url}/v1", apiKeyEnv: UPSTREAM_KEY }
models:
  plain: { type: chat, endpoints: [chat.completions], contextTokens: 100000, maxOutputTokens: 8000, ${PRICE},
    routes: [{ upstream: up, model: one }] }
  other: { type: chat, endpoints: [chat.completions], contextTokens: 100000, maxOutputTokens: 8000, ${PRICE},
    routes: [{ upstream: up, model: two, countFactor: { input: "1.25", output: "1.6" } }] }
  sampled: { type: chat, endpoints: [chat.completions], contextTokens: 100000, maxOutputTokens: 8000, ${PRICE},
    routes: [{ upstream: up, model: three, countFactor: { input: "1.1", output: "1.2" } }] }
`,
  });
});
after(() => scene.close());

const PIECES = Array.from({ length: 20 }, () => " word");
const turn = (n: number): object => ({
  role: "user",
  content: `Turn ${n}. ${"What stands in the file, and why? ".repeat(40)}`,
});
const turns = (count: number): object[] => Array.from({ length: count }, (_, n) => turn(n));

function usageOf({ detail }: StoredReceipt): TokenUsage {
  return detail["usage"] as TokenUsage;
}

/** A turn that the upstream tells the usage of. */
async function wholeTurn(
  customer: ChatCustomer,
  model: string,
  messages: readonly object[],
  cached: number,
): Promise<StoredReceipt> {
  const usage = {
    prompt_tokens: 3000,
    completion_tokens: 20,
    total_tokens: 3020,
    prompt_tokens_details: { cached_tokens: cached },
  };
  const play = scene.play(async (exchange) => {
    if (await exchange.sendAll(openAiStream({ pieces: PIECES, usage }))) exchange.end();
  });
  const answer = await postChat(scene.gateway.url, customer.secret, {
    model,
    messages,
    stream: true,
    user: play.user,
  }).answer;
  assert.equal(answer.status, 200);
  return scene.receipt(answer.requestId);
}

/** A turn whose client leaves after ten words. */
async function brokenTurn(
  customer: ChatCustomer,
  model: string,
  messages: readonly object[],
  receipts: number,
): Promise<StoredReceipt> {
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: PIECES, usage: null }).slice(0, 11));
    await exchange.hang();
  });
  const exchange = postChat(scene.gateway.url, customer.secret, {
    model,
    messages,
    stream: true,
    user: play.user,
  });
  await exchange.seen(" word", 10);
  exchange.leave();
  const [latest] = await scene.receipts(customer.accountId, receipts);
  assert.ok(latest !== undefined);
  assert.equal(latest.state, "client_gone");
  return latest;
}

test("a turn that is broken off is counted with as much cached as the turn before told of the same beginning, and never costs more for it", async () => {
  const customer = await scene.customer();
  const first = await brokenTurn(customer, "plain", turns(10), 1);
  assert.deepEqual(
    [usageOf(first).cachedInputTokens, first.detail["usageSource"]],
    [0, "counted"],
    "nothing is known yet",
  );
  const reported = await wholeTurn(customer, "plain", turns(10), 2500);
  assert.deepEqual(
    [usageOf(reported).cachedInputTokens, reported.detail["usageSource"]],
    [2500, "upstream"],
  );

  const broken = await brokenTurn(customer, "plain", turns(11), 3);
  const usage = usageOf(broken);
  assert.deepEqual(
    [usage.cachedInputTokens, broken.detail["usageSource"]],
    [2500, "counted-with-cache"],
  );
  const all = usage.inputTokens + usage.cachedInputTokens;
  assert.equal(
    broken.chargedNano,
    standardPrice({ input: usage.inputTokens, cached: 2500, output: usage.outputTokens }),
  );
  assert.ok(broken.chargedNano < standardPrice({ input: all, output: usage.outputTokens }));
  const shown = (await (
    await fetch(`${scene.gateway.url}/v1/requests/req_${broken.requestId.replaceAll("-", "")}`, {
      headers: { "x-api-key": customer.secret },
    })
  ).json()) as { usageSource: string };
  assert.equal(shown.usageSource, "counted-with-cache");

  const other = await scene.anotherKey(customer);
  const elsewhere = await brokenTurn(other, "plain", turns(11), 4);
  assert.deepEqual(
    [usageOf(elsewhere).cachedInputTokens, elsewhere.detail["usageSource"]],
    [0, "counted"],
    "another key was told nothing",
  );
});

test("the factor of the route's model multiplies what is counted, stands on the receipt, and the charge can be recomputed by it", async () => {
  const customer = await scene.customer();
  const [plain, other] = [
    await brokenTurn(customer, "plain", turns(2), 1),
    await brokenTurn(customer, "other", turns(2), 2),
  ];
  assert.equal(plain.detail["countFactor"], undefined);
  assert.deepEqual(other.detail["countFactor"], { input: "1.25", output: "1.6" });
  const [counted, multiplied] = [usageOf(plain), usageOf(other)];
  assert.equal(counted.outputTokens, countTokens(" word".repeat(10)));
  assert.deepEqual(
    [multiplied.inputTokens, multiplied.outputTokens],
    [Math.ceil(counted.inputTokens * 1.25), Math.ceil(counted.outputTokens * 1.6)],
  );
  assert.equal(
    other.chargedNano,
    standardPrice({ input: multiplied.inputTokens, output: multiplied.outputTokens }),
  );
  const reported = await wholeTurn(customer, "other", turns(2), 0);
  assert.deepEqual(
    [usageOf(reported).inputTokens, reported.detail["countFactor"]],
    [3000, undefined],
    "the upstream's own word needs none",
  );
});

test(
  "a receipt that another process wrote after a kill names the factor, and can be recomputed by it",
  { timeout: 120_000 },
  async () => {
    const customer = await scene.customer();
    const killed = await scene.anotherGateway();
    const play = scene.play(async (exchange) => {
      await exchange.sendAll(openAiStream({ pieces: PIECES, usage: null }).slice(0, 11));
      await exchange.hang();
    });
    const exchange = postChat(killed.url, customer.secret, {
      model: "other",
      messages: turns(2),
      stream: true,
      user: play.user,
    });
    exchange.answer.catch(() => undefined);
    const { requestId } = await exchange.head;
    const recorded = await until("ten words are saved", async () => {
      const [hold] = await liveHolds(scene.db);
      return hold !== undefined && hold.recordedNano > 0n && hold;
    });
    await killed.kill();
    const receipt = await scene.receipt(requestId, 90_000);
    assert.deepEqual(
      [receipt.state, receipt.detail["recovered"], receipt.detail["usageSource"]],
      ["interrupted", true, "counted"],
    );
    assert.deepEqual(receipt.detail["countFactor"], { input: "1.25", output: "1.6" });
    const { inputTokens, outputTokens } = usageOf(receipt);
    assert.deepEqual(
      [receipt.chargedNano, recorded.recordedNano],
      Array(2).fill(standardPrice({ input: inputTokens, output: outputTokens })),
    );
    await scene.verifyBooks();
  },
);

test("`catalogue suggest` proposes the factor of a route from settled requests whose usage the upstream told, of which nothing but figures is kept", async () => {
  const customer = await scene.customer();
  const content = "What do the papers say of the harbour today? ".repeat(40);
  const pieces = Array.from({ length: 100 }, (_, word) => ` word${word}`);
  const [input, output] = [2 * (countTokens(content) + 9), 3 * countTokens(pieces.join(""))];
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const play = scene.play(async (exchange) => {
    if (await exchange.sendAll(openAiStream({ pieces, usage }))) exchange.end();
  });
  const messages = [{ role: "user", content }];
  const { requestId } = await postChat(scene.gateway.url, customer.secret, {
    model: "sampled",
    messages,
    stream: true,
    user: play.user,
  }).answer;
  const row = await until("the sample", async () => {
    const rows = await scene.db.query<Record<string, unknown>>(
      "SELECT * FROM usage.count_samples WHERE model = 'three'",
    );
    return rows[0] ?? null;
  });
  const { request_id: id, sampled_at: _at, ...figures } = row;
  assert.equal(`req_${String(id).replaceAll("-", "")}`, requestId);
  assert.deepEqual(figures, {
    upstream: "up",
    model: "three",
    counted_input: BigInt(input / 2),
    told_input: BigInt(input),
    counted_output: BigInt(output / 3),
    told_output: BigInt(output),
  });

  const command = createTollgateCommand({ DATABASE_URL: scene.databaseUrl, UPSTREAM_KEY: "x" });
  const suggestion = async (): Promise<unknown> => {
    const { countFactors } = (await command.json("catalogue", "suggest")) as {
      countFactors: { model: string }[];
    };
    return countFactors.find(({ model }) => model === "three");
  };
  const route = { upstream: "up", model: "three", now: { input: "1.1", output: "1.2" } };
  assert.deepEqual(
    await suggestion(),
    { ...route, samples: 1, suggested: null },
    "one request says nothing of a tokenizer",
  );
  const one = {
    upstream: "up",
    model: "three",
    countedInput: 1000,
    reportedInput: 2000,
    countedOutput: 100,
    reportedOutput: 300,
  };
  for (let n = 0; n < 25; n++) await saveCountSample(scene.db, { ...one, requestId: newUuid() });
  assert.deepEqual(await suggestion(), {
    ...route,
    samples: 26,
    suggested: { input: "2.00", output: "3.00" },
  });
  const text = (await command.run("catalogue", "suggest")).stdout;
  assert.match(
    text,
    /up \/ three +26 samples +countFactor: \{ input: "2\.00", output: "3\.00" \} +now \{ input: "1\.1", output: "1\.2" \}/,
  );
});

test("the newest samples of a route are kept, and no more than 500", async () => {
  const one = {
    upstream: "old",
    model: "x",
    countedInput: 1,
    reportedInput: 1,
    countedOutput: 1,
    reportedOutput: 1,
  };
  await scene.db.query(
    `INSERT INTO usage.count_samples SELECT gen_random_uuid(), clock_timestamp() - make_interval(secs => n), 'old', 'x', 1, 1, 1, 1
     FROM generate_series(1, 600) n`,
  );
  await saveCountSample(scene.db, { ...one, reportedInput: 7, requestId: newUuid() });
  const sums = (await sumCountSamples(scene.db)).find(({ upstream }) => upstream === "old");
  assert.deepEqual([sums?.samples, sums?.reportedInput], [500, 506]);
});
