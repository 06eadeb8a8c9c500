/**
 * Guarantee: whenever a process is killed, stands still or is stopped, a request with an
 * idempotency key that is sent again is answered whole and charged exactly once (contract §6;
 * hazards §14, §15).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { parseRequestId } from "../../src/kernel/ids.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer, type ChatExchange } from "../support/post-chat.ts";
import { createGate, type Exchange } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { endings, liveHolds, totals } from "./books.ts";
import { halt } from "./halt.ts";
import { INPUT_TOKEN_NANO, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";
import { openMoneyScene, roubles, type MoneyCustomer, type MoneyScene } from "./money-scene.ts";

/** Until a dead process is believed dead, and its holds are ended. */
const WITHIN_MS = 90_000;
/** Statements of a killed process may wait for a lock for as long as the test needs it. */
const PATIENT_SESSIONS = { lock_timeout: "30000", statement_timeout: "30000" };
const PIECES = ["Раз", " two", " three", " четыре", " five", " six"];
const USAGE = { prompt_tokens: 8, completion_tokens: 6, total_tokens: 14 };
const EVENTS = openAiStream({ pieces: PIECES, usage: USAGE });
const COST = 8n * INPUT_TOKEN_NANO + 6n * OUTPUT_TOKEN_NANO;

interface Visit {
  readonly name: string;
  readonly customer: MoneyCustomer;
  send(by: Gateway): ChatExchange;
  /** How often the upstream has been asked. */
  calls(): number;
}

interface Stage extends AsyncDisposable {
  readonly scene: MoneyScene;
  /** A stream whose first call says this; every later one is answered whole. */
  visit(name: string, first?: (exchange: Exchange) => Promise<unknown>): Promise<Visit>;
}

async function well(exchange: Exchange): Promise<void> {
  await exchange.sendAll(EVENTS);
  exchange.end();
}

