/**
 * Guarantee: several serving processes on one port act as one gateway: one that is killed is
 * replaced and its holds are ended, the figures add up, and a stop ends all of them
 * (contract §1, §6; hazards §302).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatExchange } from "../support/post-chat.ts";
import { createGate, type Gate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds } from "./books.ts";
import { INPUT_TOKEN_NANO, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";
import { openMoneyScene, roubles, type MoneyScene } from "./money-scene.ts";

const STREAMS = 8;
const MOST_TRIES = 8;
const RECOVERY_MS = 60_000;
const USAGE = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
const PRICE = 10n * INPUT_TOKEN_NANO + 3n * OUTPUT_TOKEN_NANO;
const EVENTS = openAiStream({ pieces: ["one", " two", " three"], usage: USAGE });

/** Streams stop after two of three pieces until the gate opens. */
async function openScene(finish: Gate): Promise<MoneyScene> {
  const scene = await openMoneyScene(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, 3));
    await finish.wait;
    await exchange.sendAll(EVENTS.slice(3));
    exchange.end();
  });
  return {
    ...scene,
    async [Symbol.asyncDispose]() {
      // A test that failed leaves streams that no stop would wait out.
      finish.open();
      await scene[Symbol.asyncDispose]();
    },
  };
}

/** Both processes listen. */
/** Well below the drain that a process left behind goes through. */
const START_LOST_MS = 30_000;

async function startTwo(
  scene: MoneyScene,
  name = "workers",
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const gateway = await scene.gateway(name, { env: { WORKERS: "2", DRAIN_SECONDS: "30", ...env } });
  await gateway.logged((line) => line.msg === "all serving processes listen");
  return gateway;
}

function ask(gateway: Gateway, secret: string): ChatExchange {
  return postChat(gateway.url, secret, {
    model: "talk",
    stream: true,
    messages: [{ role: "user", content: "Count to three." }],
  });
}

/** Process ids of the serving processes, in the order of their start. */
function servingPids(gateway: Gateway): number[] {
  return gateway
    .log()
    .flatMap((line) =>
      line.msg === "listening" && typeof line["pid"] === "number" ? [line["pid"]] : [],
    );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function childrenOf(pid: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "pid=,stat=", "--ppid", String(pid)]);
  return stdout.split("\n").filter((line) => line.trim() !== "" && !line.includes("Z"));
}

/** Opens streams until each process has some of them. */
async function streamsOnBoth(
  scene: MoneyScene,
  gateway: Gateway,
  secret: string,
): Promise<ChatExchange[]> {
  const streams: ChatExchange[] = [];
  // On a busy machine one process may take all of the first connections.
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const more = Array.from({ length: STREAMS }, () => ask(gateway, secret));
    streams.push(...more);
    await Promise.all(more.map((stream) => stream.seen(" two")));
    const owners = await until("all streams are noted", async () => {
      const rows = await scene.db.query<{ streams: bigint }>(
        "SELECT j.owner_id, count(*) AS streams FROM ledger.unfinished JOIN ledger.journals j USING (journal_id) GROUP BY j.owner_id",
      );
      const noted = rows.reduce((sum, row) => sum + Number(row.streams), 0);
      return noted === streams.length && rows;
    });
    if (owners.length === 2) return streams;
  }
  return assert.fail(`${streams.length} streams, and one process has them all`);
}

