/**
 * Guarantee: whenever a process is killed, within a minute every hold of it is ended once, by any
 * other process or by its own restart, at what it had recorded, a whole answer for nothing
 * (contract §6; hazards §14, §15, §18, §301, §302).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { parseRequestId } from "../../src/kernel/ids.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer, type ChatExchange } from "../support/post-chat.ts";
import { createGate, type Exchange, type Gate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds, totals, type Ending, type LiveHold } from "./books.ts";
import { countedPrice } from "./counted-price.ts";
import { atPoint, DECISION_POINTS, WAITING_POINTS, type KillPointAt } from "./kill-points.ts";
import { INPUT_TOKEN_NANO, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";
import { openMoneyScene, roubles, type MoneyCustomer, type MoneyScene } from "./money-scene.ts";

const WITHIN_MS = 60_000;
/** Statements of the killed process may wait for a lock for as long as the test needs it. */
const PATIENT_SESSIONS = { lock_timeout: "30000", statement_timeout: "30000" };
const BURST_CLIENTS = 12;
/** Of all streams together, then the process dies. */
const BURST_CHUNKS = 1_500;
const BURST_PIECES = [
  "One",
  " two",
  " three",
  " four",
  " five",
  " six",
  " seven",
  " eight",
  " nine",
  " ten",
];
const BURST_USAGE = { prompt_tokens: 9, completion_tokens: 10, total_tokens: 19 };
const BURST_NANO = 9n * INPUT_TOKEN_NANO + 10n * OUTPUT_TOKEN_NANO;

interface Visit {
  readonly point: KillPointAt;
  readonly customer: MoneyCustomer;
  readonly exchange: ChatExchange;
}

function messages(content: string): { messages: object[] } {
  return { messages: [{ role: "user", content }] };
}

/** What is noted of a customer who has one request. */
async function holdOf(scene: MoneyScene, customer: MoneyCustomer): Promise<LiveHold | null> {
  const [hold] = await scene.db.query<LiveHold>(
    `SELECT request_id AS id, held_nano AS "heldNano", recorded_nano AS "recordedNano" FROM ledger.unfinished WHERE account_id = $1`,
    [customer.accountId],
  );
  return hold ?? null;
}

/** Sends the request of a point; the upstream knows the point by the request's text. */
async function send(scene: MoneyScene, url: string, point: KillPointAt): Promise<Visit> {
  const customer = await scene.customer(roubles(point.roubles));
  return {
    point,
    customer,
    exchange: postChat(url, customer.secret, { ...point.body, ...messages(point.name) }),
  };
}

/** Waits until everything of the point has happened that shall happen before the kill. */
async function arrive(scene: MoneyScene, { point, customer, exchange }: Visit): Promise<void> {
  if (point.client !== "is slow") await point.reached.wait;
  if (point.client === "leaves") exchange.leave();
  else if (point.seen !== null) await exchange.seen(point.seen);
  if (point.client === "is slow") exchange.pause();
  await until(`"${point.name}" is noted`, async () => {
    const hold = await holdOf(scene, customer);
    return hold !== null && (!point.saved || hold.recordedNano > 0n);
  });
}

interface JournalLock {
  release(): Promise<void>;
}

/** Keeps every page and every grant of the process waiting that has this customer's request. */
async function lockJournal(scene: MoneyScene, customer: MoneyCustomer): Promise<JournalLock> {
  const client = new Client({ connectionString: scene.url });
  await client.connect();
  await client.query("BEGIN");
  const { rowCount } = await client.query(
    `SELECT FROM ledger.journals WHERE journal_id IN (SELECT journal_id FROM ledger.unfinished WHERE account_id = $1) FOR UPDATE`,
    [customer.accountId],
  );
  assert.equal(rowCount, 1);
  return { release: () => client.end() };
}

/** Server processes of a gateway that wait for a lock in this statement. */
function waitingFor(
  scene: MoneyScene,
  name: string,
  statement: string,
): Promise<{ pid: number }[]> {
  return scene.db.query(
    `SELECT pid FROM pg_stat_activity
     WHERE application_name LIKE $1 || '%' AND datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $2 || '%'`,
    [name, statement],
  );
}

