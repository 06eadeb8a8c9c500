/**
 * Guarantee: at whatever step of a call for media its process is killed, nothing is held within a
 * minute, no caller is charged who has no whole answer, one who has it is charged once, and a retry
 * by its key is paid once (decision 28).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { request as sendRequest } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { postChat, type ChatExchange } from "../support/post-chat.ts";
import { createGate, type Exchange } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { answerWhole, mediaCatalogue, mediaKinds, type MediaKind } from "./media-kinds.ts";

const WITHIN_MS = 60_000;

let scene: ChatScene;
let kinds: readonly MediaKind[];
before(async () => {
  kinds = await mediaKinds();
  scene = await openChatScene({ catalogue: mediaCatalogue });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

interface Point {
  readonly name: string;
  /** All that the upstream says before the kill. */
  say(exchange: Exchange, kind: MediaKind): Promise<unknown>;
  /** By then a caller of a stream has seen something. */
  readonly begun: boolean;
}

const UPSTREAM_POINTS: readonly Point[] = [
  { name: "the upstream works", say: async () => undefined, begun: false },
  {
    name: "headers without a byte",
    say: async (exchange, { answerType }) => exchange.head(200, { "content-type": answerType }),
    begun: false,
  },
  { name: "half of the answer", say: upTo((length) => length >> 1), begun: true },
  { name: "all but its last byte", say: upTo((length) => length - 1), begun: true },
];

function upTo(bytes: (length: number) => number): Point["say"] {
  return (exchange, { answer, answerType }) => {
    exchange.head(200, { "content-type": answerType });
    return exchange.send(answer.subarray(0, bytes(answer.length)));
  };
}

function post(
  gateway: Gateway,
  { secret }: ChatCustomer,
  kind: MediaKind,
  user: string,
  headers = {},
): ChatExchange {
  const { path, body, contentType } = kind.request(user);
  const exchange = postChat(gateway.url, secret, body, path, {
    "content-type": contentType,
    ...headers,
  });
  exchange.answer.catch(() => undefined);
  return exchange;
}

interface Visit {
  readonly what: string;
  readonly kind: MediaKind;
  readonly customer: ChatCustomer;
}

async function visit(gateway: Gateway, kind: MediaKind, point: Point): Promise<Visit> {
  const customer = await scene.customer();
  const reached = createGate();
  const { user } = scene.play(async (exchange) => {
    await point.say(exchange, kind);
    reached.open();
    await exchange.hang();
  });
  const exchange = post(gateway, customer, kind, user);
  await reached.wait;
  if (point.begun && kind.seen !== null) await exchange.seen(kind.seen);
  const what = `${kind.name}: ${point.name}`;
  await until(`"${what}" is noted`, async () => {
    const rows = await scene.db.query("SELECT FROM ledger.unfinished WHERE account_id = $1", [
      customer.accountId,
    ]);
    return rows.length > 0;
  });
  return { what, kind, customer };
}

/** So that no silence ends the fetch before the kill does. */
async function trickle(exchange: Exchange): Promise<void> {
  exchange.head(200, { "content-type": "image/png", "content-length": 1_000_000 });
  while (await exchange.send("x")) await sleep(500);
}

/** Answered by an address, from which the image is being fetched: a second request of the same play. */
function visitFetching(gateway: Gateway, kind: MediaKind): Promise<Visit> {
  const fetched = createGate();
  const say: Point["say"] = async (exchange) => {
    if (exchange.request.method === "GET") {
      void trickle(exchange);
      return fetched.open();
    }
    const { user } = exchange.request.json() as { user: string };
    exchange.json(200, { created: 1, data: [{ url: `${scene.upstream.url}/${user}.png` }] });
    return fetched.wait;
  };
  return visit(gateway, kind, { name: "its image is fetched", say, begun: false });
}

