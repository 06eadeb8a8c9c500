/**
 * Guarantee: while the database is out of reach admitted answers go on, nothing new is admitted,
 * and afterwards everything is settled once by the process it belongs to (hazards §305;
 * contract §6).
 */
// Runs beside the others: it waits until every lease has run out, and for processes to trust the
// database again.
import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { databaseProxy } from "../support/database-proxy.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiChunk, openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatExchange } from "../support/post-chat.ts";
import { createGate, type Exchange } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds, totals } from "./books.ts";
import { countedPrice } from "./counted-price.ts";
import { INPUT_TOKEN_NANO, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";
import { openMoneyScene, roubles, type MoneyCustomer, type MoneyScene } from "./money-scene.ts";

const PIECE = " word word word word word word word word word word";
const PIECE_TOKENS = 10;
const PIECES_BEFORE = 5;
/** As many tokens as no hold covers that was made before the outage. */
const PIECES_DURING = 700;
const PATIENCE_MS = 90_000;
const PROMPT_TOKENS = 11;
const USUAL = {
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: 50,
  total_tokens: PROMPT_TOKENS + 50,
};
const PIECES_OF_HALF = 3;
const MANY_PIECES = 300;

function priceOf(outputTokens: number): bigint {
  return BigInt(PROMPT_TOKENS) * INPUT_TOKEN_NANO + BigInt(outputTokens) * OUTPUT_TOKEN_NANO;
}

/** What an upstream does with a request of this text; every part of it waits for its gate. */
function createScript() {
  const during = createGate();
  const after = createGate();
  const roles = openAiStream({
    pieces: Array.from({ length: PIECES_BEFORE }, () => PIECE),
    usage: USUAL,
  });
  const begin = roles.slice(0, 1 + PIECES_BEFORE);
  const end = roles.slice(1 + PIECES_BEFORE);

  async function flow(exchange: Exchange): Promise<void> {
    await exchange.sendAll(begin);
    await during.wait;
    for (let piece = 0; piece < PIECES_DURING; piece++) {
      await exchange.send(
        openAiChunk({}, [
          { index: 0, delta: { content: `${PIECE} n${piece}` }, finish_reason: null },
        ]),
      );
      await sleep(20);
    }
    await after.wait;
    await exchange.send(openAiChunk({}, [{ index: 0, delta: {}, finish_reason: "stop" }]));
    const completion_tokens = PIECES_DURING * PIECE_TOKENS;
    await exchange.send(
      openAiChunk({}, [], {
        prompt_tokens: PROMPT_TOKENS,
        completion_tokens,
        total_tokens: PROMPT_TOKENS + completion_tokens,
      }),
    );
    await exchange.send(sseEvent("[DONE]"));
    exchange.end();
  }

  const parts: Record<string, (exchange: Exchange) => Promise<void>> = {
    "goes on": flow,
    async ends(exchange) {
      await exchange.sendAll(begin);
      await during.wait;
      await exchange.sendAll(end);
      exchange.end();
    },
    async "begins late"(exchange) {
      await during.wait;
      await exchange.sendAll([...begin, ...end]);
      exchange.end();
    },
    async "outgrows its hold"(exchange) {
      await exchange.sendAll(begin);
      await during.wait;
      const completion_tokens = MANY_PIECES * PIECE_TOKENS;
      const usage = {
        prompt_tokens: PROMPT_TOKENS,
        completion_tokens,
        total_tokens: PROMPT_TOKENS + completion_tokens,
      };
      await exchange.sendAll(
        openAiStream({ pieces: Array.from({ length: MANY_PIECES }, () => PIECE), usage }).slice(1),
      );
      exchange.end();
    },
    async "breaks off"(exchange) {
      await exchange.sendAll(begin.slice(0, 1 + PIECES_OF_HALF));
      await during.wait;
      exchange.destroy();
    },
    async "is left"(exchange) {
      await exchange.sendAll(begin.slice(0, 1 + PIECES_OF_HALF));
      await exchange.hang();
    },
    async "is refused"(exchange) {
      await during.wait;
      exchange.json(400, { error: { message: "No.", type: "invalid_request_error" } });
    },
    async "in one piece"(exchange) {
      await during.wait;
      exchange.json(200, openAiCompletion({ pieces: [PIECE], usage: USUAL }));
    },
  };
  return {
    during,
    after,
    async answer(exchange: Exchange): Promise<void> {
      const { messages, stream } = exchange.request.json() as {
        stream?: boolean;
        messages: { content: string }[];
      };
      const part = parts[messages[0]?.content ?? ""];
      if (part !== undefined) await part(exchange);
      else if (stream !== true)
        exchange.json(200, openAiCompletion({ pieces: [PIECE], usage: USUAL }));
      else {
        await exchange.sendAll([...begin, ...end]);
        exchange.end();
      }
    },
  };
}

interface Running {
  readonly body: object;
  readonly customer: MoneyCustomer;
  readonly exchange: ChatExchange;
}

async function start(
  scene: MoneyScene,
  gateway: Gateway,
  text: string,
  rest: object = { stream: true },
): Promise<Running> {
  const customer = await scene.customer(roubles(1000));
  const body = { model: "talk", messages: [{ role: "user", content: text }], ...rest };
  return { body, customer, exchange: postChat(gateway.url, customer.secret, body) };
}

/**
 * New work, and everything else that needs the database, is refused in a way that says: come again.
 */
async function expectRefusals(
  gateway: Gateway,
  known: MoneyCustomer,
  unknown: MoneyCustomer,
): Promise<void> {
  const body = { model: "talk", messages: [{ role: "user", content: "new" }] };
  const answers = await Promise.all(
    [known, unknown].flatMap(({ secret }) =>
      [{}, { stream: true }].map(
        (rest) => postChat(gateway.url, secret, { ...body, ...rest }).answer,
      ),
    ),
  );
  for (const { status, headers, body: text } of answers) {
    assert.equal(status, 503, text.toString());
    assert.match(headers["retry-after"] ?? "", /^\d+$/);
    assert.equal(
      (JSON.parse(text.toString()) as { error: { code: string } }).error.code,
      "overloaded",
    );
  }
  const balance = await fetch(`${gateway.url}/v1/balance`, {
    headers: { "x-api-key": known.secret },
  });
  assert.equal(balance.status, 503);
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 503);
  assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
}

