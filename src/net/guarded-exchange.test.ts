/**
 * Protects: an exchange that is over before it began reaches no server, and ends for the reason
 * that was given.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FETCH_LIMITS } from "./fetch-limits.ts";
import { exchange, type ExchangeRequest } from "./guarded-exchange.ts";
import { answerOf, createPeers, type Peer } from "../../test/support/loopback-peers.ts";

const peers = createPeers();
after(() => peers.close());

function requestTo(peer: Peer): ExchangeRequest {
  const target = {
    url: new URL(`http://${peer.host}/`),
    hostname: "127.0.0.1",
    addresses: ["127.0.0.1"],
  };
  return {
    ...target,
    method: "GET",
    headers: {},
    body: null,
    maxBytes: 100,
    headersMs: 1000,
    limits: FETCH_LIMITS,
  };
}

test("a signal that is aborted already opens no connection", async () => {
  const peer = await peers.listen(answerOf(200));
  const reason = new Error("before");
  await assert.rejects(
    exchange(requestTo(peer), AbortSignal.abort(reason)),
    (error) => error === reason,
  );
  await assert.rejects(exchange(requestTo(peer), AbortSignal.abort("why")), {
    message: "aborted",
    cause: "why",
  });
  await new Promise(setImmediate);
  assert.equal(peer.visits, 0);
});

test("a header that cannot be sent is an error of ours, not of the URL", async () => {
  const peer = await peers.listen(answerOf(200));
  await assert.rejects(
    exchange({ ...requestTo(peer), headers: { "x-bad": "a\r\nb" } }, new AbortController().signal),
    {
      name: "InvalidArgumentError",
    },
  );
});