async function openStage(): Promise<Stage> {
  const firsts = new Map<string, (exchange: Exchange) => Promise<unknown>>();
  const calls = new Map<string, number>();
  const scene = await openMoneyScene(async (exchange) => {
    const { messages } = exchange.request.json() as { messages: { content: string }[] };
    const name = messages[0]?.content ?? "";
    const count = (calls.get(name) ?? 0) + 1;
    calls.set(name, count);
    await (count === 1 ? (firsts.get(name) ?? well) : well)(exchange);
  });
  return {
    scene,
    async visit(name, first = well) {
      firsts.set(name, first);
      const customer = await scene.customer(roubles(100));
      const body = { model: "talk", stream: true, messages: [{ role: "user", content: name }] };
      return {
        name,
        customer,
        send: (by) =>
          postChat(by.url, customer.secret, body, "/v1/chat/completions", {
            "idempotency-key": name,
          }),
        calls: () => calls.get(name) ?? 0,
      };
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

interface Locks extends AsyncDisposable {
  release(): Promise<void>;
}

/** Keeps every page and grant of the processes waiting that have these requests, each by itself. */
async function lockJournals(scene: MoneyScene, visits: readonly Visit[]): Promise<Locks> {
  const clients = await Promise.all(visits.map((visit) => lockJournal(scene, visit)));
  let released: Promise<unknown> | null = null;
  const release = async (): Promise<void> => {
    released ??= Promise.all(clients.map((client) => client.end()));
    await released;
  };
  return { release, [Symbol.asyncDispose]: release };
}

async function lockJournal(scene: MoneyScene, { customer }: Visit): Promise<Client> {
  const client = new Client({ connectionString: scene.url });
  await client.connect();
  await client.query("BEGIN");
  const { rowCount } = await client.query(
    `SELECT FROM ledger.journals WHERE journal_id IN (SELECT journal_id FROM ledger.unfinished WHERE account_id = $1) FOR UPDATE`,
    [customer.accountId],
  );
  assert.equal(rowCount, 1);
  return client;
}

/** The server process of a gateway that waits for a lock in this statement. */
function waitingFor(scene: MoneyScene, name: string, statement: string): Promise<number> {
  return until(`${statement} of "${name}" waits`, async () => {
    const [row] = await scene.db.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE application_name LIKE $1 || '%' AND datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $2 || '%'`,
      [name, statement],
    );
    return row?.pid ?? null;
  });
}

function saved(scene: MoneyScene, { name, customer }: Visit): Promise<bigint> {
  return until(`something of "${name}" is saved`, async () => {
    await postAll(scene.db);
    const [row] = await scene.db.query<{ nano: bigint }>(
      `SELECT recorded_nano AS nano FROM ledger.unfinished WHERE account_id = $1`,
      [customer.accountId],
    );
    return row !== undefined && row.nano > 0n && row.nano;
  });
}

/** Comes again as a client would, as long as it is told that the first one still runs. */
async function comeAgain(visit: Visit, by: Gateway): Promise<ChatAnswer> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const answer = await visit.send(by).answer;
    if (answer.status !== 409) return answer;
    assert.ok(performance.now() < deadline, `"${visit.name}" still runs`);
    await sleep(1_000);
  }
}

/** One whole answer, one charge, one receipt for it, and a replay for later tries. */
async function assertAnsweredOnce(
  scene: MoneyScene,
  visit: Visit,
  answer: ChatAnswer,
  by: Gateway,
  lossNano = 0n,
): Promise<void> {
  const { name, customer } = visit;
  assert.equal(answer.status, 200, `${name}: ${answer.body.toString()}`);
  assert.ok(!answer.broken && answer.body.toString().endsWith("data: [DONE]\n\n"), name);
  for (const piece of PIECES) assert.ok(answer.body.includes(piece), name);
  const replay = await visit.send(by).answer;
  assert.deepEqual(
    [replay.headers["idempotent-replayed"], replay.body.toString()],
    ["true", answer.body.toString()],
    name,
  );
  const paid = (await endings(scene.db, customer.accountId)).filter(
    (ending) => ending.kind === "charge",
  );
  assert.deepEqual(
    paid.map((ending) => [ending.chargedNano, ending.receiptNano, ending.state, ending.recovered]),
    [[COST, COST, "completed", null]],
    name,
  );
  const {
    chargedNano,
    heldNano,
    receiptsNano,
    lossNano: lost,
  } = await totals(scene.db, customer.accountId);
  assert.deepEqual([chargedNano, heldNano, receiptsNano, lost], [COST, 0n, COST, lossNano], name);
}

const someOf = (count: number) => async (exchange: Exchange) => {
  await exchange.sendAll(EVENTS.slice(0, count));
  await exchange.hang();
};

suite("a request with an idempotency key", { concurrency: true, timeout: 240_000 }, () => {
  test("outlives the process that is killed at any point of it", async (t) => {
    await using stage = await openStage();
    const { scene } = stage;
    const [survivor, victim, settler] = await Promise.all([
      scene.gateway("survivor"),
      scene.gateway("victim", { sessions: PATIENT_SESSIONS }),
      scene.gateway("settler", { sessions: PATIENT_SESSIONS }),
    ]);
    const asked = createGate();
    const lastByte = createGate();
    const toTheEnd = async (exchange: Exchange): Promise<void> => {
      await exchange.sendAll(EVENTS.slice(0, -1));
      await lastByte.wait;
      await exchange.sendAll(EVENTS.slice(-1));
      exchange.end();
    };
    const calling = await stage.visit("the call", async (exchange) => {
      asked.open();
      await exchange.hang();
    });
    const streaming = await stage.visit("the stream", someOf(5));
    const settling = await stage.visit("the settlement", toTheEnd);
    const settled = await stage.visit("the last bytes", toTheEnd);
    const holding = await stage.visit("the hold");

    const streams = [streaming.send(victim), settling.send(victim), settled.send(settler)];
    void calling.send(victim);
    await asked.wait;
    await Promise.all(
      streams.map((exchange, index) => exchange.seen(index === 0 ? " четыре" : " six")),
    );
    for (const visit of [streaming, settling, settled]) await saved(scene, visit);

    // Each waits for the database at its point; one settlement dies with its process, the other is
    // committed behind its back.
    await using locks = await lockJournals(scene, [settling, settled]);
    const lostNano = await saved(scene, streaming);
    const settlingLostNano = await saved(scene, settling);
    lastByte.open();
    void holding.send(victim);
    const dying = await waitingFor(scene, "victim", "ledger.pages");
    await waitingFor(scene, "settler", "ledger.pages");
    await waitingFor(scene, "victim", "grant_many");
    using _halted = halt(settler);
    await victim.kill();
    await scene.db.query("SELECT pg_terminate_backend($1)", [dying]);
    await locks.release();
    const head = await streams[2]?.head;
    await until("the other settlement is committed", async () => {
      const [ending] = await endings(scene.db, settled.customer.accountId);
      return ending !== undefined && ending.id === parseRequestId(head?.requestId ?? "");
    });
    await settler.kill();
    const killedAt = performance.now();

    const early = await settled.send(survivor).answer;
    assert.deepEqual(
      [early.headers["idempotent-replayed"], settled.calls()],
      ["true", 1],
      "what was charged is there at once",
    );
    for (const visit of [calling, streaming, settling, holding]) {
      const waiting = await visit.send(survivor).answer;
      assert.deepEqual([waiting.status, waiting.headers["retry-after"]], [409, "1"], visit.name);
    }
    const visits = [calling, streaming, settling, holding, settled];
    const answers = await Promise.all(visits.map((visit) => comeAgain(visit, survivor)));
    t.diagnostic(
      `all answered ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the last kill`,
    );
    const losses = [0n, lostNano, settlingLostNano, 0n, 0n];
    for (const [index, visit] of visits.entries()) {
      const answer = answers[index];
      assert.ok(answer !== undefined);
      await assertAnsweredOnce(scene, visit, answer, survivor, losses[index]);
    }
    assert.deepEqual(
      visits.map((visit) => visit.calls()),
      [2, 2, 2, 1, 1],
    );
    assert.deepEqual(await liveHolds(scene.db), []);
    await scene.verifyLedger();
  });

  test("outlives the only process there is", async () => {
    await using stage = await openStage();
    const { scene } = stage;
    const first = await scene.gateway("first");
    const visit = await stage.visit("alone", someOf(5));
    await visit.send(first).seen(" четыре");
    await saved(scene, visit);
    await first.kill();
    const lostNano = await saved(scene, visit);
    const restarted = await scene.gateway("restarted");
    await assertAnsweredOnce(scene, visit, await comeAgain(visit, restarted), restarted, lostNano);
    await scene.verifyLedger();
  });

  test("is not charged twice by a process that stood still for so long that another took it over", async () => {
    await using stage = await openStage();
    const { scene } = stage;
    const [still, survivor] = await Promise.all([
      scene.gateway("still"),
      scene.gateway("survivor"),
    ]);
    const gate = createGate();
    const visit = await stage.visit("stood still", async (exchange) => {
      await exchange.sendAll(EVENTS.slice(0, 4));
      await gate.wait;
      await exchange.sendAll(EVENTS.slice(4));
      exchange.end();
    });
    const slow = visit.send(still);
    await slow.seen(" three");
    await saved(scene, visit);
    using halted = halt(still);
    const lostNano = await saved(scene, visit);
    const answer = await comeAgain(visit, survivor);
    gate.open();
    halted.goOn();
    await slow.answer;
    await assertAnsweredOnce(scene, visit, answer, survivor, lostNano);
    await scene.verifyLedger();
  });

  test("that the end of a drain cuts off is not charged, and whole for the next try", async () => {
    await using stage = await openStage();
    const { scene } = stage;
    const [leaving, other] = await Promise.all([
      scene.gateway("leaving", { env: { DRAIN_SECONDS: "1" } }),
      scene.gateway("other"),
    ]);
    const visit = await stage.visit("cut", someOf(5));
    const cut = visit.send(leaving);
    await cut.seen(" четыре");
    await leaving.stop();
    assert.ok((await cut.answer).broken);
    const { chargedNano, lossNano } = await totals(scene.db, visit.customer.accountId);
    assert.ok(chargedNano === 0n && lossNano > 0n);
    await assertAnsweredOnce(scene, visit, await visit.send(other).answer, other, lossNano);
    await scene.verifyLedger();
  });
});