/** What the database had still to do for a killed process is done or given up. */
async function sessionsGone(scene: MoneyScene, name: string): Promise<void> {
  await until(`the sessions of "${name}" are gone`, async () => {
    const rows = await scene.db.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE $1 || '%' AND datname = current_database()",
      [name],
    );
    return rows.length === 0;
  });
}

/** With what leases hold. */
async function held(scene: MoneyScene, { accountId }: MoneyCustomer): Promise<bigint> {
  const [row] = await scene.db.query<{ nano: bigint }>(
    `SELECT held_nano AS nano FROM ledger.accounts WHERE account_id = $1`,
    [accountId],
  );
  return row?.nano ?? 0n;
}

async function allEnded(scene: MoneyScene, holds: readonly LiveHold[]): Promise<void> {
  const ids = holds.map((hold) => hold.id);
  const left = async (): Promise<unknown[]> =>
    (await liveHolds(scene.db)).filter(({ id }) => ids.includes(id));
  await until(
    "every hold of the killed process has ended",
    async () => (await left()).length === 0,
    WITHIN_MS,
  );
}

/** By the id of its hold. */
async function endingsById(scene: MoneyScene): Promise<Map<string, Ending>> {
  const all = await endings(scene.db);
  const byId = new Map(all.map((ending) => [ending.id, ending]));
  assert.equal(byId.size, all.length);
  return byId;
}

/**
 * `streamed`: to its caller, who pays for what was saved; of a whole answer he has got nothing.
 * Returns the charge.
 */
function assertRecovered(
  hold: LiveHold,
  ending: Ending | undefined,
  name: string,
  streamed = true,
): bigint {
  assert(ending !== undefined, `${name}: not ended`);
  const { chargedNano, receiptNano, state, recovered } = ending;
  const expected = streamed ? hold.recordedNano : 0n;
  assert.deepEqual(
    { name, chargedNano, receiptNano, state, recovered },
    {
      name,
      chargedNano: expected,
      receiptNano: expected,
      state: expected > 0n ? "interrupted" : "failed",
      recovered: true,
    },
  );
  return chargedNano;
}

