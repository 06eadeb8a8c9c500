/**
 * Guarantee: rate limits of a key and of an account hold over several processes together, exactly;
 * what they refuse costs nothing (contract §10).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { changeAccountLimits } from "../../src/business/accounts/change-account-limits.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import type { ChatAnswer } from "../support/post-chat.ts";
import { until } from "../support/until.ts";
import { openLimitsScene, useUp, type LimitsScene } from "./limits-scene.ts";

const USAGE = {
  prompt_tokens: 700,
  completion_tokens: 500,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 400 },
};

let scene: LimitsScene;
/** What the upstream sees of the customer whose requests carry this name. */
const seen = new Map<string, { count: number; running: number; most: number }>();
before(async () => {
  scene = await openLimitsScene(async (exchange) => {
    const { user = "" } = exchange.request.json() as { user?: string };
    const view = seen.get(user) ?? { count: 0, running: 0, most: 0 };
    seen.set(user, view);
    view.count += 1;
    view.running += 1;
    view.most = Math.max(view.most, view.running);
    // Long enough for the requests of the others to arrive meanwhile.
    await sleep(20);
    view.running -= 1;
    exchange.json(200, openAiCompletion({ pieces: ["Hello."], usage: USAGE }));
  });
});
after(() => scene[Symbol.asyncDispose]());

function statuses(answers: readonly ChatAnswer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** So many requests at once at each of the two processes. */
async function race(secret: string, user: string, each: number): Promise<ChatAnswer[]> {
  const both = ([0, 1] as const).flatMap((at) =>
    Array.from({ length: each }, () => scene.ask(at, secret, { user }).answer),
  );
  return Promise.all(both);
}

test("ten requests a minute: of a hundred at two processes ten get in, and the others cost nothing", async () => {
  const { secret, accountId } = await scene.customer({ key: { requestsPerMinute: 10 } });
  const startedMs = performance.now();
  const answers = await race(secret, "rpm", 50);
  // One more flows back every six seconds; on any machine that is not very busy, none.
  const admitted = statuses(answers)[200] ?? 0;
  const most = 10 + Math.floor((performance.now() - startedMs) / 6_000);
  assert.ok(admitted >= 10 && admitted <= most, `${admitted} of at most ${most}`);
  assert.deepEqual(statuses(answers), { 200: admitted, 429: 100 - admitted });
  assert.equal(seen.get("rpm")?.count, admitted);
  for (const { headers } of answers) assert.equal(headers["x-ratelimit-limit-requests"], "10");
  const left = answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => Number(headers["x-ratelimit-remaining-requests"]));
  assert.deepEqual(
    [...new Set(left)].toSorted((a, b) => a - b),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  const refused = answers.find(({ status }) => status === 429);
  assert.ok(refused !== undefined);
  assert.match(
    refused.body.toString(),
    /"message":"This API key may make 10 requests per minute\. There is room for the next one in [1-6] s\."/,
  );
  assert.match(
    refused.body.toString(),
    /"type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"/,
  );
  assert.match(String(refused.headers["retry-after"]), /^[1-6]$/);
  assert.match(String(refused.headers["x-ratelimit-reset-requests"]), /^(1m0s|[\d.]+s)$/);
  await postAll(scene.db);
  assert.equal((await balance(scene.db, accountId))?.heldNano, 0n);
  const receipts = await scene.db.query("SELECT FROM usage.requests WHERE account_id = $1", [
    accountId,
  ]);
  assert.equal(receipts.length, admitted);
});

test("five at once over all keys of an account: the upstream never sees six, and a place is free with the answer", async () => {
  const first = await scene.customer({ account: { maxConcurrent: 5 } });
  const second = await scene.anotherKey(first);
  let [answered, refused] = [0, 0];
  const client = async (at: 0 | 1, secret: string): Promise<void> => {
    while (answered < 60) {
      const { status, headers } = await scene.ask(at, secret, { user: "places" }).answer;
      assert.equal(headers["x-ratelimit-limit-concurrent"], "5");
      if (status === 200) answered += 1;
      else refused += 1;
    }
  };
  await Promise.all(
    ([0, 1] as const).flatMap((at) =>
      [first, second].flatMap(({ secret }) => [client(at, secret), client(at, secret)]),
    ),
  );
  assert.equal(seen.get("places")?.most, 5);
  assert.ok(refused > 0);
  // One after the other, at alternating processes, no request is ever in the way of the next.
  const alone = await scene.customer({ key: { maxConcurrent: 1 } });
  for (let turn = 0; turn < 20; turn++) {
    const { status } = await scene.ask(turn % 2 === 0 ? 0 : 1, alone.secret, { user: "alone" })
      .answer;
    assert.equal(status, 200, `turn ${turn}`);
  }
});

test("tokens a minute: all that was used counts, cached input too, and a debt keeps the next one out until it is repaid", async () => {
  const { secret } = await scene.customer({ key: { tokensPerMinute: 1000 } });
  const first = await scene.ask(0, secret).answer;
  assert.equal(first.status, 200);
  const next = await scene.ask(1, secret).answer;
  assert.equal(next.status, 429);
  assert.equal(next.headers["x-ratelimit-remaining-tokens"], "0");
  // 200 owed and what the request is estimated at, at 1000 a minute.
  const wait = Number(next.headers["retry-after"]);
  assert.ok(wait >= 11 && wait <= 20, String(wait));
  assert.match(next.body.toString(), /may use 1000 tokens per minute, input and output together/);
  // All that was asked for comes back, as it does in a minute and twelve seconds.
  assert.match(String(next.headers["x-ratelimit-reset-tokens"]), /^1m1[01](\.\d+)?s$/);
});

test("a request that is refused for lack of money counts as one, and keeps neither place nor tokens", async () => {
  const { secret } = await scene.customer({
    key: { requestsPerMinute: 3, maxConcurrent: 1, tokensPerMinute: 100_000 },
    roubles: "0.000001",
  });
  const answers = [];
  for (let time = 0; time < 4; time++)
    answers.push(await scene.ask(time % 2 === 0 ? 0 : 1, secret, { max_tokens: 8000 }).answer);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [402, 402, 402, 429],
  );
  assert.equal(answers[3]?.headers["x-ratelimit-remaining-tokens"], "100000");
  assert.equal(answers[3]?.headers["x-ratelimit-remaining-concurrent"], "1");
});

