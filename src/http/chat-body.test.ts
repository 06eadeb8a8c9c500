/** Guarantee: reading a body ends, whatever its sender does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Fault } from "../kernel/faults.ts";
import { readBody } from "./chat-body.ts";

function incoming(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

const isFault = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test("a body comes whole, up to its limit", async () => {
  const request = incoming();
  const body = readBody(request, 6, 60_000);
  request.write("При".slice(0, 1));
  request.end("вет".slice(0, 2));
  assert.equal((await body).toString(), "Пве");
});

test("the memory of a large body's pieces is given back, not that of pieces that share theirs", async () => {
  const request = incoming();
  const body = readBody(request, 300_000, 60_000);
  const shared = Buffer.alloc(64).fill("s");
  const pieces = [Buffer.alloc(100_000, "a"), shared.subarray(0, 10), Buffer.alloc(100_000, "b")];
  for (const piece of pieces) request.write(piece);
  request.end();
  assert.equal(
    (await body).toString(),
    `${"a".repeat(100_000)}${"s".repeat(10)}${"b".repeat(100_000)}`,
  );
  assert.deepEqual(
    pieces.map((piece) => piece.length),
    [0, 10, 0],
  );
  assert.equal(shared.toString(), "s".repeat(64));
});

test("more than the limit is refused as soon as it is passed, declared or not", async () => {
  await assert.rejects(
    readBody(incoming({ "content-length": "7" }), 6, 60_000),
    isFault("request_too_large"),
  );
  const request = incoming();
  const body = readBody(request, 6, 60_000);
  request.write("1234567");
  await assert.rejects(body, isFault("request_too_large"));
});

test("a sender that leaves, before or during the reading, is not waited for", async () => {
  const during = incoming();
  const body = readBody(during, 6, 60_000);
  during.destroy();
  await assert.rejects(body, isFault("invalid_request"));
  const before = incoming();
  before.destroy();
  await once(before, "close");
  await assert.rejects(readBody(before, 6, 60_000), isFault("invalid_request"));
});

test("a sender that stalls is cut off by the deadline", async () => {
  await assert.rejects(readBody(incoming(), 6, 1), isFault("request_timeout"));
});

test("a compressed body is refused with words that say so", async () => {
  await assert.rejects(
    readBody(incoming({ "content-encoding": "gzip" }), 6, 60_000),
    isFault("unsupported_media_type"),
  );
});