/** A quarter of a second after the database was lost no lease admits. */
const DOUBTED_MS = 500;

async function refusesWork({ url }: Gateway): Promise<void> {
  await until("it refuses work", async () => (await fetch(`${url}/readyz`)).status === 503);
  await sleep(DOUBTED_MS);
}

/**
 * Every lease has run out: a process that judged by leases alone would take all holds for orphans.
 */
async function leasesRunOut(scene: MoneyScene): Promise<void> {
  await until(
    "no lease is left",
    async () =>
      (await scene.db.query("SELECT 1 FROM ledger.owners WHERE alive_until > clock_timestamp()"))
        .length === 0,
    PATIENCE_MS,
  );
}

async function leaseAlive(scene: MoneyScene, count: number): Promise<void> {
  await until(`${count} leases are alive`, async () => {
    const rows = await scene.db.query(
      "SELECT 1 FROM ledger.owners WHERE alive_until > clock_timestamp()",
    );
    return rows.length === count;
  });
}

async function expectCharge(
  scene: MoneyScene,
  { customer }: Running,
  state: string,
  chargedNano: bigint,
): Promise<void> {
  const all = await endings(scene.db, customer.accountId);
  const [ending, ...others] = all.filter((each) => each.receiptNano !== null);
  // A request that was refused while no answer came may have held money all the same; then that was
  // released.
  for (const { kind, receiptNano } of all) assert(receiptNano !== null || kind === "release");
  const { heldNano, lossNano } = await totals(scene.db, customer.accountId);
  assert.deepEqual(
    {
      state: ending?.state,
      chargedNano: ending?.chargedNano,
      receiptNano: ending?.receiptNano,
      recovered: ending?.recovered,
      heldNano,
      lossNano,
      others,
    },
    {
      state,
      chargedNano,
      receiptNano: chargedNano,
      recovered: null,
      heldNano: 0n,
      lossNano: 0n,
      others: [],
    },
  );
}