test("an account's limit that is changed is in force everywhere without a restart", async () => {
  const { secret, accountId } = await scene.customer({});
  for (const at of [0, 1] as const)
    assert.equal(
      (await scene.ask(at, secret).answer).headers["x-ratelimit-limit-requests"],
      undefined,
    );
  await changeAccountLimits(scene.db, accountId, { requestsPerMinute: 1_000_000 });
  for (const at of [0, 1] as const) {
    await until(
      "the limit is known",
      async () =>
        (await scene.ask(at, secret).answer).headers["x-ratelimit-limit-requests"] === "1000000",
    );
  }
  await changeAccountLimits(scene.db, accountId, { requestsPerMinute: null });
  for (const at of [0, 1] as const) {
    await until(
      "the limit is gone",
      async () =>
        (await scene.ask(at, secret).answer).headers["x-ratelimit-limit-requests"] === undefined,
    );
  }
});

test("who has no limits leaves no trace among those who have", async () => {
  const { secret, accountId, key } = await scene.customer({});
  const answer = await scene.ask(0, secret).answer;
  assert.equal(answer.status, 200);
  assert.deepEqual(
    Object.keys(answer.headers).filter((name) => name.includes("ratelimit")),
    [],
  );
  assert.deepEqual(
    await scene.db.query("SELECT FROM limits.subjects WHERE subject_id = ANY ($1)", [
      [accountId, key.keyId],
    ]),
    [],
  );
});

test("an answer that is given again is no request; a refused one may be sent again under its idempotency key", async () => {
  const { secret, key } = await scene.customer({ key: { requestsPerMinute: 1 } });
  const send = () => scene.ask(0, secret, {}, { "idempotency-key": "once" }).answer;
  await useUp(scene.db, key.keyId, 1);
  assert.equal((await send()).status, 429);
  await scene.db.query("DELETE FROM limits.subjects WHERE subject_id = $1", [key.keyId]);
  const first = await send();
  const again = await send();
  assert.deepEqual([first.status, again.status], [200, 200]);
  assert.equal(first.headers["x-ratelimit-remaining-requests"], "0");
  assert.deepEqual(again.body, first.body);
  assert.equal((await scene.ask(0, secret).answer).status, 429);
});

test("refusals are counted by whose limit it was and of what kind", async () => {
  const { secret, key } = await scene.customer({ key: { requestsPerMinute: 1 } });
  await useUp(scene.db, key.keyId, 1);
  await scene.ask(1, secret).answer;
  const text = await (await fetch(`${scene.gateways[1].url}/metrics`)).text();
  assert.match(text, /^tollgate_rate_limited_total\{of="key",kind="requests"\} [1-9]/m);
});
