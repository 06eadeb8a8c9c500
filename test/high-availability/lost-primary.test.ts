/**
 * Guarantee: where PostgreSQL runs under Patroni with a synchronous standby, the loss of the primary
 * under load costs the requests of some seconds and no money: two gateways serve again without a
 * restart, and every answer that a customer got is charged once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../src/db/database.ts";
import { NANO_PER_ROUBLE } from "../../src/kernel/money.ts";
import { endings, liveHolds, totals } from "../money/books.ts";
import { FIXED_ROUBLES, moneyCatalogue } from "../money/money-catalogue.ts";
import { runHaProxy } from "../proxies/haproxy.ts";
import { findProgram } from "../support/find-program.ts";
import { freePort } from "../support/free-port.ts";
import { startGateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { startScriptedUpstream } from "../support/scripted-upstream.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { patroniMissing, startPatroniCluster, type PatroniNode } from "./patroni-cluster.ts";

const CLIENTS = 8;
/** As many good answers as prove that it serves, before and after. */
const ENOUGH = 200;
const PAUSE_MS = 20;
/** An answer takes some PAUSE_MS; one that took longer has waited for a primary. */
const FELT_MS = 2_000;
const PATIENCE_MS = 180_000;
const ANSWER = openAiCompletion({
  pieces: ["Yes."],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

interface Asked {
  readonly beganAt: number;
  readonly endedAt: number;
  /** A status, `broken`, or the error. */
  readonly outcome: string;
  /** Where there was an answer. */
  readonly requestId: string | null;
}

/** The address of the primary, whichever it is: as docs/production.md has it, with shorter times. */
function primaryProxy(nodes: readonly PatroniNode[], port: number): string {
  const servers = nodes.map(
    ({ name, databasePort, restPort }) =>
      `    server ${name} 127.0.0.1:${databasePort} check port ${restPort}`,
  );
  return `
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
frontend database
    bind 127.0.0.1:${port}
    default_backend primary
backend primary
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}

test(
  "a primary that is lost under load costs some requests, and no money",
  { skip: patroniMissing(), timeout: 600_000 },
  async (t) => {
    await using cluster = await startPatroniCluster();
    const port = await freePort();
    await using proxy = await runHaProxy(findProgram("haproxy") ?? "", {
      config: primaryProxy(cluster.nodes, port),
      url: `tcp://127.0.0.1:${port}`,
      backend: "primary",
    });
    const before = await cluster.primary();
    await until("the proxy leads to the primary", () => proxy.isUp(before));
    const password = await cluster.makeDatabase("tollgate");
    const databaseUrl = `postgresql://tollgate:${password}@127.0.0.1:${port}/tollgate`;

    const upstream = await startScriptedUpstream(async (exchange) => {
      await sleep(PAUSE_MS);
      exchange.json(200, ANSWER);
    });
    const start = () =>
      startGateway({
        databaseUrl,
        catalogue: moneyCatalogue(upstream.url),
        env: { SCRIPTED_API_KEY: "scripted" },
      });
    const gateways = [await start(), await start()];
    const db = openDatabase({
      url: databaseUrl,
      poolSize: 2,
      applicationName: "tollgate test books",
      onError: () => {},
    });
    try {
      const accountId = await newAccount(db, "1000000");
      const { secret } = await newKey(db, accountId);
      const asked: Asked[] = [];
      let over = false;
      async function client(number: number): Promise<void> {
        const url = gateways[number % gateways.length]?.url ?? "";
        const body = { model: "fixed", messages: [{ role: "user", content: "hello" }] };
        while (!over) {
          const beganAt = performance.now();
          const answered = await postChat(url, secret, body).answer.then(
            ({ status, broken, requestId }) => ({
              outcome: broken ? "broken" : String(status),
              requestId,
            }),
            (error: unknown) => ({ outcome: String(error), requestId: null }),
          );
          asked.push({ ...answered, beganAt, endedAt: performance.now() });
          if (answered.outcome !== "200") await sleep(PAUSE_MS);
        }
      }
      const good = (since: number): Asked[] =>
        asked.filter(({ outcome, beganAt }) => outcome === "200" && beganAt >= since);
      const load = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));

      await until("it serves", async () => good(0).length >= ENOUGH, PATIENCE_MS);
      const lostAt = performance.now();
      await cluster.lose(before);
      await until("it serves again", async () => good(lostAt).length >= ENOUGH, PATIENCE_MS);
      over = true;
      await load;
      const after = await cluster.primary();
      assert.notEqual(after, before);

      const [first] = good(lostAt).toSorted((one, other) => one.endedAt - other.endedAt);
      const failed = asked.filter(({ outcome }) => outcome !== "200");
      const counts = Map.groupBy(failed, ({ outcome }) => outcome);
      const figures = {
        asked: asked.length,
        failed: failed.length,
        byOutcome: Object.fromEntries([...counts].map(([outcome, all]) => [outcome, all.length])),
        secondsToServeAgain: Number((((first?.endedAt ?? 0) - lostAt) / 1000).toFixed(1)),
      };
      t.diagnostic(JSON.stringify(figures));
      // All who were let in may wait for the next primary, and get their answers.
      const waited = asked.filter(({ beganAt, endedAt }) => endedAt - beganAt > FELT_MS);
      assert.ok(failed.length + waited.length > 0, "the loss is felt");
      // Before and after, nothing fails: what failed was under way or came while there was none.
      const lastGood = Math.max(...good(0).map(({ endedAt }) => endedAt));
      for (const { beganAt, endedAt, outcome } of failed)
        assert.ok(endedAt >= lostAt && beganAt <= lastGood, outcome);

      await until("nothing is held", async () => (await liveHolds(db)).length === 0, PATIENCE_MS);
      const ended = await endings(db, accountId);
      const charges = Map.groupBy(
        ended.filter(({ kind }) => kind === "charge"),
        ({ id }) => `req_${id.replaceAll("-", "")}`,
      );
      for (const { requestId } of good(0)) {
        const own = charges.get(requestId ?? "") ?? [];
        assert.deepEqual(
          own.map(({ chargedNano }) => chargedNano),
          [FIXED_ROUBLES * NANO_PER_ROUBLE],
          `${requestId} is charged once`,
        );
      }
      const { chargedNano, receiptsNano, heldNano } = await totals(db, accountId);
      assert.equal(chargedNano, receiptsNano);
      assert.equal(heldNano, 0n);
      await createTollgateCommand({ DATABASE_URL: databaseUrl }).verifyLedger();

      cluster.comeBack(before);
      await cluster.follows(before);
      assert.equal(await cluster.primary(), after, "the one that came back follows");
    } finally {
      await db.close();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await upstream.close();
    }
  },
);