suite("a killed process", { concurrency: true, timeout: 240_000 }, () => {
  test("at every point of a request: another process ends its holds at what was recorded", async (t) => {
    const points = new Map<string, KillPointAt>();
    const burst = { chunks: 0, over: createGate() };
    await using scene = await openMoneyScene(async (exchange) => {
      const { model, messages: stated } = exchange.request.json() as {
        model: string;
        messages: { content: string }[];
      };
      const text = stated[0]?.content ?? "";
      const point = points.get(text);
      if (model === "broken") exchange.json(500, { error: { message: "try the other route" } });
      else if (point !== undefined) {
        await point.say(exchange, point.gate);
        point.reached.open();
        await exchange.hang();
      } else await runFreely(exchange, burst);
    });
    const survivor = await scene.gateway("survivor");
    const [victim, second] = await Promise.all([
      scene.gateway("victim", { sessions: PATIENT_SESSIONS }),
      scene.gateway("second victim"),
    ]);
    const visit = (point: KillPointAt): Promise<Visit> => {
      points.set(point.name, point);
      return send(scene, victim.url, point);
    };

    // Streams of the survivor must not notice anything.
    const bystander = { ...atPoint(DECISION_POINTS.settlement), name: "a bystander" };
    points.set(bystander.name, bystander);
    const undisturbed = await send(scene, survivor.url, bystander);
    await undisturbed.exchange.seen(" six");

    const visits = await Promise.all(WAITING_POINTS.map((point) => visit(atPoint(point))));
    const [extension, behind, settlement] = await Promise.all(
      [DECISION_POINTS.extension, DECISION_POINTS.behind, DECISION_POINTS.settlement].map((point) =>
        visit(atPoint(point)),
      ),
    );
    assert(extension !== undefined && behind !== undefined && settlement !== undefined);
    await Promise.all(visits.map((each) => arrive(scene, each)));
    for (const each of [extension, behind, settlement]) {
      await until(
        `something of "${each.point.name}" is saved`,
        async () => ((await holdOf(scene, each.customer))?.recordedNano ?? 0n) > 0n,
      );
    }

    const newcomer = await scene.customer(roubles(1000));
    const lock = await lockJournal(scene, settlement.customer);
    const holding = { ...atPoint(DECISION_POINTS.hold), customer: newcomer };
    void postChat(victim.url, newcomer.secret, { ...holding.body, ...messages(holding.name) });
    settlement.point.gate.open();
    extension.point.gate.open();
    for (const statement of ["grant_many", "ledger.pages"]) {
      await until(
        `${statement} waits`,
        async () => (await waitingFor(scene, "victim", statement)).length > 0,
      );
    }
    behind.point.gate.open();
    await behind.point.reached.wait;

    const [settling] = await waitingFor(scene, "victim", "ledger.pages");
    await victim.kill();
    const killedAt = performance.now();
    // The settlement dies with its process, the grant is committed behind its back.
    await scene.db.query("SELECT pg_terminate_backend($1)", [settling?.pid]);
    await lock.release();
    await sessionsGone(scene, "victim");
    const clients = startBurst(second.url, await scene.customer(roubles(10_000)), burst.over);
    await burst.over.wait;
    await second.kill();
    await sessionsGone(scene, "second victim");
    const burstClients = await clients;

    const survives = parseRequestId((await undisturbed.exchange.head).requestId);
    const orphans = (await liveHolds(scene.db)).filter((hold) => hold.id !== survives);
    const granted = await held(scene, newcomer);
    assert(granted > 0n, "the hold was made");
    const byAccount = new Map(
      (
        await scene.db.query<{ id: string; accountId: string }>(
          `SELECT request_id AS id, account_id AS "accountId" FROM ledger.unfinished`,
        )
      ).map((row) => [row.accountId, row.id]),
    );
    await allEnded(scene, orphans);
    t.diagnostic(
      `${orphans.length} holds ended ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the first kill`,
    );

    const ended = await endingsById(scene);
    const all = [...visits, extension, behind, settlement];
    assert(all.length >= 19);
    for (const { point, customer } of all) {
      const hold = orphans.find((orphan) => orphan.id === byAccount.get(customer.accountId));
      assert(hold !== undefined, `"${point.name}" has no hold after the kill`);
      const charged = assertRecovered(
        hold,
        ended.get(hold.id),
        point.name,
        point.body["stream"] === true,
      );
      if (point.reported === true)
        assert.equal(ended.get(hold.id)?.usageSource, "upstream", point.name);
      assert.equal(hold.recordedNano > 0n, point.saved, point.name);
      const most = await countedPrice({ ...point.body, ...messages(point.name) }, point.delivered);
      assert(
        hold.recordedNano <= most,
        `"${point.name}" is charged ${hold.recordedNano}, delivered was worth ${most}`,
      );
      const { chargedNano, heldNano, receiptsNano, lossNano } = await totals(
        scene.db,
        customer.accountId,
      );
      assert.deepEqual(
        [chargedNano, heldNano, receiptsNano, lossNano],
        [charged, 0n, charged, hold.recordedNano - charged],
        point.name,
      );
    }
    // Nothing of the newcomer's request was ever noted: its money is free again, and that is all.
    await until("the newcomer's money is free", async () => (await held(scene, newcomer)) === 0n);
    assert.equal((await totals(scene.db, newcomer.accountId)).chargedNano, 0n);
    judgeBurst(burstClients, orphans, ended, (line) => t.diagnostic(line));

    bystander.gate.open();
    assert(isWhole(await undisturbed.exchange.answer));
    assert.deepEqual(await liveHolds(scene.db), []);
    await scene.verifyLedger();
  });

  test("alone: its own restart ends its holds", async (t) => {
    await using scene = await openMoneyScene(async (exchange) => {
      await exchange.sendAll(openAiStream({ pieces: BURST_PIECES }).slice(0, 6));
      await exchange.hang();
    });
    const first = await scene.gateway("first");
    const customer = await scene.customer(roubles(100));
    const exchange = postChat(first.url, customer.secret, {
      model: "talk",
      stream: true,
      ...messages("alone"),
    });
    await exchange.seen(" five");
    await until(
      "it is saved",
      async () => ((await holdOf(scene, customer))?.recordedNano ?? 0n) > 0n,
    );
    await first.kill();
    const killedAt = performance.now();
    await sessionsGone(scene, "first");
    const [orphan] = await liveHolds(scene.db);
    assert(orphan !== undefined);
    await scene.gateway("restarted");
    await allEnded(scene, [orphan]);
    t.diagnostic(`ended ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the kill`);
    assertRecovered(orphan, (await endingsById(scene)).get(orphan.id), "alone");
    await scene.verifyLedger();
  });
});

