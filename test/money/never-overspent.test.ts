/**
 * Guarantee: two gateway processes on one database never spend more than a balance or a key's limit
 * pays for, at any instant, and no less either (contract §6; hazards §10, §11).
 */
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import type { Exchange } from "../support/scripted-upstream.ts";
import { endings, liveHolds, totals } from "./books.ts";
import { FIXED_ROUBLES, INPUT_TOKEN_NANO, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";
import { openMoneyScene, roubles, type MoneyCustomer, type MoneyScene } from "./money-scene.ts";
import { watchBalances, type BalanceWatch } from "./watch-balances.ts";

/** How many requests a balance or limit is worth. */
const N = 20;
const PROMPT = [{ role: "user", content: "Count to ten." }];
/** What the upstream says that a short answer took. */
const SHORT_USAGE = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
const SHORT_NANO = 10n * INPUT_TOKEN_NANO + 20n * OUTPUT_TOKEN_NANO;
const LONG_TOKENS = 3_000;
const PIECE_TOKENS = 50;
const CLIENTS = 12;

let scene: MoneyScene;
let gateways: readonly Gateway[];
let watch: BalanceWatch;
/** What the API itself says of the customer at hand, all the time. */
let asking: { readonly over: Promise<number>; stop(): void };
let current: MoneyCustomer | null = null;
before(async () => {
  scene = await openMoneyScene(answer);
  gateways = [await scene.gateway("one"), await scene.gateway("two")];
  watch = await watchBalances(scene.url);
  asking = askForBalances();
});
after(async () => {
  await scene[Symbol.asyncDispose]();
});

async function newCustomer(creditNano: bigint, limitNano?: bigint): Promise<MoneyCustomer> {
  current = await scene.customer(creditNano, limitNano);
  return current;
}

function askForBalances(): { over: Promise<number>; stop(): void } {
  let busy = true;
  async function ask(): Promise<number> {
    let answers = 0;
    while (busy) {
      for (const gateway of gateways) {
        if (current === null) break;
        const got = await fetch(`${gateway.url}/v1/balance`, {
          headers: { "x-api-key": current.secret },
        });
        const { available, held, balance } = (await got.json()) as Record<string, string>;
        assert.deepEqual(
          [got.status, available?.startsWith("-"), held?.startsWith("-"), balance?.startsWith("-")],
          [200, false, false, false],
        );
        answers += 1;
      }
      await sleep(20);
    }
    return answers;
  }
  const over = ask();
  over.catch(() => undefined);
  return { over, stop: () => (busy = false) };
}

/** Answers by what the request asks for; a moment of work lets requests overlap. */
async function answer(exchange: Exchange): Promise<void> {
  const { stream, messages } = exchange.request.json() as {
    stream?: boolean;
    messages: { content: string }[];
  };
  if (messages[0]?.content === "long") {
    const pieces = Array.from({ length: LONG_TOKENS / PIECE_TOKENS }, () =>
      " word".repeat(PIECE_TOKENS),
    );
    const usage = {
      prompt_tokens: 10,
      completion_tokens: LONG_TOKENS,
      total_tokens: 10 + LONG_TOKENS,
    };
    if (await exchange.sendAll(openAiStream({ pieces, usage }))) exchange.end();
    return;
  }
  await sleep(5);
  const reported = { pieces: ["one", " two", " three"], usage: SHORT_USAGE };
  if (stream !== true) exchange.json(200, openAiCompletion(reported));
  else if (await exchange.sendAll(openAiStream(reported))) exchange.end();
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

async function chat(gateway: Gateway, secret: string, body: object): Promise<Answer> {
  const { status, headers, body: bytes, broken } = await postChat(gateway.url, secret, body).answer;
  assert(!broken);
  return { status, text: bytes.toString(), retryAfter: headers["retry-after"] };
}

function errorOf(text: string): { readonly message: string; readonly code: string | null } {
  return (JSON.parse(text) as { error: { message: string; code: string | null } }).error;
}

function gatewayFor(turn: number): Gateway {
  const gateway = gateways[turn % gateways.length];
  assert(gateway !== undefined);
  return gateway;
}

/** 10 N requests at once over both processes, of which exactly N are admitted. */
async function race(
  t: TestContext,
  customer: MoneyCustomer,
  body: object,
  code: string,
): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 10 * N }, (_, turn) => chat(gatewayFor(turn), customer.secret, body)),
  );
  const served = answers.filter((each) => each.status === 200);
  assert.equal(served.length, N);
  for (const each of served) assert(!each.text.includes(`"error"`), each.text);
  const refused = answers.filter((each) => each.status !== 200);
  for (const each of refused) {
    assert.equal(each.status, 402);
    assert.equal(errorOf(each.text).code, code);
  }
  const charged = roubles(Number(FIXED_ROUBLES) * N);
  const ended = await endings(scene.db, customer.accountId);
  assert.deepEqual(new Set(ended.map((each) => each.state)), new Set(["completed"]));
  assert.equal(ended.length, N);
  const { chargedNano, heldNano, receiptsNano } = await totals(scene.db, customer.accountId);
  assert.deepEqual(
    { chargedNano, heldNano, receiptsNano },
    { chargedNano: charged, heldNano: 0n, receiptsNano: charged },
  );
  const temporary = refused.filter((each) => each.retryAfter !== undefined).length;
  t.diagnostic(
    `${N} of ${10 * N} served, ${refused.length} refused, ${temporary} of them for the time being`,
  );
}

