/**
 * Guarantee: an upstream's stream that stops between any two events never looks complete to
 * anybody, in its own protocol or in another; what was delivered is charged (hazards §7 and §9;
 * contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { CUT_QUESTION, cutStream, expectationOf, insistOnCut } from "../support/cut-answer.ts";
import {
  askPair,
  eventsOf,
  generatedIn,
  pairName,
  PAIRS,
  pairsCatalogue,
} from "../support/protocol-pairs.ts";
import type { Exchange } from "../support/scripted-upstream.ts";

let scene: ChatScene;
let rich: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
  rich = await scene.customer({ roubles: "1000000" });
});
after(() => scene.close());

for (const [name, clean, stop] of [
  ["a clean end", true, (exchange: Exchange) => exchange.end()],
  ["a lost connection", false, (exchange: Exchange) => exchange.destroy()],
] as const) {
  for (const pair of PAIRS) {
    const events = cutStream(pair.upstream);
    const script = (count: number) => async (exchange: Exchange) => {
      exchange.head();
      await exchange.sendAll(events.slice(0, count));
      stop(exchange);
    };

    test(`${pairName(pair)}, streamed: ${name} after each of ${events.length} events`, async () => {
      await Promise.all(
        Array.from({ length: events.length + 1 }, async (_, count) => {
          const expected = expectationOf(pair, events.slice(0, count), clean);
          const where = `after ${count} events, the last ${events[count - 1] ?? "none"}`;
          const { user } = scene.play(script(count));
          const answer = await askPair(scene, rich.secret, pair, {
            content: CUT_QUESTION,
            user,
            stream: true,
          }).answer;
          await insistOnCut(scene, pair, answer, expected, where);
        }),
      );
    });

    test(`${pairName(pair)}, assembled: ${name} after each of ${events.length} events`, async () => {
      await Promise.all(
        Array.from({ length: events.length + 1 }, async (_, count) => {
          const expected = expectationOf(pair, events.slice(0, count), clean);
          const where = `after ${count} events, the last ${events[count - 1] ?? "none"}`;
          // The worst case, 12 roubles, is more than a quarter of this, so the answer is put
          // together from a stream.
          const modest = await scene.customer({ roubles: "45" });
          const play = scene.play(script(count));
          const answer = await askPair(scene, modest.secret, pair, {
            content: CUT_QUESTION,
            user: play.user,
            stream: false,
          }).answer;
          assert.equal(
            ((await play.asked).json() as { stream?: boolean }).stream,
            true,
            "it is put together from a stream",
          );
          assert.deepEqual(
            [answer.status, answer.broken],
            [expected.complete ? 200 : 502, false],
            where,
          );
          const { state, chargedNano } = await scene.receipt(answer.requestId);
          assert.deepEqual(
            [state, chargedNano],
            expected.complete ? ["completed", expected.charge] : ["failed", 0n],
            where,
          );
          assert.equal((await scene.money(modest.accountId)).held, 0n, where);
        }),
      );
    });
  }
}

for (const pair of PAIRS.filter(({ caller, upstream }) => caller !== upstream)) {
  test(`${pairName(pair)}: Cyrillic and emoji come whole, at whatever byte the upstream's packets are cut`, async () => {
    const events = cutStream(pair.upstream);
    const reported = events.map(generatedIn);
    const bytes = Buffer.from(events.join(""));
    // Within the events that say something: of others Responses have many, and long ones.
    const cuts = events
      .flatMap((event, at) => {
        const start = Buffer.byteLength(events.slice(0, at).join(""));
        const length = reported[at] === "" ? 0 : Buffer.byteLength(event);
        return Array.from({ length }, (_, within) => start + within);
      })
      .values();
    const ask = async (parts: readonly Buffer[], where: string): Promise<void> => {
      const { user } = scene.play(async (exchange) => {
        await exchange.sendAll(parts);
        exchange.end();
      });
      const answer = await askPair(scene, rich.secret, pair, {
        content: CUT_QUESTION,
        user,
        stream: true,
      }).answer;
      assert.deepEqual(
        [answer.status, answer.broken, eventsOf(answer.body).map(generatedIn).join("")],
        [200, false, reported.join("")],
        where,
      );
    };
    const lane = async (): Promise<void> => {
      for (const cut of cuts)
        await ask([bytes.subarray(0, cut), bytes.subarray(cut)], `cut before byte ${cut}`);
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    await ask(
      Array.from(bytes, (byte) => Buffer.from([byte])),
      "byte by byte",
    );
  });
}

test("the books agree after all of this", () => scene.verifyBooks());
