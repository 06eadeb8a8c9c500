/**
 * Guarantee: in every pairing of protocols a stream comes under headers that let it through every
 * proxy piece by piece, and none of its upstream's own (hazards §41, §104, §109, §135).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { pairAnswer } from "../support/pair-answers.ts";
import {
  askPair,
  isLastEvent,
  eventsOf,
  pairName,
  PAIRS,
  pairsCatalogue,
} from "../support/protocol-pairs.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
});
after(() => scene.close());

/** What a vendor's own edge adds, and what would be untrue of the bytes that go on. */
const UPSTREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "public, max-age=600",
  "set-cookie": "vendor=1",
  "x-request-id": "vendor-request",
  "request-id": "vendor-request",
  "openai-organization": "operators-own",
  "x-ratelimit-remaining-tokens": "149984",
};

for (const pair of PAIRS) {
  test(`${pairName(pair)}: the headers of a stream, and nothing behind its end`, async () => {
    const { secret } = await scene.customer();
    const { user } = scene.play(async (exchange) => {
      exchange.head(200, UPSTREAM_HEADERS);
      const { events } = pairAnswer(pair.upstream, {
        pieces: ["При", "вет"],
        tokens: { input: 17, output: 9 },
      });
      await exchange.sendAll(events);
      await exchange.send(": behind the end\n\n");
      exchange.end();
    });
    const asked = askPair(scene, secret, pair, {
      content: "?",
      user,
      stream: true,
      maxTokens: 100,
      headers: { "accept-encoding": "gzip, deflate, br, zstd" },
    });
    const { status, headers, body: stream, broken, requestId } = await asked.answer;
    assert.deepEqual([status, broken], [200, false]);
    const reported = [
      "content-type",
      "cache-control",
      "x-accel-buffering",
      "content-encoding",
      "content-length",
      "set-cookie",
    ];
    assert.deepEqual(
      reported.map((name) => headers[name]),
      ["text/event-stream; charset=utf-8", "no-cache", "no", undefined, undefined, undefined],
    );
    assert.match(requestId, /^req_/);
    assert.equal(headers["request-id"], requestId);
    assert.equal(headers["openai-organization"], undefined);
    assert.notEqual(headers["x-ratelimit-remaining-tokens"], "149984");
    const events = eventsOf(stream);
    assert.ok(isLastEvent(events.at(-1) ?? ""), `the last event: ${events.at(-1)}`);
  });
}