const whole = { model: "fixed", messages: PROMPT };
const streamed = { ...whole, stream: true };

test("a balance worth exactly N pays for exactly N of 10 N concurrent requests", async (t) => {
  await race(t, await newCustomer(roubles(N)), whole, "insufficient_balance");
});

test("a balance worth exactly N pays for exactly N of 10 N concurrent streams", async (t) => {
  await race(t, await newCustomer(roubles(N)), streamed, "insufficient_balance");
});

test("a key limit worth exactly N pays for exactly N of 10 N concurrent requests, on a balance that has more", async (t) => {
  await race(t, await newCustomer(roubles(1000), roubles(N)), whole, "key_limit_exceeded");
});

test("a key limit worth exactly N pays for exactly N of 10 N concurrent streams, on a balance that has more", async (t) => {
  await race(t, await newCustomer(roubles(1000), roubles(N)), streamed, "key_limit_exceeded");
});

/** Clients that repeat their request until they are told that waiting does not help. */
async function drainBalance(
  customer: MoneyCustomer,
  body: object,
): Promise<{ served: Answer[]; waits: number; neededNano: bigint }> {
  const served: Answer[] = [];
  let waits = 0;
  let neededNano = 0n;
  async function client(number: number): Promise<void> {
    for (let turn = number; ; turn++) {
      const got = await chat(gatewayFor(turn), customer.secret, body);
      if (got.status === 200) {
        served.push(got);
        continue;
      }
      assert.equal(got.status, 402, got.text);
      const message = errorOf(got.text).message;
      if (got.retryAfter === undefined) {
        neededNano = roubles(Number(/needs ([\d.]+) RUB/.exec(message)?.[1]));
        return;
      }
      assert.match(message, /held by requests that still run\. Try again when they have ended/);
      waits += 1;
      await sleep(10);
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return { served, waits, neededNano };
}

for (const [title, stream, limited] of [
  ["whole answers, by the balance", false, false],
  ["streams, by the balance", true, false],
  ["streams, by a key's limit", true, true],
] as const) {
  test(`where less is used than held, clients that come again use it up to the price of less than one request: ${title}`, async (t) => {
    const worth = roubles(1.5);
    const customer = await newCustomer(
      limited ? roubles(1000) : worth,
      limited ? worth : undefined,
    );
    const body = { model: "talk", messages: PROMPT, max_tokens: 200, stream };
    const { served, waits, neededNano } = await drainBalance(customer, body);
    const { chargedNano, heldNano, receiptsNano } = await totals(scene.db, customer.accountId);
    assert.equal(heldNano, 0n);
    assert.equal(chargedNano, BigInt(served.length) * SHORT_NANO);
    assert.equal(receiptsNano, chargedNano);
    assert(chargedNano <= worth);
    assert(
      neededNano > 0n && worth - chargedNano < neededNano,
      `${worth - chargedNano} is left, ${neededNano} is needed`,
    );
    assert(waits > 0, "nobody was ever told to wait, so the requests did not overlap");
    t.diagnostic(
      `${served.length} answers, ${waits} waits, ${worth - chargedNano} of ${worth} nano-roubles left, a request needs ${neededNano}`,
    );
  });
}

test("streams that outgrow the balance are stopped properly, and nothing more is charged than there was", async (t) => {
  const worth = roubles(8);
  const customer = await newCustomer(worth);
  const body = { model: "talk", messages: [{ role: "user", content: "long" }], stream: true };
  const { served, waits, neededNano } = await drainBalance(customer, body);
  const { chargedNano, heldNano, receiptsNano, lossNano } = await totals(
    scene.db,
    customer.accountId,
  );
  assert.deepEqual([heldNano, receiptsNano, lossNano], [0n, chargedNano, 0n]);
  assert(
    worth - chargedNano < neededNano,
    `${worth - chargedNano} is left, ${neededNano} is needed`,
  );
  const stopped = served.filter((each) => each.text.includes(`"finish_reason":"length"`));
  assert(stopped.length > 0);
  for (const each of served) assert(each.text.trimEnd().endsWith("data: [DONE]"));
  const states = (await endings(scene.db, customer.accountId)).map((each) => each.state);
  assert.equal(states.filter((state) => state === "stopped_by_balance").length, stopped.length);
  t.diagnostic(
    `${served.length} streams, ${stopped.length} stopped, ${waits} waits, ${worth - chargedNano} of ${worth} nano-roubles left`,
  );
});

test("at no instant was any account or key overspent, and the books agree", async (t) => {
  asking.stop();
  const answers = await asking.over;
  const { samples, overspent } = await watch.stop();
  assert.deepEqual(overspent, []);
  assert.deepEqual(await liveHolds(scene.db), []);
  await scene.verifyLedger();
  t.diagnostic(`${samples} samples in the database, ${answers} by the API`);
});
