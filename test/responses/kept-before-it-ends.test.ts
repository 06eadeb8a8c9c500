/**
 * Guarantee: an answer whose end says that it is kept is kept, whichever process dies when: the end
 * does not leave before that is committed, and a kill loses neither the answer nor its charge.
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Client } from "pg";
import { endings, liveHolds, totals } from "../money/books.ts";
import { postChat, type ChatExchange } from "../support/post-chat.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { until } from "../support/until.ts";
import {
  ask,
  openResponsesScene,
  priceOf,
  type Customer,
  type ResponsesScene,
} from "./responses-scene.ts";

const WITHIN_MS = 90_000;
const ENDED = "response.completed";

interface Lock extends AsyncDisposable {
  release(): Promise<void>;
}

async function lock(scene: ResponsesScene, text: string, params: unknown[]): Promise<Lock> {
  const client = new Client({ connectionString: scene.url });
  await client.connect();
  await client.query("BEGIN");
  const { rowCount } = await client.query(text, params);
  assert.ok((rowCount ?? 0) > 0, text);
  let over = false;
  const release = async (): Promise<void> => {
    if (!over) await client.end();
    over = true;
  };
  return { release, [Symbol.asyncDispose]: release };
}

/** Keeps everything waiting that would take room of the account. */
async function lockRoom(scene: ResponsesScene, { accountId }: Customer): Promise<Lock> {
  await scene.db.query(
    "INSERT INTO files.usage (account_id, bytes, files) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING",
    [accountId],
  );
  return lock(scene, "SELECT FROM files.usage WHERE account_id = $1 FOR UPDATE", [accountId]);
}

function waitingFor(scene: ResponsesScene, name: string, statement: string): Promise<number> {
  return until(`${statement} of "${name}" waits`, async () => {
    const [row] = await scene.db.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE application_name LIKE $1 || '%' AND datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $2 || '%'`,
      [name, statement],
    );
    return row?.pid ?? null;
  });
}

function stream(gateway: Gateway, { secret }: Customer): ChatExchange {
  const body = { model: "talk", stream: true, input: "What colour is the sky?" };
  return postChat(gateway.url, secret, body, "/v1/responses");
}

async function idOf(exchange: ChatExchange): Promise<string> {
  return `resp_${((await exchange.head).requestId ?? "").replace(/^req_/, "")}`;
}

async function keptOf(scene: ResponsesScene, { accountId }: Customer): Promise<string[]> {
  const rows = await scene.db.query<{ id: string }>(
    "SELECT response_id AS id FROM responses.responses WHERE account_id = $1",
    [accountId],
  );
  return rows.map(({ id }) => id);
}

suite("a kept answer", { concurrency: true, timeout: 240_000 }, () => {
  test("does not end before it is kept, and says so when it cannot be for long", async () => {
    await using scene = await openResponsesScene();
    const gateway = await scene.gateway("waits");
    const customer = await scene.customer();
    const room = await lockRoom(scene, customer);
    const exchange = stream(gateway, customer);
    await exchange.seen("response.output_text.delta");
    await waitingFor(scene, "waits", "responses.keep");
    assert.ok(!exchange.received().includes(ENDED), "the end waits");
    await room.release();
    await exchange.seen('"store":true');
    const id = await idOf(exchange);
    assert.equal((await ask(gateway, customer, `/v1/responses/${id}`)).status, 200);

    await using _again = await lockRoom(scene, customer);
    const late = await stream(gateway, customer).answer;
    const end = late.body.toString();
    assert.ok(!late.broken && end.includes(ENDED), end);
    assert.match(end.slice(end.lastIndexOf(ENDED)), /"store":false/);
    assert.deepEqual(await keptOf(scene, customer), [id]);
    assert.equal((await totals(scene.db, customer.accountId)).chargedNano, 2n * priceOf(1));
  });

  test("is there on any process when the one that gave it is killed after its last byte", async () => {
    await using scene = await openResponsesScene();
    const [victim, survivor] = await Promise.all([
      scene.gateway("victim"),
      scene.gateway("survivor"),
    ]);
    const customer = await scene.customer();
    const exchange = stream(victim, customer);
    await exchange.answer;
    await victim.kill();
    const id = await idOf(exchange);
    const on = await ask(survivor, customer, "/v1/responses", {
      model: "talk",
      input: "Why?",
      previous_response_id: id,
    });
    assert.equal(on.status, 200, JSON.stringify(on.json));
    assert.equal(scene.asked.at(-1)?.length, 3);
    await until("both are charged", async () => {
      const { chargedNano } = await totals(scene.db, customer.accountId);
      return chargedNano === priceOf(1) + priceOf(3);
    });
    await scene.verifyLedger();
  });

  test("that nobody was told of costs no more than what was noted, when its process dies between the two", async () => {
    await using scene = await openResponsesScene();
    const [victim, survivor] = await Promise.all([
      scene.gateway("victim"),
      scene.gateway("survivor"),
    ]);
    const customer = await scene.customer();
    // Its room waits until its hold is known to the journal, so that can be kept waiting next.
    const room = await lockRoom(scene, customer);
    const exchange = stream(victim, customer);
    await exchange.seen("response.output_text.delta");
    await until("it is noted", async () => (await liveHolds(scene.db)).length === 1);
    await using journal = await lock(
      scene,
      `SELECT FROM ledger.journals WHERE journal_id IN (SELECT journal_id FROM ledger.unfinished WHERE account_id = $1) FOR UPDATE`,
      [customer.accountId],
    );
    await waitingFor(scene, "victim", "responses.keep");
    await room.release();
    await waitingFor(scene, "victim", "ledger.pages");
    const [kept] = await keptOf(scene, customer);
    assert.ok(kept !== undefined, "kept, and not charged yet");
    assert.ok(!exchange.received().includes(ENDED), "nor told");
    const dying = await waitingFor(scene, "victim", "ledger.pages");
    await victim.kill();
    await scene.db.query("SELECT pg_terminate_backend($1)", [dying]);
    await journal.release();
    assert.equal((await ask(survivor, customer, `/v1/responses/${kept}`)).status, 200);
    await until(
      "its hold has ended",
      async () => (await liveHolds(scene.db)).length === 0,
      WITHIN_MS,
    );
    const ended = await endings(scene.db, customer.accountId);
    assert.equal(ended.length, 1);
    const { chargedNano, heldNano } = await totals(scene.db, customer.accountId);
    assert.ok(chargedNano <= priceOf(1) && heldNano === 0n);
    await scene.verifyLedger();
  });

  test("was never kept when its process died before, and nobody was told that it is", async () => {
    await using scene = await openResponsesScene();
    const [victim, survivor] = await Promise.all([
      scene.gateway("victim"),
      scene.gateway("survivor"),
    ]);
    const customer = await scene.customer();
    const room = await lockRoom(scene, customer);
    const exchange = stream(victim, customer);
    await exchange.seen("response.output_text.delta");
    const dying = await waitingFor(scene, "victim", "responses.keep");
    await victim.kill();
    await scene.db.query("SELECT pg_terminate_backend($1)", [dying]);
    await room.release();
    assert.ok(!exchange.received().includes(ENDED));
    const id = await idOf(exchange);
    const refused = await ask(survivor, customer, "/v1/responses", {
      model: "talk",
      input: "Why?",
      previous_response_id: id,
    });
    assert.equal(refused.status, 400);
    await until(
      "its hold has ended",
      async () => (await liveHolds(scene.db)).length === 0,
      WITHIN_MS,
    );
    assert.deepEqual(await keptOf(scene, customer), []);
    await scene.verifyLedger();
  });
});