async function completedRequests(gateway: Gateway): Promise<number> {
  const text = await (
    await fetch(`${gateway.url}/metrics`, { headers: { connection: "close" } })
  ).text();
  const lines = text
    .split("\n")
    .filter(
      (line) =>
        line.startsWith("tollgate_chat_requests_total{") && line.includes('state="completed"'),
    );
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

async function expectWhole(stream: ChatExchange): Promise<void> {
  const { body, broken } = await stream.answer;
  assert(!broken && body.toString().endsWith("data: [DONE]\n\n"));
}

suite("two serving processes", { concurrency: true, timeout: 240_000 }, () => {
  test("one is killed: it is replaced, its holds are ended, the other's streams go on, and the stop is orderly", async (t) => {
    const finish = createGate();
    await using scene = await openScene(finish);
    const gateway = await startTwo(scene);
    const customer = await scene.customer(roubles(1000));
    const streams = await streamsOnBoth(scene, gateway, customer.secret);
    await until("all of it is saved", async () =>
      (await liveHolds(scene.db)).every((hold) => hold.recordedNano > 0n),
    );
    const before = await liveHolds(scene.db);

    const [victim, other] = servingPids(gateway);
    assert(victim !== undefined && other !== undefined);
    process.kill(victim, "SIGKILL");
    const killedAt = performance.now();
    const reported = await gateway.logged(
      (line) =>
        line.msg === "a serving process ended; starting another" && line["worker"] === victim,
    );
    assert.match(String(reported["hint"]), /memory ran out/);
    await until("another has taken its place", async () => servingPids(gateway).length === 3);

    // A client that lost its stream was told by a broken connection; no other noticed.
    finish.open();
    const answers = await Promise.all(streams.map((stream) => stream.answer));
    const lost = answers.filter((answer) => answer.broken);
    assert(lost.length > 0 && lost.length < streams.length);
    await Promise.all(
      Array.from({ length: STREAMS }, async () => expectWhole(ask(gateway, customer.secret))),
    );
    const left = async (): Promise<number> => (await liveHolds(scene.db)).length;
    await until(
      "the holds of the killed process have ended",
      async () => (await left()) === 0,
      RECOVERY_MS,
    );
    t.diagnostic(
      `${lost.length} holds were ended ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the kill`,
    );
    const ended = await endings(scene.db);
    const recovered = ended.filter((ending) => ending.recovered === true);
    assert.equal(recovered.length, lost.length);
    for (const { id, state, chargedNano } of recovered) {
      assert.deepEqual(
        [state, chargedNano],
        ["interrupted", before.find((hold) => hold.id === id)?.recordedNano],
      );
    }
    const whole = ended.filter((ending) => ending.recovered === null);
    assert.deepEqual(
      whole.map(({ state, chargedNano }) => [state, chargedNano]),
      Array.from({ length: streams.length + STREAMS - lost.length }, () => ["completed", PRICE]),
    );

    await gateway.stop();
    for (const pid of servingPids(gateway)) assert(!isAlive(pid));
    await scene.verifyLedger();
  });

  test("both serve, /metrics adds them up whichever is asked", async () => {
    const finish = createGate();
    finish.open();
    await using scene = await openScene(finish);
    const gateway = await startTwo(scene);
    const customer = await scene.customer(roubles(1000));
    const servedBy = (): Set<unknown> =>
      new Set(gateway.log().flatMap((line) => (line.msg === "request" ? [line["pid"]] : [])));
    let served = 0;
    for (let tries = 0; tries < MOST_TRIES && servedBy().size < 2; tries++) {
      await Promise.all(
        Array.from({ length: STREAMS }, async () => expectWhole(ask(gateway, customer.secret))),
      );
      served += STREAMS;
      await gateway.logged((line) => line.msg === "request");
    }
    assert.deepEqual(servedBy(), new Set(servingPids(gateway)));
    for (let turn = 0; turn < 4; turn++) assert.equal(await completedRequests(gateway), served);
  });

  test("a stop lets the streams of both finish, and one that comes while a process is being replaced is orderly too", async () => {
    const finish = createGate();
    await using scene = await openScene(finish);
    const gateway = await startTwo(scene);
    const customer = await scene.customer(roubles(1000));
    const streams = await streamsOnBoth(scene, gateway, customer.secret);
    const [victim] = servingPids(gateway);
    assert(victim !== undefined);
    process.kill(victim, "SIGKILL");
    await gateway.logged((line) => line.msg === "a serving process ended; starting another");
    await until("another is there", async () => (await childrenOf(gateway.pid)).length === 2);
    assert.equal(servingPids(gateway).length, 2, "and does not listen yet");
    gateway.signal("SIGTERM");
    await gateway.logged((line) => line.msg === "draining");
    finish.open();
    const answers = await Promise.all(streams.map((stream) => stream.answer));
    const whole = answers.filter((answer) => !answer.broken);
    assert(whole.length > 0);
    assert.deepEqual(await gateway.ended, { code: 0, signal: null });
  });

  test("the primary is killed: what runs is finished and settled, and no process stays behind", async () => {
    const finish = createGate();
    await using scene = await openScene(finish);
    const gateway = await startTwo(scene);
    const customer = await scene.customer(roubles(1000));
    const streams = await streamsOnBoth(scene, gateway, customer.secret);
    const killed = gateway.kill();
    await until(
      "both drain",
      async () => gateway.log().filter((line) => line.msg === "draining").length === 2,
    );
    finish.open();
    await Promise.all(streams.map(expectWhole));
    await killed;
    await until("nobody is left", async () => servingPids(gateway).every((pid) => !isAlive(pid)));
    assert.deepEqual(await liveHolds(scene.db), []);
    await scene.verifyLedger();
  });

  test("a port that is taken ends the start, and no process stays behind or takes another's place", async () => {
    await using scene = await openScene(createGate());
    const first = await startTwo(scene);
    const began = performance.now();
    // It has ended when no process holds its output any more, so also those that it started.
    await assert.rejects(startTwo(scene, "late", { PORT: new URL(first.url).port }));
    assert.ok(performance.now() - began < START_LOST_MS);
    assert.deepEqual(
      await scene.db.query("SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'late%'"),
      [],
    );
  });
});
