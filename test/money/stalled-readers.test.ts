/**
 * Guarantee: a reader of a chat answer that takes nothing is cut, pays for what was delivered, and
 * gives its place at the upstream to the others.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openGatewayWithin, type GatewayWithin } from "../support/gateway-within.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatExchange } from "../support/post-chat.ts";
import { startScriptedUpstream, type ScriptedUpstream } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds } from "./books.ts";

const PLACES = 2;
const STALLED_MS = 1_500;
/**
 * More than the system keeps for a reader who takes nothing, less than an idempotency key keeps.
 */
const LONG = openAiStream({ pieces: Array.from({ length: 56 }, () => " ".repeat(256 * 1024)) });
const SHORT = openAiStream({
  pieces: ["short"],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
});

function catalogueOf(upstreamUrl: string): string {
  const upstream = `{ protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: ${PLACES} }`;
  const model = (name: string): string =>
    `{ type: chat, endpoints: [chat.completions, messages], contextTokens: 100000000, maxOutputTokens: 90000000,` +
    ` price: { input: "1", output: "1" }, routes: [ { upstream: ${name}, model: m } ] }`;
  const names = ["a", "b", "c", "d", "e"];
  return [
    "upstreams:",
    ...names.map((name) => `  ${name}: ${upstream}`),
    "models:",
    ...names.map((name) => `  ${name}: ${model(name)}`),
  ].join("\n");
}

interface Customer {
  readonly accountId: string;
  readonly secret: string;
}

suite("a reader that takes nothing", () => {
  let database: TestDatabase;
  let upstream: ScriptedUpstream;
  let gateway: GatewayWithin;
  before(async () => {
    database = await testDatabase();
    upstream = await startScriptedUpstream(async (exchange) => {
      await exchange.sendAll(exchange.request.body.includes("short") ? SHORT : LONG);
      exchange.end();
    });
    gateway = await open();
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
    await database.drop();
  });

  function open(env: Readonly<Record<string, string>> = {}): Promise<GatewayWithin> {
    const catalogue = catalogueOf(upstream.url);
    return openGatewayWithin({
      database,
      catalogue,
      stalledMs: STALLED_MS,
      env: { UPSTREAM_KEY: "x", ...env },
    });
  }

  async function customer(): Promise<Customer> {
    const accountId = await newAccount(database.db, "1000");
    return { accountId, ...(await newKey(database.db, accountId)) };
  }

  /** Asks for a long answer, and reads its head and no more. */
  async function stall(
    at: GatewayWithin,
    who: Customer,
    model: string,
    path?: string,
    headers = {},
  ): Promise<ChatExchange> {
    const question = [{ role: "user", content: "long" }];
    const most = 90_000_000;
    const body = {
      model,
      stream: true,
      ...(path === "/v1/responses"
        ? { max_output_tokens: most, input: question }
        : { max_tokens: most, messages: question }),
    };
    const exchange = postChat(at.url, who.secret, body, path, headers);
    const { status } = await exchange.head;
    assert.equal(status, 200);
    exchange.pause();
    return exchange;
  }

  const short = (model: string, secret: string): Promise<{ readonly status: number }> =>
    postChat(gateway.url, secret, {
      model,
      stream: true,
      max_tokens: 10,
      messages: [{ role: "user", content: "short" }],
    }).answer;

  for (const [model, path] of [
    ["a", "/v1/chat/completions"],
    ["b", "/v1/messages"],
    ["e", "/v1/responses"],
  ] as const) {
    test(`${path}: all places of an upstream are held by such readers; they are cut and charged, and another account is served`, async () => {
      const [idle, other] = [await customer(), await customer()];
      const stalled = await Promise.all(
        Array.from({ length: PLACES }, () => stall(gateway, idle, model, path)),
      );
      assert.equal((await short(model, other.secret)).status, 503);
      await until(
        "another account is served",
        async () => (await short(model, other.secret)).status === 200,
      );
      const ended = await until("both are settled", async () => {
        const ends = await endings(database.db, idle.accountId);
        return ends.length === PLACES && ends;
      });
      for (const { state, chargedNano, receiptNano, usageSource } of ended) {
        assert.deepEqual([state, usageSource], ["client_gone", "counted"]);
        assert.ok(chargedNano > 0n && chargedNano === receiptNano, String(chargedNano));
      }
      await until(
        "nothing is held any more",
        async () => (await liveHolds(database.db)).length === 0,
      );
      for (const exchange of stalled) exchange.leave();
    });
  }

  test("one with an idempotency key is cut, too, and its answer is read to its end, charged once and kept", async () => {
    const idle = await customer();
    const headers = { "idempotency-key": "once" };
    const stalled = await stall(gateway, idle, "c", undefined, headers);
    const [ended] = await until("it is settled", async () => {
      const ends = await endings(database.db, idle.accountId);
      return ends.length === 1 && ends;
    });
    assert.deepEqual([ended?.state, ended?.kind], ["completed", "charge"]);
    // Until it was cut, its upstream stood still.
    stalled.resume();
    assert.ok((await stalled.answer).broken);
    const replayed = await stall(gateway, idle, "c", undefined, headers);
    assert.equal((await replayed.head).headers["idempotent-replayed"], "true");
    replayed.resume();
    assert.ok((await replayed.answer).body.toString().endsWith("data: [DONE]\n\n"));
    assert.equal((await endings(database.db, idle.accountId)).length, 1);
  });

  test("while the process drains it is cut as before, long before the drain's own end", async () => {
    const draining = await open({ DRAIN_SECONDS: "3600" });
    const idle = await customer();
    const stalled = await stall(draining, idle, "d");
    await draining.stop();
    const [ended] = await endings(database.db, idle.accountId);
    assert.deepEqual([ended?.state, ended?.kind], ["client_gone", "charge"]);
    stalled.leave();
  });
});
