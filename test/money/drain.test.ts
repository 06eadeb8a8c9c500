/**
 * Guarantee: a process that is told to stop takes nothing new, lets answers finish or cuts them
 * honestly at its deadline, settles all of them, and ends with 0 (hazards §310).
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiChunk, openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { createGate, type Exchange } from "../support/scripted-upstream.ts";
import { assertResponseStream, responseEvents } from "../support/strict-response.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds, totals } from "./books.ts";
import { countedPrice } from "./counted-price.ts";
import { INPUT_TOKEN_NANO, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";
import { openMoneyScene, roubles, type MoneyScene } from "./money-scene.ts";

const STREAMS = 50;
const PIECES = ["one", " two", " three", " four"];
const USAGE = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
const PRICE = 10n * INPUT_TOKEN_NANO + 4n * OUTPUT_TOKEN_NANO;
const EVENTS = openAiStream({ pieces: PIECES, usage: USAGE });

function bodyOf(text: string, rest: object): object {
  return { model: "talk", messages: [{ role: "user", content: text }], ...rest };
}

async function expectNothingNew(gateway: Gateway, secret: string): Promise<void> {
  await until(
    "readiness says no",
    async () => (await fetch(`${gateway.url}/readyz`)).status === 503,
  );
  for (const stream of [true, false]) {
    const { status, headers, body } = await postChat(gateway.url, secret, bodyOf("new", { stream }))
      .answer;
    assert.equal(status, 503);
    assert.match(headers["retry-after"] ?? "", /^\d+$/);
    assert.match(body.toString(), /"code":"overloaded"/);
  }
  assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
}

/** The process is gone in order, and its lease with it. */
async function expectOrderlyEnd(scene: MoneyScene, gateway: Gateway): Promise<void> {
  assert.deepEqual(await gateway.ended, { code: 0, signal: null });
  assert.deepEqual(await liveHolds(scene.db), []);
  assert.deepEqual(await scene.db.query("SELECT 1 FROM ledger.owners"), []);
  await scene.verifyLedger();
}

function lastText({ body }: ChatAnswer): string {
  return body.toString().slice(-300);
}