/** A stream at its own pace; the gate opens when all of them have sent so much. */
async function runFreely(
  exchange: Exchange,
  burst: { chunks: number; readonly over: Gate },
): Promise<void> {
  for (const event of openAiStream({ pieces: BURST_PIECES, usage: BURST_USAGE })) {
    if (!(await exchange.send(event))) return;
    burst.chunks += 1;
    if (burst.chunks >= BURST_CHUNKS) burst.over.open();
    await sleep(1);
  }
  exchange.end();
}

function isWhole({ broken, body }: ChatAnswer): boolean {
  return !broken && body.toString().endsWith("data: [DONE]\n\n");
}

interface BurstAnswer {
  readonly requestId: string | null;
  readonly whole: boolean;
}

/** Clients that ask again as soon as they are answered, until the gateway is gone. */
async function startBurst(
  url: string,
  customer: MoneyCustomer,
  over: Gate,
): Promise<BurstAnswer[]> {
  const answers: BurstAnswer[] = [];
  let busy = true;
  void over.wait.then(() => (busy = false));
  async function client(number: number): Promise<void> {
    while (busy) {
      const exchange = postChat(url, customer.secret, {
        model: "talk",
        stream: true,
        ...messages(`burst ${number}`),
      });
      const answer = await exchange.answer.catch(() => null);
      answers.push({
        requestId: answer === null ? null : parseRequestId(answer.requestId),
        whole: answer !== null && isWhole(answer),
      });
    }
  }
  await Promise.all(Array.from({ length: BURST_CLIENTS }, (_, number) => client(number)));
  return answers;
}

/**
 * A request with a whole answer is charged for it, exactly; each of the others is ended at most
 * once. Of what was delivered in the last second before the kill there may be no note.
 */
function judgeBurst(
  answers: readonly BurstAnswer[],
  orphans: readonly LiveHold[],
  ended: ReadonlyMap<string, Ending>,
  tell: (line: string) => void,
): void {
  const whole = answers.filter((answer) => answer.whole);
  assert(whole.length > 0);
  for (const { requestId } of whole) {
    const ending = ended.get(requestId ?? "");
    assert.deepEqual(
      [ending?.state, ending?.chargedNano, ending?.receiptNano],
      ["completed", BURST_NANO, BURST_NANO],
    );
  }
  const broken = answers.filter((answer) => !answer.whole);
  assert(broken.length > 0);
  let settledBefore = 0;
  let unnoted = 0;
  for (const { requestId } of broken) {
    if (requestId === null) continue;
    const orphan = orphans.find((hold) => hold.id === requestId);
    if (orphan !== undefined) assertRecovered(orphan, ended.get(requestId), "burst");
    else if (!ended.has(requestId)) unnoted += 1;
    else {
      // Settled, but the last bytes never left.
      assert.deepEqual(
        [ended.get(requestId)?.state, ended.get(requestId)?.chargedNano],
        ["completed", BURST_NANO],
      );
      settledBefore += 1;
    }
  }
  tell(
    `burst: ${whole.length} answers came whole, ${broken.length} were broken off, ${settledBefore} of those were settled already, ${unnoted} never noted`,
  );
}
