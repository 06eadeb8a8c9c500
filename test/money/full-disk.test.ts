/**
 * Guarantee: on a full disk of the database a caller is told the reason, and so is who asks for
 * readiness; with room again all is well.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openDatabase } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { VERSION } from "../../src/process/project-root.ts";
import { openGatewayWithin } from "../support/gateway-within.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { createGate, startScriptedUpstream, type Handler } from "../support/scripted-upstream.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { startTlsCluster } from "../support/tls-cluster.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds } from "./books.ts";
import { moneyCatalogue } from "./money-catalogue.ts";

const DISK_MEGABYTES = 200;

/** Asks whether a gateway is ready. */
async function readiness(url: string): Promise<readonly [number, string]> {
  const response = await fetch(`${url}/readyz`);
  const { checks } = (await response.json()) as { checks: { database: string } };
  return [response.status, checks.database];
}

/**
 * A gateway whose database has a small disk; null, and the test is skipped, where there cannot be
 * one.
 */
async function openOnSmallDisk(t: TestContext, answer: Handler) {
  const disk = openSmallDisk(t, DISK_MEGABYTES);
  if (disk === null) return null;
  const cluster = await startTlsCluster({
    ssl: false,
    access: "host all all 127.0.0.1/32 trust\n",
    folder: disk.path,
  });
  const opened = new AsyncDisposableStack();
  t.after(() => opened.disposeAsync());
  opened.defer(() => cluster.stop());
  const url = cluster.address();
  await migrate({
    url,
    directory: join(import.meta.dirname, "../../migrations"),
    version: VERSION,
    log: () => undefined,
  });
  const db = openDatabase({ url, poolSize: 4, applicationName: "test", onError: () => undefined });
  opened.defer(() => db.close());
  const upstream = await startScriptedUpstream(answer);
  opened.defer(() => upstream.close());
  const gateway = await openGatewayWithin({
    database: { url, db, drop: async () => undefined },
    catalogue: moneyCatalogue(upstream.url),
    env: { SCRIPTED_API_KEY: "x", LOG_LEVEL: "silent" },
  });
  opened.defer(() => gateway.stop());
  opened.defer(() => disk.makeRoom());
  const accountId = await newAccount(db, "1000");
  const { secret } = await newKey(db, accountId);
  return {
    db,
    upstream,
    accountId,
    ready: () => readiness(gateway.url),
    ask: (
      headers: Record<string, string> = {},
    ): Promise<{ readonly status: number; readonly body: Buffer }> =>
      postChat(gateway.url, secret, BODY, undefined, headers).answer,
    fill: () => disk.fill(),
    makeRoom: () => disk.makeRoom(),
    async insistSettled() {
      await until("nothing is held", async () => (await liveHolds(db)).length === 0);
      for (const { chargedNano, receiptNano, kind } of await endings(db, accountId))
        if (kind === "charge") assert.equal(chargedNano, receiptNano);
    },
  };
}

const BODY = { model: "talk", max_tokens: 10, messages: [{ role: "user", content: "hello" }] };
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const NO_ROOM = /"The gateway's database has no room left on its disk\. Try again later\."/;
const FULL = [503, "its disk is full"];

test(
  "an idempotent chat on a full disk is refused with the reason and not charged, and readiness says so until there is room",
  { timeout: 90_000 },
  async (t) => {
    // What it answers has to be kept in pages that are not there yet.
    const answer = openAiCompletion({ pieces: ["x".repeat(3_000_000)], usage: USAGE });
    const scene = await openOnSmallDisk(t, (exchange) => exchange.json(200, answer));
    if (scene === null) return;
    const ask = (key: string) => scene.ask({ "idempotency-key": key });
    assert.equal((await ask("before")).status, 200);
    assert.deepEqual(await scene.ready(), [200, "ok"]);

    scene.fill();
    const refused = await ask("full");
    assert.equal(refused.status, 503);
    assert.match(refused.body.toString(), NO_ROOM);
    assert.deepEqual(await scene.ready(), FULL);
    // The next one does not cost its upstream anything.
    const calls = scene.upstream.requests.length;
    assert.equal((await ask("full, too")).status, 503);
    assert.equal(scene.upstream.requests.length, calls);

    scene.makeRoom();
    await until("it is ready", async () => (await scene.ready())[0] === 200);
    for (const key of ["full", "after"]) assert.equal((await ask(key)).status, 200);
    await scene.insistSettled();
  },
);

/** Far more holds than fit into the pages that a new database has. */
const MOST_HOLDS = 400;

test(
  "a full disk that only holds have met is told to their callers, and by readiness until there is room",
  { timeout: 90_000 },
  async (t) => {
    const gate = createGate();
    const scene = await openOnSmallDisk(t, async (exchange) => {
      await gate.wait;
      exchange.json(200, openAiCompletion({ pieces: ["hello"], usage: USAGE }));
    });
    if (scene === null) return;
    assert.deepEqual(await scene.ready(), [200, "ok"]);
    scene.fill();
    const answers: ReturnType<typeof scene.ask>[] = [];
    const refused: { readonly status: number; readonly body: Buffer }[] = [];
    while (refused.length === 0) {
      assert.ok(answers.length < MOST_HOLDS, "every hold found room");
      const answer = scene.ask();
      answers.push(answer);
      void answer.then((one) => refused.push(one));
      await until(
        "it is held or refused",
        async () => refused.length > 0 || scene.upstream.requests.length === answers.length,
      );
    }
    assert.deepEqual([refused.length, refused[0]?.status], [1, 503]);
    assert.match(refused[0]?.body.toString() ?? "", NO_ROOM);
    assert.deepEqual(await scene.ready(), FULL);

    scene.makeRoom();
    await until("it is ready", async () => (await scene.ready())[0] === 200);
    gate.open();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [503],
    );
    await scene.insistSettled();
  },
);
