/**
 * Guarantee: a process that stood still until another ended its holds gives none of their answers
 * whole, and books nothing more for them (contract §6).
 */
// Runs beside the others: it waits half a minute for the lease of a process that stands still.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { createGate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { assertResponseStream, responseEvents } from "../support/strict-response.ts";
import { endings, liveHolds, totals } from "./books.ts";
import { halt } from "./halt.ts";
import { openMoneyScene, roubles } from "./money-scene.ts";

/** Until a process that stands still is believed dead, and its holds are ended. */
const WITHIN_MS = 90_000;
const PIECES = ["one", " two", " three", " four"];
const USAGE = { prompt_tokens: 8, completion_tokens: 4, total_tokens: 12 };
const EVENTS = openAiStream({ pieces: PIECES, usage: USAGE });
/** The role and two pieces. */
const HALF = 3;

test(
  "streamed, whole and assembled answers, and a response, whose end had been made",
  { timeout: 240_000 },
  async () => {
    const gate = createGate();
    await using scene = await openMoneyScene(async (exchange) => {
      const { stream } = exchange.request.json() as { stream?: boolean };
      if (stream !== true) {
        await gate.wait;
        return exchange.json(200, openAiCompletion({ pieces: PIECES, usage: USAGE }));
      }
      await exchange.sendAll(EVENTS.slice(0, HALF));
      await gate.wait;
      await exchange.sendAll(EVENTS.slice(HALF));
      exchange.end();
    });
    const [still] = await Promise.all([scene.gateway("still"), scene.gateway("survivor")]);
    const messages = [{ role: "user", content: "count" }];
    const visit = async (name: string, body: object, path?: string) => {
      const customer = await scene.customer(roubles(50));
      return { name, customer, exchange: postChat(still.url, customer.secret, body, path) };
    };
    const visits = await Promise.all([
      visit("streamed", { model: "talk", stream: true, messages }),
      visit("whole", { model: "talk", max_tokens: 50, messages }),
      // The worst case is too much for the balance to be held at once.
      visit("assembled", { model: "talk", messages }),
      visit("response", { model: "talk", stream: true, input: messages }, "/v1/responses"),
    ]);
    const [streamed, whole, assembled, response] = visits;
    await Promise.all([streamed.exchange.seen(" two"), response.exchange.seen(" two")]);
    const saved = async (): Promise<boolean> =>
      (await liveHolds(scene.db)).filter((hold) => hold.recordedNano > 0n).length === 3;
    await until("the streams are saved", saved);

    using halted = halt(still);
    await until(
      "the survivor has ended the holds",
      async () => (await liveHolds(scene.db)).length === 0,
      WITHIN_MS,
    );
    const ended = await endings(scene.db);
    const states = ended.map(({ state }) => state).toSorted();
    assert.deepEqual(states, ["failed", "failed", "interrupted", "interrupted"]);
    gate.open();
    halted.goOn();

    const cut = await streamed.exchange.answer;
    const text = cut.body.toString();
    assert.ok(cut.broken && !text.includes("[DONE]") && text.includes('"code":"overloaded"'), text);
    // It is to be kept, so its end is made before its money is settled, and must not leave.
    const failed = await response.exchange.answer;
    const shown = assertResponseStream(responseEvents(failed.body));
    assert.partialDeepStrictEqual(
      [failed.broken, shown["status"], shown["error"], shown["store"]],
      [true, "failed", { code: "server_error" }, false],
    );
    for (const { name, exchange } of [whole, assembled]) {
      const { status, headers } = await exchange.answer;
      assert.deepEqual(
        [name, status, headers["retry-after"], headers["x-tollgate-cost"]],
        [name, 503, "1", undefined],
      );
    }
    assert.deepEqual(await endings(scene.db), ended);
    for (const { customer } of visits) {
      const { heldNano, chargedNano, receiptsNano } = await totals(scene.db, customer.accountId);
      assert.deepEqual([heldNano, receiptsNano], [0n, chargedNano]);
    }
    await scene.verifyLedger();
  },
);
