/**
 * Guarantee: by every endpoint of media too, two processes on a nearly empty account serve exactly
 * what it pays for and never more, and a retry by an idempotency key is paid once (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { formatRoubles, type Nano } from "../../src/kernel/money.ts";
import { watchBalances, type BalanceWatch } from "../money/watch-balances.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import {
  answerWhole,
  mediaCatalogue,
  mediaKinds,
  SECONDS_OF_SOUND,
  type MediaKind,
} from "./media-kinds.ts";

let scene: ChatScene;
let gateways: readonly Gateway[];
let watch: BalanceWatch;
let kinds: readonly MediaKind[];
before(async () => {
  kinds = await mediaKinds();
  scene = await openChatScene({ catalogue: mediaCatalogue });
  gateways = [scene.gateway, await scene.anotherGateway()];
  watch = await watchBalances(scene.databaseUrl);
});
after(async () => {
  assert.deepEqual((await watch.stop()).overspent, []);
  await scene.verifyBooks();
  await scene.close();
});

/** So many are paid for. */
const N = 5;
/** Fewer at once than an account may upload at once. */
const AT_ONCE = 30;
const MOST_ROUNDS = 40;

function ask(
  { secret }: ChatCustomer,
  kind: MediaKind,
  user: string,
  { turn = 0, headers = {} } = {},
): Promise<ChatAnswer> {
  const gateway = gateways[turn % gateways.length];
  assert.ok(gateway !== undefined);
  const { path, body, contentType } = kind.request(user);
  return postChat(gateway.url, secret, body, path, { "content-type": contentType, ...headers })
    .answer;
}

async function priceOf(kind: MediaKind): Promise<bigint> {
  if (kind.priceNano !== null) return kind.priceNano;
  const customer = await scene.customer();
  const { user } = scene.play((exchange) => answerWhole(exchange, kind));
  assert.equal((await ask(customer, kind, user)).status, 200);
  const { charged } = await scene.money(customer.accountId);
  // A kopeck a second, by the thousandth.
  const least = BigInt(SECONDS_OF_SOUND) * 10_000_000n;
  assert.ok(charged >= least && charged < (least * 11n) / 10n, String(charged));
  return charged;
}

for (const name of ["embeddings", "images", "image edits", "speech, streamed", "transcripts"]) {
  test(`${name}: six times as many over two processes as a balance pays for: exactly so many are served, and paid`, async () => {
    const kind = kindOf(name);
    const priceNano = await priceOf(kind);
    const roubles = formatRoubles((priceNano * BigInt(N) + priceNano / 2n) as Nano);
    const customer = await scene.customer({ roubles });
    const play = scene.play(async (exchange) => {
      await sleep(5);
      await answerWhole(exchange, kind);
    });
    const answers: ChatAnswer[] = [];
    // Those that meet the holds of others are told to come again, and do; one round more is refused.
    for (let round = 0, last = false; round < MOST_ROUNDS && !last; round++) {
      last = served(answers) >= N;
      const got = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, turn) => ask(customer, kind, play.user, { turn })),
      );
      answers.push(...got);
    }
    assert.equal(served(answers), N);
    assert.deepEqual(
      answers
        .filter(({ status }) => status !== 200 && status !== 402)
        .map(({ body }) => body.toString()),
      [],
    );
    assert.equal(play.requests.length, N, "nothing was asked that was not paid for");
    const { charged, held } = await scene.money(customer.accountId);
    assert.deepEqual([charged, held], [BigInt(N) * priceNano, 0n]);
  });

  test(`${name}: one idempotency key over two processes is one call upstream, one charge, the same bytes`, async () => {
    const kind = kindOf(name);
    const priceNano = await priceOf(kind);
    const customer = await scene.customer();
    const play = scene.play((exchange) => answerWhole(exchange, kind));
    const headers = { "idempotency-key": "once" };
    const first = await ask(customer, kind, play.user, { headers });
    const second = await ask(customer, kind, play.user, { headers, turn: 1 });
    assert.equal(first.status, 200, first.body.toString());
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers["idempotent-replayed"], "true");
    assert.equal(play.requests.length, 1);
    assert.equal((await scene.money(customer.accountId)).charged, priceNano);
  });
}

function kindOf(name: string): MediaKind {
  const kind = kinds.find((each) => each.name === name);
  assert.ok(kind !== undefined);
  return kind;
}

function served(answers: readonly ChatAnswer[]): number {
  return answers.filter(({ status, broken }) => status === 200 && !broken).length;
}
