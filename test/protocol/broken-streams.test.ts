/**
 * Guarantee: a stream that its upstream breaks off, at whatever byte, never looks complete; what
 * was delivered of it is charged (hazards §7 and §37).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import type { Exchange } from "../support/scripted-upstream.ts";

let scene: ChatScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openChatScene();
  customer = await scene.customer({ roubles: "100000" });
});
after(() => scene.close());

const MESSAGES = [{ role: "user", content: "Count to two hundred" }];
const PROMPT_TOKENS = 13;
const PIECES = [" one", " two"];
const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
/** Role, two pieces, finish, usage, [DONE]. */
const EVENTS = openAiStream({ id: "c", model: "m", created: 1, pieces: PIECES, usage: USAGE });
const BYTES = Buffer.concat(EVENTS);
const ROLE = 1;
const FINISH = 4;
const USAGE_CHUNK = 5;

/** What must come of the first `cut` bytes. */
function expectationOf(cut: number, clean: boolean) {
  let whole = 0;
  let length = 0;
  // After a clean end the last event needs no blank line.
  const missing = clean ? 2 : 0;
  while (length + (EVENTS[whole]?.length ?? Infinity) - missing <= cut)
    length += EVENTS[whole++]?.length ?? 0;
  const words = Math.max(0, Math.min(PIECES.length, whole - ROLE));
  const counted = words === 0 ? 0n : standardPrice({ input: PROMPT_TOKENS, output: words });
  return {
    begun: words > 0,
    complete: whole === EVENTS.length || (clean && whole >= FINISH),
    // The usage waits for the end, to show what was charged.
    delivered: Buffer.concat(EVENTS.slice(0, Math.min(whole, FINISH)))
      .toString()
      .replaceAll('"model":"m"', '"model":"standard"'),
    shown:
      whole >= USAGE_CHUNK ? USAGE : { prompt_tokens: PROMPT_TOKENS, completion_tokens: words },
    charge: whole >= USAGE_CHUNK ? standardPrice({ input: 17, output: 9 }) : counted,
  };
}

/**
 * One good answer. A route that failed twenty times in a row would be left alone, so every failure
 * here is made up for.
 */
async function well(): Promise<void> {
  const play = scene.play((exchange) =>
    exchange.json(200, openAiCompletion({ pieces: PIECES, usage: USAGE })),
  );
  const body = { model: "standard", messages: MESSAGES, user: play.user };
  assert.equal((await postChat(scene.gateway.url, customer.secret, body).answer).status, 200);
}

const LANES = 12;

for (const [name, clean, stop] of [
  ["a clean end", true, (exchange: Exchange) => exchange.end()],
  ["a lost connection", false, (exchange: Exchange) => exchange.destroy()],
] as const) {
  test(`cut at every byte by ${name}: what came whole is passed on and charged, and only a whole answer ends as one`, async () => {
    const play = scene.play(async (exchange) => {
      const { seed } = exchange.request.json() as { seed: number };
      if (seed > 0) await exchange.send(BYTES.subarray(0, seed));
      else exchange.head();
      stop(exchange);
    });
    const cuts = Array.from({ length: BYTES.length + 1 }, (_, index) => index).values();
    const lane = async (): Promise<void> => {
      for (const cut of cuts) {
        const body = {
          model: "standard",
          messages: MESSAGES,
          user: play.user,
          seed: cut,
          stream: true,
          stream_options: { include_usage: true },
        };
        const answer = await postChat(scene.gateway.url, customer.secret, body).answer;
        const text = answer.body.toString();
        const { begun, complete, delivered, shown, charge } = expectationOf(cut, clean);
        const where = `cut at byte ${cut}, after ${JSON.stringify(delivered.slice(-40))}`;
        assert.deepEqual(
          [answer.status, answer.broken],
          begun ? [200, !complete] : [502, false],
          where,
        );
        if (!begun) await well();
        if (complete) {
          const [, usage = "{}"] =
            /^data: \{[^\n]+"choices":\[\],"usage":(\{[^\n]+\})\}\n\ndata: \[DONE\]\n\n$/.exec(
              text.slice(delivered.length),
            ) ?? [];
          assert.partialDeepStrictEqual(JSON.parse(usage), shown, where);
        } else if (begun)
          assert.match(text.slice(delivered.length), /^data: \{"error":\{[^\n]+\}\}\n\n$/, where);
        if (begun) assert.ok(text.startsWith(delivered), where);
        const { state, chargedNano } = await scene.receipt(answer.requestId);
        assert.deepEqual(
          [state, chargedNano],
          [complete ? "completed" : begun ? "interrupted" : "failed", charge],
          where,
        );
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  });
}

const BODIES = {
  "a JSON error": JSON.stringify({ error: { message: "something is wrong", type: "whatever" } }),
  "an error event": `data: ${JSON.stringify({ error: { message: "something is wrong", type: "whatever" } })}\n\n`,
  "a page": "<!doctype html><html><body>Bad gateway</body></html>",
  nothing: "",
};

test("whatever body comes with whatever status and type instead of an answer, the client gets an HTTP error, streamed or not", async () => {
  const cells = Object.entries(BODIES).flatMap(([name, body]) =>
    ["text/event-stream", "application/json", "text/html"].flatMap((type) =>
      [200, 400, 422, 500, 503].flatMap((status) =>
        [true, false].map((stream) => ({ name, body, type, status, stream })),
      ),
    ),
  );
  const left = cells.values();
  const lane = async (): Promise<void> => {
    for (const { name, body, type, status, stream } of left) {
      const cell = `${name} as ${type} with status ${status}, stream: ${stream}`;
      const play = scene.play(async (exchange) => {
        exchange.head(status, { "content-type": type });
        if (body !== "") await exchange.send(body);
        exchange.end();
      });
      const answer = await postChat(scene.gateway.url, customer.secret, {
        model: "standard",
        messages: MESSAGES,
        user: play.user,
        stream,
      }).answer;
      const expected = status === 400 || status === 422 ? 400 : 502;
      assert.deepEqual([answer.status, answer.broken], [expected, false], cell);
      const { error } = JSON.parse(answer.body.toString()) as { error: { message: string } };
      assert.ok(error.message !== "" && !error.message.includes("<"), cell);
      assert.equal((await scene.receipt(answer.requestId)).chargedNano, 0n, cell);
      await well();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
});

test("the books agree after all of this", () => scene.verifyBooks());
