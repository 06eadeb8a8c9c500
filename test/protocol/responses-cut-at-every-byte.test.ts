/**
 * Guarantee: at whatever byte an upstream of any protocol stops, a caller of Responses gets one of
 * completed and failed as the end of a whole stream, whose every event is as the public reference
 * says and as the official SDK reads it; else an error by HTTP. What was delivered is charged
 * (contract §13).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import {
  CUT_QUESTION,
  CUT_TEXT,
  cutStream,
  expectationOf,
  insistOnCut,
} from "../support/cut-answer.ts";
import { telling } from "../support/pair-answers.ts";
import {
  askPair,
  generatedIn,
  pairName,
  pairsCatalogue,
  PROTOCOLS,
  type Pair,
} from "../support/protocol-pairs.ts";
import type { Exchange, Handler } from "../support/scripted-upstream.ts";

let scene: ChatScene;
let rich: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
  rich = await scene.customer({ roubles: "1000000" });
});
after(() => scene.close());

/** Fewer than the failures in a row for which a route is left alone. */
const LANES = 12;
/** Of events that do not say the text, of which there are many and long ones, one byte of so many. */
const STEP = 16;

function ask(pair: Pair, handler: Handler) {
  const { user } = scene.play(handler);
  return askPair(scene, rich.secret, pair, { content: CUT_QUESTION, user, stream: true }).answer;
}

/** How many of these events have come whole with so many bytes of them. */
function wholeIn(sizes: readonly number[], bytes: number, clean: boolean): number {
  // After a clean end the last event needs no blank line.
  const missing = clean ? 2 : 0;
  let length = 0;
  const cut = sizes.findIndex((size) => {
    length += size;
    return length - missing > bytes;
  });
  return cut < 0 ? sizes.length : cut;
}

/** Where to cut; what every byte does to the stream is proved without a network, beside its writers. */
function cutsOf(events: readonly string[]): number[] {
  let start = 0;
  const cuts = events.flatMap((event) => {
    const from = start;
    const size = Buffer.byteLength(event);
    start += size;
    const step = CUT_TEXT.includes(generatedIn(event)) ? 1 : STEP;
    return Array.from({ length: Math.ceil(size / step) }, (_, at) => from + at * step);
  });
  return [...cuts, start];
}

for (const upstream of PROTOCOLS) {
  const pair: Pair = { caller: "responses", upstream };
  const events = cutStream(upstream);
  const sizes = events.map((event) => Buffer.byteLength(event));
  const bytes = Buffer.from(events.join(""));
  const good = telling(upstream, { pieces: ["Да"], tokens: { input: 17, output: 9 } });

  for (const [name, clean, stop] of [
    ["a clean end", true, (exchange: Exchange) => exchange.end()],
    ["a lost connection", false, (exchange: Exchange) => exchange.destroy()],
  ] as const) {
    test(`${pairName(pair)}: ${name} after each byte of the text, and of the rest`, async () => {
      const cuts = cutsOf(events).values();
      const lane = async (): Promise<void> => {
        for (const cut of cuts) {
          const passed = events.slice(0, wholeIn(sizes, cut, clean));
          const expected = expectationOf(pair, passed, clean);
          const answer = await ask(pair, async (exchange) => {
            if (cut > 0) await exchange.send(bytes.subarray(0, cut));
            else exchange.head();
            stop(exchange);
          });
          const where = `after ${cut} bytes, the last event ${passed.at(-1) ?? "none"}`;
          await insistOnCut(scene, pair, answer, expected, where);
          // So that the route is not left alone for its failures.
          if (!expected.begun) assert.equal((await ask(pair, good)).status, 200);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    });
  }
}

test("the books agree after all of this", () => scene.verifyBooks());
