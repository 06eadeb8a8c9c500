/**
 * Guarantee: a process whose clock jumps an hour ahead, or back, settles what runs and what comes as
 * ever, keeps its leases, its callers' rate limits and its members' sessions, and is judged dead by
 * no other; only a key that expires does so by the clock of the process that is asked (hazards §307).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { signUpAtPanel } from "../support/panel-session.ts";
import { postChat } from "../support/post-chat.ts";
import { createGate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";

const MOVE_CLOCK = join(import.meta.dirname, "../torture/move-clock.ts");
const HOUR_MS = 3_600_000;
const USAGE = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
const PRICE = standardPrice({ input: 10, output: 4 });
const MESSAGES = [{ role: "user", content: "hi" }];

const folder = mkdtempSync(join(tmpdir(), "clock-steps-"));
const clockPath = join(folder, "clock");
let scene: ChatScene;
/** On the same database, with the machine's time all along. */
let steady: Gateway;
before(async () => {
  writeFileSync(clockPath, "0");
  scene = await openChatScene({
    env: {
      NODE_OPTIONS: `--import=${MOVE_CLOCK}`,
      TORTURE_CLOCK: clockPath,
      // Of both gateways: either may send the mail of a sign-up.
      DATA_DIR: join(folder, "data"),
    },
  });
  steady = await scene.anotherGateway();
});
after(async () => {
  await scene.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The clock of the scene's first gateway, as it dates its log. */
async function stepTo(aheadMs: number): Promise<void> {
  writeFileSync(clockPath, String(aheadMs));
  scene.gateway.signal("SIGUSR2");
  await until("its clock has moved", async () => {
    const answer = await fetch(`${scene.gateway.url}/v1/balance`);
    await answer.arrayBuffer();
    const requestId = answer.headers.get("x-request-id");
    const line = await scene.gateway.logged((each) => each["requestId"] === requestId);
    const offMs = Date.parse(String(line["time"])) - Date.now() - aheadMs;
    return Math.abs(offMs) < HOUR_MS / 2;
  });
}

const bodyOf = (user: string, more: object = {}) => ({
  model: "standard",
  user,
  max_tokens: 50,
  messages: MESSAGES,
  ...more,
});

const whole = () =>
  scene.play((exchange) => exchange.json(200, openAiCompletion({ pieces: ["x"], usage: USAGE })));

for (const [name, aheadMs] of [
  ["ahead", HOUR_MS],
  ["back", -HOUR_MS],
] as const)
  test(`a stream that runs over a step ${name}, and chats behind it, cost what they cost`, async () => {
    const customer = await scene.customer();
    const gate = createGate();
    const { user } = scene.play(async (exchange) => {
      const events = openAiStream({ pieces: ["hel", "lo"], usage: USAGE });
      await exchange.sendAll(events.slice(0, 2));
      await gate.wait;
      await exchange.sendAll(events.slice(2));
      exchange.end();
    });
    const more = { stream: true, stream_options: { include_usage: true } };
    const streamed = postChat(scene.gateway.url, customer.secret, bodyOf(user, more));
    await streamed.seen("hel");
    try {
      await stepTo(aheadMs);
      const { user: other } = whole();
      // Its key's lease and journal are neither over nor another's; the other process has its own.
      for (const url of [scene.gateway.url, steady.url, scene.gateway.url]) {
        const { status, body } = await postChat(url, customer.secret, bodyOf(other)).answer;
        assert.equal(status, 200, body.toString());
      }
      gate.open();
      assert.equal((await streamed.answer).broken, false);
    } finally {
      gate.open();
      await stepTo(0);
    }
    const receipts = await scene.receipts(customer.accountId, 4);
    for (const { chargedNano, durationMs, state } of receipts) {
      assert.deepEqual([state, chargedNano], ["completed", PRICE]);
      // Counted by what only grows, and no part of the step.
      assert.ok(durationMs !== null && durationMs >= 0 && durationMs < HOUR_MS / 2);
    }
    assert.deepEqual(await scene.losses(customer.accountId), []);
    const { charged, held } = await scene.money(customer.accountId);
    assert.deepEqual([charged, held], [PRICE * 4n, 0n]);
    await scene.verifyBooks();
  });

test("a rate limit of a minute is one of a minute, however far its process's clock jumps", async () => {
  const customer = await scene.customer({ key: { requestsPerMinute: 3 } });
  const { user } = whole();
  const ask = (url: string) => postChat(url, customer.secret, bodyOf(user)).answer;
  for (let each = 0; each < 3; each++) assert.equal((await ask(scene.gateway.url)).status, 200);
  try {
    for (const aheadMs of [HOUR_MS, -HOUR_MS, 0]) {
      await stepTo(aheadMs);
      const { status, headers } = await ask(scene.gateway.url);
      assert.equal(status, 429, `${aheadMs} ms ahead`);
      assert.ok(Number(headers["retry-after"]) <= 60, String(headers["retry-after"]));
    }
    assert.equal((await ask(steady.url)).status, 429);
  } finally {
    await stepTo(0);
  }
});

test("a session of the panel goes on over steps both ways", async () => {
  const person = await signUpAtPanel(scene.gateway, "Часы");
  try {
    for (const aheadMs of [HOUR_MS, -HOUR_MS, 0]) {
      await stepTo(aheadMs);
      assert.equal((await person.ask("GET", "alerts")).status, 200, `${aheadMs} ms ahead`);
    }
  } finally {
    await stepTo(0);
  }
});

test("a key that expires does so by the clock of the process that is asked, and works again when that is right", async () => {
  const expiresAt = new Date(Date.now() + HOUR_MS / 2);
  const customer = await scene.customer({ key: { expiresAt } });
  const { user } = whole();
  const ask = async (url: string) =>
    (await postChat(url, customer.secret, bodyOf(user)).answer).status;
  assert.equal(await ask(scene.gateway.url), 200);
  try {
    await stepTo(HOUR_MS);
    assert.deepEqual([await ask(scene.gateway.url), await ask(steady.url)], [401, 200]);
  } finally {
    await stepTo(0);
  }
  assert.equal(await ask(scene.gateway.url), 200);
  await scene.receipts(customer.accountId, 3);
  await scene.verifyBooks();
});