async function surviveOutage(t: TestContext, how: "broken" | "silent"): Promise<void> {
  const script = createScript();
  await using scene = await openMoneyScene(script.answer);
  const proxies = [await databaseProxy(scene.url), await databaseProxy(scene.url)] as const;
  const [one, two] = await Promise.all(
    proxies.map((proxy, index) => scene.gateway(`gateway ${index}`, { databaseUrl: proxy.url })),
  );
  assert(one !== undefined && two !== undefined);
  try {
    const goesOn = await start(scene, one, "goes on");
    const ends = await start(scene, one, "ends");
    const beginsLate = await start(scene, one, "begins late");
    const outgrows = await start(scene, one, "outgrows its hold");
    const breaksOff = await start(scene, one, "breaks off");
    const isLeft = await start(scene, one, "is left");
    const isRefused = await start(scene, one, "is refused");
    const inOnePiece = await start(scene, one, "in one piece", { max_tokens: 200 });
    const other = await start(scene, two, "goes on");
    const running = [
      goesOn,
      ends,
      beginsLate,
      outgrows,
      breaksOff,
      isLeft,
      isRefused,
      inOnePiece,
      other,
    ];
    for (const { exchange } of [goesOn, ends, outgrows, breaksOff, isLeft, other])
      await exchange.seen(PIECE);
    await until(
      "all of them hold money",
      async () => (await liveHolds(scene.db)).length === running.length,
    );
    const stranger = await scene.customer(roubles(10));

    for (const proxy of proxies) proxy.outage(how);
    const beganAt = performance.now();
    script.during.open();
    isLeft.exchange.leave();
    // Until it is noticed, requests are admitted by leases, and their ends wait.
    await Promise.all([one, two].map(refusesWork));
    await Promise.all([
      expectRefusals(one, goesOn.customer, stranger),
      expectRefusals(two, other.customer, stranger),
    ]);
    t.diagnostic(
      `refused everything new within ${((performance.now() - beganAt) / 1000).toFixed(1)} s of the outage`,
    );
    await Promise.all(
      [goesOn, other].map(({ exchange }) => exchange.seen(` n${PIECES_DURING - 1}"`)),
    );
    t.diagnostic(
      `all pieces were delivered ${((performance.now() - beganAt) / 1000).toFixed(1)} s into the outage`,
    );
    await leasesRunOut(scene);
    await expectRefusals(one, goesOn.customer, stranger);
    assert.equal(
      (await liveHolds(scene.db)).length,
      running.length,
      "nothing can have been settled",
    );
    for (const { exchange } of [ends, beginsLate, outgrows, inOnePiece]) {
      const ended = exchange.answer.then(() => "ended");
      assert.equal(
        await Promise.race([ended, setImmediate("waits")]),
        "waits",
        "the last bytes go out when the charge is safe",
      );
    }

    // One process is back long before the other, whose lease stands run out all the time.
    proxies[1].recover();
    await leaseAlive(scene, 1);
    const backAt = performance.now();
    await until("the other process is ready", async () => (await fetch(`${two.url}/readyz`)).ok);
    assert.equal(
      (
        await postChat(two.url, stranger.secret, {
          model: "talk",
          messages: [{ role: "user", content: "new" }],
        }).answer
      ).status,
      200,
    );
    t.diagnostic(
      `served again ${((performance.now() - backAt) / 1000).toFixed(1)} s after its lease was renewed`,
    );
    proxies[0].recover();
    await leaseAlive(scene, 2);
    script.after.open();

    for (const { exchange } of [goesOn, other, ends, beginsLate, outgrows]) {
      const { body, broken } = await exchange.answer;
      assert(!broken && body.toString().endsWith("data: [DONE]\n\n"), body.toString().slice(-300));
    }
    assert.equal((await inOnePiece.exchange.answer).status, 200);
    assert.equal((await isRefused.exchange.answer).status, 400);
    const brokenOff = await breaksOff.exchange.answer;
    assert(brokenOff.broken && brokenOff.body.includes(`"error"`));
    await until(
      "no hold is left",
      async () => (await liveHolds(scene.db)).length === 0,
      PATIENCE_MS,
    );
    await expectCharge(scene, goesOn, "completed", priceOf(PIECES_DURING * PIECE_TOKENS));
    await expectCharge(scene, other, "completed", priceOf(PIECES_DURING * PIECE_TOKENS));
    await expectCharge(scene, ends, "completed", priceOf(USUAL.completion_tokens));
    await expectCharge(scene, beginsLate, "completed", priceOf(USUAL.completion_tokens));
    await expectCharge(scene, inOnePiece, "completed", priceOf(USUAL.completion_tokens));
    await expectCharge(scene, outgrows, "completed", priceOf(MANY_PIECES * PIECE_TOKENS));
    const half = PIECE.repeat(PIECES_OF_HALF);
    await expectCharge(scene, breaksOff, "interrupted", await countedPrice(breaksOff.body, half));
    await expectCharge(scene, isLeft, "client_gone", await countedPrice(isLeft.body, half));
    await expectCharge(scene, isRefused, "failed", 0n);
    for (const gateway of [one, two])
      assert(!gateway.output().includes("settled a hold of a process that died"));
    await scene.verifyLedger();
  } finally {
    for (const proxy of proxies) proxy.recover();
    for (const gateway of [one, two]) await gateway.stop();
    for (const proxy of proxies) await proxy.close();
  }
}

/** Longer than one `until` may wait: what does not come then is said. */
const TIMEOUT_MS = 300_000;

suite(
  "an outage of the database that outlasts every lease",
  { concurrency: true, timeout: TIMEOUT_MS },
  () => {
    test("connections break and none can be made", { timeout: TIMEOUT_MS }, (t) =>
      surviveOutage(t, "broken"),
    );
    test("no answer comes, and what was sent arrives later", { timeout: TIMEOUT_MS }, (t) =>
      surviveOutage(t, "silent"),
    );
  },
);