suite("a process that is told to stop", { concurrency: true }, () => {
  test(`with time enough: ${STREAMS} live streams and a whole answer finish, and nothing new begins`, async () => {
    const finish = createGate();
    await using scene = await openMoneyScene(async (exchange) => {
      const { stream } = exchange.request.json() as { stream?: boolean };
      if (stream === true) await exchange.sendAll(EVENTS.slice(0, 3));
      await finish.wait;
      if (stream !== true) exchange.json(200, openAiCompletion({ pieces: PIECES, usage: USAGE }));
      else {
        await exchange.sendAll(EVENTS.slice(3));
        exchange.end();
      }
    });
    const gateway = await scene.gateway("draining", { env: { DRAIN_SECONDS: "60" } });
    const customer = await scene.customer(roubles(1000));
    const streams = Array.from({ length: STREAMS }, () =>
      postChat(gateway.url, customer.secret, bodyOf("stream", { stream: true })),
    );
    const whole = postChat(gateway.url, customer.secret, bodyOf("whole", { max_tokens: 100 }));
    await Promise.all(streams.map((stream) => stream.seen(" two")));
    await until("all hold money", async () => (await liveHolds(scene.db)).length === STREAMS + 1);

    gateway.signal("SIGTERM");
    await expectNothingNew(gateway, customer.secret);
    finish.open();
    for (const stream of streams) {
      const answer = await stream.answer;
      assert(!answer.broken && lastText(answer).endsWith("data: [DONE]\n\n"), lastText(answer));
    }
    assert.equal((await whole.answer).status, 200);
    await expectOrderlyEnd(scene, gateway);
    const { chargedNano, receiptsNano } = await totals(scene.db, customer.accountId);
    assert.deepEqual(
      [chargedNano, receiptsNano],
      [BigInt(STREAMS + 1) * PRICE, BigInt(STREAMS + 1) * PRICE],
    );
    assert.equal(scene.upstream.requests.length, STREAMS + 1);
  });

  test("with too little: what still runs is cut with an error, charged for what was delivered, and its upstream is left", async () => {
    const endless = async (exchange: Exchange): Promise<void> => {
      const event = openAiChunk({}, [
        { index: 0, delta: { content: " word" }, finish_reason: null, filler: "x".repeat(10_000) },
      ]);
      await exchange.sendAll(EVENTS.slice(0, 3));
      while (await exchange.send(event)) await sleep(10);
    };
    const silent = (exchange: Exchange): Promise<void> => exchange.hang();
    const half = async (exchange: Exchange): Promise<void> => {
      await exchange.sendAll(EVENTS.slice(0, 3));
      await exchange.hang();
    };
    const scripts: Record<string, (exchange: Exchange) => Promise<void>> = {
      endless,
      "slow client": endless,
      half,
      silent,
      whole: silent,
      assembled: half,
    };
    await using scene = await openMoneyScene(async (exchange) => {
      const { messages } = exchange.request.json() as { messages: { content: string }[] };
      await scripts[messages[0]?.content ?? ""]?.(exchange);
    });
    const gateway = await scene.gateway("cutting", { env: { DRAIN_SECONDS: "1" } });
    async function start(text: string, rest: object, credit = 1000, path?: string) {
      const customer = await scene.customer(roubles(credit));
      const body =
        path === undefined ? bodyOf(text, rest) : { model: "talk", input: text, ...rest };
      return { customer, body, exchange: postChat(gateway.url, customer.secret, body, path) };
    }
    const running = {
      endless: await start("endless", { stream: true }),
      slow: await start("slow client", { stream: true }),
      half: await start("half", { stream: true }),
      response: await start("half", { stream: true }, 1000, "/v1/responses"),
      silent: await start("silent", { stream: true }),
      whole: await start("whole", { max_tokens: 100 }),
      assembled: await start("assembled", {}, 50),
    };
    const all = Object.values(running);
    await Promise.all(
      [running.endless, running.slow, running.half, running.response].map(({ exchange }) =>
        exchange.seen(" two"),
      ),
    );
    running.slow.exchange.pause();
    await until(
      "all are at the upstream",
      async () => scene.upstream.requests.length === all.length,
    );

    gateway.signal("SIGTERM");
    for (const { exchange } of [running.endless, running.half]) {
      const answer = await exchange.answer;
      assert(answer.broken, "a cut stream must not look complete");
      assert.match(lastText(answer), /"code":"overloaded"/);
      assert(!answer.body.includes("[DONE]"));
    }
    const response = await running.response.exchange.answer;
    const { status, error } = assertResponseStream(responseEvents(response.body));
    assert.partialDeepStrictEqual(
      [response.broken, status, error],
      [true, "failed", { code: "server_error" }],
    );
    for (const { exchange } of [running.silent, running.whole, running.assembled]) {
      const { status, headers, body } = await exchange.answer;
      assert.equal(status, 503, body.toString());
      assert.match(headers["retry-after"] ?? "", /^\d+$/);
    }
    await expectOrderlyEnd(scene, gateway);
    await scene.upstream.idle();

    const states = new Map<string, string | null | undefined>();
    const charges = new Map<string, bigint | undefined>();
    for (const [name, { customer }] of Object.entries(running)) {
      const [ending] = await endings(scene.db, customer.accountId);
      states.set(name, ending?.state);
      charges.set(name, ending?.chargedNano);
      assert.equal(ending?.receiptNano, ending?.chargedNano);
    }
    assert.deepEqual(Object.fromEntries(states), {
      endless: "interrupted",
      slow: "interrupted",
      half: "interrupted",
      response: "interrupted",
      silent: "failed",
      whole: "failed",
      assembled: "failed",
    });
    const delivered =
      (await running.endless.exchange.answer).body.toString().split(" word").length - 1;
    assert.equal(
      charges.get("endless"),
      await countedPrice(
        running.endless.body,
        PIECES.slice(0, 2).join("") + " word".repeat(delivered),
      ),
    );
    assert.equal(
      charges.get("half"),
      await countedPrice(running.half.body, PIECES.slice(0, 2).join("")),
    );
    assert.equal(charges.get("response"), charges.get("half"));
    assert((charges.get("slow") ?? 0n) > 0n);
    for (const name of ["silent", "whole", "assembled"]) assert.equal(charges.get(name), 0n);
  });
});
