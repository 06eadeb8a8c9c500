/**
 * Guarantee: the places of a process that is killed come free when its lease has run out, and what
 * runs elsewhere keeps its own however long it runs.
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAiStream } from "../support/openai-stream.ts";
import { createGate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { openLimitsScene } from "./limits-scene.ts";

const EVENTS = openAiStream({
  pieces: ["one", " two"],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
});
/** A lease of thirty seconds, and the rounds of those who look. */
const FREE_WITHIN_MS = 90_000;

test("kill -9 of one of two processes with running requests", { timeout: 180_000 }, async () => {
  const finish = createGate();
  await using scene = await openLimitsScene(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, 2));
    await finish.wait;
    await exchange.sendAll(EVENTS.slice(2));
    exchange.end();
  });
  try {
    const { secret, key } = await scene.customer({ key: { maxConcurrent: 3 } });
    const stream = (at: 0 | 1) => scene.ask(at, secret, { stream: true });
    const living = stream(0);
    const dying = [stream(1), stream(1)];
    await Promise.all([living, ...dying].map((each) => each.seen("one")));
    await scene.gateways[1].kill();
    const refused = await stream(0).answer;
    assert.deepEqual(
      [refused.status, refused.headers["x-ratelimit-remaining-concurrent"]],
      [429, "0"],
    );

    const places = (): Promise<unknown[]> =>
      scene.db.query("SELECT FROM limits.running WHERE subject_id = $1", [key.keyId]);
    await until(
      "the places of the dead are free",
      async () => (await places()).length === 1,
      FREE_WITHIN_MS,
    );
    // Longer than any lease by now, and still counted: two more fit, and no third.
    const more = [stream(0), stream(0)];
    await Promise.all(more.map((each) => each.seen("one")));
    assert.equal((await stream(0).answer).status, 429);
    finish.open();
    for (const each of [living, ...more]) assert.equal((await each.answer).broken, false);
    assert.equal((await places()).length, 0);
  } finally {
    // A test that failed leaves streams that no stop would wait out.
    finish.open();
  }
});