/** Half of its body, and then nothing: it is never admitted. */
async function visitUnread(gateway: Gateway, kind: MediaKind): Promise<Visit> {
  const customer = await scene.customer();
  const { path, body, contentType } = kind.request("nobody's");
  const sending = sendRequest(`${gateway.url}${path}`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: `Bearer ${customer.secret}`,
      "content-type": contentType,
      "content-length": body.length,
    },
  });
  sending.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    sending.write(body.subarray(0, body.length >> 1), () => resolve());
  });
  return { what: `${kind.name}: half of its body`, kind, customer };
}

test("every step of every kind, an answer that is out, and a retry after the kill", async () => {
  const mortal = await scene.anotherGateway();
  const unread = await Promise.all(kinds.map((kind) => visitUnread(mortal, kind)));
  const visits = await Promise.all(
    kinds.flatMap((kind) => UPSTREAM_POINTS.map((point) => visit(mortal, kind, point))),
  );

  const answered: (Visit & { readonly charged: bigint })[] = [];
  for (const kind of kinds) {
    const customer = await scene.customer();
    const { user } = scene.play((exchange) => answerWhole(exchange, kind));
    const whole = await post(mortal, customer, kind, user).answer;
    assert.equal(whole.status, 200, whole.body.toString());
    assert.equal(whole.broken, false);
    const { charged } = await scene.money(customer.accountId);
    assert.equal(charged, kind.priceNano ?? charged);
    assert.ok(charged > 0n, kind.name);
    answered.push({ what: `${kind.name}: after its answer`, kind, customer, charged });
  }

  const headers = { "idempotency-key": "again" };
  const retries = await Promise.all(
    kinds.map(async (kind) => {
      const customer = await scene.customer();
      const gate = createGate();
      const play = scene.play([
        async (exchange) => {
          gate.open();
          await exchange.hang();
        },
        (exchange) => answerWhole(exchange, kind),
      ]);
      post(mortal, customer, kind, play.user, headers);
      await gate.wait;
      return { kind, customer, play };
    }),
  );

  for (const kind of kinds)
    if (kind.endpoint === "images.generations") visits.push(await visitFetching(mortal, kind));
  await mortal.kill();

  for (const { what, kind, customer } of visits) {
    const [receipt] = await scene.receipts(customer.accountId, 1, WITHIN_MS);
    assert.ok(receipt !== undefined, what);
    assert.equal(receipt.endpoint, kind.endpoint, what);
    assert.equal(receipt.state, "failed", what);
    assert.equal(receipt.chargedNano, 0n, what);
    assert.equal(receipt.detail["recovered"], true, what);
    const { held, charged } = await scene.money(customer.accountId);
    assert.deepEqual([held, charged], [0n, 0n], what);
  }
  for (const { what, customer } of unread) {
    assert.deepEqual(await scene.receipts(customer.accountId, 0, WITHIN_MS), [], what);
    const { held, charged } = await scene.money(customer.accountId);
    assert.deepEqual([held, charged], [0n, 0n], what);
  }
  for (const { what, customer, charged } of answered) {
    const receipts = await scene.receipts(customer.accountId, 1, WITHIN_MS);
    assert.deepEqual(
      receipts.map(({ state, chargedNano }) => [state, chargedNano]),
      [["completed", charged]],
      what,
    );
    assert.equal((await scene.money(customer.accountId)).charged, charged, what);
  }
  for (const [index, { kind, customer, play }] of retries.entries()) {
    const second = await until(
      `the key of a dead process is free: ${kind.name}`,
      async () => {
        const got = await post(scene.gateway, customer, kind, play.user, headers).answer;
        return got.status !== 409 && got;
      },
      WITHIN_MS,
    );
    assert.equal(second.status, 200, second.body.toString());
    const { charged, held } = await scene.money(customer.accountId);
    assert.deepEqual([charged, held], [answered[index]?.charged, 0n], kind.name);
    assert.equal(play.requests.length, 2, kind.name);
  }
});
