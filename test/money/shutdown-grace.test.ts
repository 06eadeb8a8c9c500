/**
 * Guarantee: between SIGTERM and the drain a process says that it is not ready and serves all the
 * same, each connection for one more answer.
 */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { CALLER_PATHS } from "../support/protocol-pairs.ts";
import { until } from "../support/until.ts";
import { openMoneyScene, roubles, type MoneyScene } from "./money-scene.ts";

const ANSWER = {
  pieces: ["one", " two"],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};
/** Longer than any test: only a second signal ends it. */
const LONG_GRACE = "3600";
/** Signals that come sooner count as one. */
const ANOTHER_WISH_MS = 1_700;

function openScene(): Promise<MoneyScene> {
  return openMoneyScene(async (exchange) => {
    const { stream } = exchange.request.json() as { stream?: boolean };
    if (stream !== true) return exchange.json(200, openAiCompletion(ANSWER));
    await exchange.sendAll(openAiStream(ANSWER));
    exchange.end();
  });
}

async function expectServed(gateway: Gateway, secret: string): Promise<void> {
  for (const rest of [{ stream: true }, { max_tokens: 10 }]) {
    const body = { model: "talk", messages: [{ role: "user", content: "hello" }], ...rest };
    const { status, headers, broken } = await postChat(gateway.url, secret, body).answer;
    assert.deepEqual([status, headers.connection, broken], [200, "close", false]);
  }
}

/**
 * One GET on a connection that is kept; resolves to its status, and what the answer says of the
 * connection.
 */
function get(
  url: string,
  agent: Agent,
): Promise<readonly [number | undefined, string | undefined]> {
  const { promise, resolve, reject } =
    Promise.withResolvers<readonly [number | undefined, string | undefined]>();
  const asked = request(url, { agent }, (response) => {
    response.resume().on("end", () => resolve([response.statusCode, response.headers.connection]));
  });
  asked.on("error", reject).end();
  return promise;
}

suite("a process that is told to stop, and has a grace", { concurrency: true }, () => {
  for (const workers of ["1", "2"]) {
    test(`with WORKERS=${workers}: it is not ready, serves on, closes idle connections by their next answer, and drains after a second signal`, async () => {
      await using scene = await openScene();
      const gateway = await scene.gateway(`grace ${workers}`, {
        env: { SHUTDOWN_GRACE_SECONDS: LONG_GRACE, WORKERS: workers },
      });
      if (workers !== "1")
        await gateway.logged((line) => line.msg === "all serving processes listen");
      const customer = await scene.customer(roubles(100));
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      assert.deepEqual(await get(`${gateway.url}/healthz`, agent), [200, "keep-alive"]);

      gateway.signal("SIGTERM");
      // Connections are spread over the processes: each of them has heard of it.
      for (let inARow = 0; inARow < 8;) {
        const answer = await fetch(`${gateway.url}/readyz`, { headers: { connection: "close" } });
        await answer.arrayBuffer();
        inARow = answer.status === 503 ? inARow + 1 : 0;
      }
      assert.deepEqual(await get(`${gateway.url}/healthz`, agent), [200, "close"]);
      await sleep(ANOTHER_WISH_MS);
      await expectServed(gateway, customer.secret);

      gateway.signal("SIGTERM");
      assert.deepEqual(await gateway.ended, { code: 0, signal: null });
      agent.destroy();
    });
  }

  test("by its own end it drains, and Ctrl-C waits for no grace at all", async () => {
    await using scene = await openScene();
    const [patient, interrupted] = await Promise.all([
      scene.gateway("patient", { env: { SHUTDOWN_GRACE_SECONDS: "1" } }),
      scene.gateway("interrupted", { env: { SHUTDOWN_GRACE_SECONDS: LONG_GRACE } }),
    ]);
    patient.signal("SIGTERM");
    interrupted.signal("SIGINT");
    assert.deepEqual(await patient.ended, { code: 0, signal: null });
    assert.deepEqual(await interrupted.ended, { code: 0, signal: null });
  });

  test("a refusal closes its connection only behind the whole request, so that it can be read", async () => {
    await using scene = await openScene();
    const gateway = await scene.gateway("refusing", {
      env: { SHUTDOWN_GRACE_SECONDS: LONG_GRACE },
    });
    gateway.signal("SIGTERM");
    await until(
      "it is not ready",
      async () => (await fetch(`${gateway.url}/readyz`)).status === 503,
    );
    // Larger than what the connection takes by itself: it is being sent when the refusal is
    // written.
    const body = JSON.stringify({
      model: "talk",
      messages: [{ role: "user", content: "x".repeat(20_000_000) }],
    });
    for (const path of [...Object.values(CALLER_PATHS), "/v1/tasks/none"]) {
      const { status } = await postChat(gateway.url, "tg_live_none", body, path).answer;
      assert.equal(status, 401, path);
    }
    await sleep(ANOTHER_WISH_MS);
    gateway.signal("SIGTERM");
    assert.deepEqual(await gateway.ended, { code: 0, signal: null });
  });
});
