/**
 * Protects: a file is counted and hashed exactly, is held back only until its type can be known,
 * and is never taken faster than it is stored.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { pipeline, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createMeter, type Meter } from "./meter.ts";

const TOO_LARGE = new Error("too large");

function meterOf(source: Readable, limitBytes = 2 ** 30): Meter {
  const meter = createMeter({ limitBytes, headBytes: 4_100, overLimit: () => TOO_LARGE });
  meter.stream.on("error", () => undefined);
  pipeline(source, meter.stream, () => undefined);
  return meter;
}

test("whatever the pieces, all bytes come out, counted and hashed, and the head is what they begin with", async () => {
  for (const size of [1, 4_099, 4_100, 4_101, 70_000]) {
    const content = randomBytes(size);
    for (const piece of [1, 7, 4_100, 65_536]) {
      if (size / piece > 10_000) continue;
      const pieces = Array.from({ length: Math.ceil(size / piece) }, (_, index) =>
        content.subarray(index * piece, (index + 1) * piece),
      );
      const meter = meterOf(Readable.from(pieces, { objectMode: false }));
      const [head, out] = await Promise.all([meter.head, buffer(meter.stream)]);
      assert.deepEqual(head.bytes, content.subarray(0, 4_100));
      assert.equal(head.whole, size <= 4_100, `${size} in pieces of ${piece}`);
      assert.deepEqual(out, content);
      assert.equal(meter.bytes, size);
      assert.deepEqual(meter.sha256(), createHash("sha256").update(content).digest());
    }
  }
});

test("nothing is a whole head of nothing", async () => {
  const meter = meterOf(Readable.from([], { objectMode: false }));
  const [head, out] = await Promise.all([meter.head, buffer(meter.stream)]);
  assert.deepEqual([head.bytes.length, head.whole, out.length], [0, true, 0]);
});

test("a sender is held up until what it sends is stored", async () => {
  let sent = 0;
  const source = new Readable({
    read() {
      sent += 65_536;
      this.push(Buffer.alloc(65_536));
    },
  });
  const meter = meterOf(source);
  await meter.head;
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  assert.ok(sent <= 8 * 65_536, `${sent} bytes were taken that nobody had stored`);
  const error = once(source, "error");
  meter.stream.destroy();
  await error;
  assert.ok(source.destroyed);
});

test("an end before the head is known ends the wait for it", async () => {
  const source = new Readable({ read: () => undefined });
  const meter = meterOf(source);
  source.push(Buffer.alloc(10));
  const broken = new Error("broken");
  source.destroy(broken);
  await assert.rejects(meter.head, broken);
  await assert.rejects(meterOf(Readable.from([Buffer.alloc(11)]), 10).head, TOO_LARGE);
});
