/**
 * Protects, on a disk and in a bucket alike: an object is stored whole or not at all, and read as
 * it was stored.
 */
import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/until.ts";
import {
  PART_BYTES,
  bytesOf,
  failingAfter,
  sha256,
  someBytes,
  stallingAfter,
  streamOf,
} from "./some-bytes.ts";
import { STORAGE_KINDS, openStoragePlace } from "./storage-places.ts";

const PICTURE = { contentType: "image/png" };

for (const kind of STORAGE_KINDS) {
  describe(`storage on ${kind}`, () => {
    test("what was put is read, byte for byte, whatever its size", async () => {
      await using place = await openStoragePlace(kind);
      assert.equal(place.storage.kind, kind);
      for (const length of [
        0,
        1,
        65_536,
        1_000_003,
        PART_BYTES - 1,
        PART_BYTES,
        PART_BYTES + 1,
        2 * PART_BYTES,
        12_000_000,
      ]) {
        const bytes = someBytes(length);
        const key = `of${length}.bin`;
        assert.deepEqual(await place.storage.put(key, streamOf(bytes), PICTURE), { bytes: length });
        assert.equal(await place.storage.size(key), length);
        assert.equal(
          sha256(await bytesOf(await place.storage.read(key))),
          sha256(bytes),
          `${length} bytes`,
        );
      }
    });

    test("a range gives its bytes, both ends included, as far as they exist", async () => {
      await using place = await openStoragePlace(kind);
      const bytes = someBytes(300_000);
      await place.storage.put("ranges", streamOf(bytes), PICTURE);
      for (const [first, last] of [
        [0, 0],
        [0, 1],
        [299_999, 299_999],
        [0, 299_999],
        [100_000, 200_000],
        [299_990, 400_000],
        [300_000, 300_000],
        [500_000, 600_000],
      ] as const) {
        const part = await bytesOf(await place.storage.read("ranges", { first, last }));
        assert.ok(
          part.equals(bytes.subarray(first, last + 1)),
          `${first}-${last} gave ${part.length} bytes`,
        );
      }
      for (const [first, last] of [
        [-1, 5],
        [5, 4],
        [0.5, 2],
        [0, Number.NaN],
      ] as const) {
        await assert.rejects(place.storage.read("ranges", { first, last }), /range/);
      }
    });

    test("what is not there has no size and no bytes, and counts as removed", async () => {
      await using place = await openStoragePlace(kind);
      await place.storage.put("here.bin", streamOf(someBytes(10)), PICTURE);
      assert.equal(await place.storage.size("nothere.bin"), null);
      assert.equal(await place.storage.read("nothere.bin"), null);
      assert.equal(await place.storage.read("nothere.bin", { first: 0, last: 5 }), null);
      await place.storage.remove([]);
      await place.storage.remove(["nothere.bin"]);
      await place.storage.remove(["nothere.bin", "here.bin", "norhere.bin"]);
      assert.equal(await place.storage.size("here.bin"), null);
      assert.deepEqual(await place.everything(), []);
    });

    test("a source that fails leaves nothing, wherever it fails", async () => {
      await using place = await openStoragePlace(kind);
      for (const length of [0, 100_000, PART_BYTES, PART_BYTES + 1, 12_000_000]) {
        const failure = new Error(`after ${length}`);
        const source = failingAfter(someBytes(length), failure);
        await assert.rejects(place.storage.put("broken.bin", source, PICTURE), failure);
        assert.ok(source.destroyed);
        assert.deepEqual(await place.everything(), [], `after ${length} bytes`);
      }
    });

    test("a source that is cut off without a word is a failure, not an end", async () => {
      await using place = await openStoragePlace(kind);
      const source = new PassThrough();
      source.write(someBytes(10_000));
      setImmediate(() => source.destroy());
      await assert.rejects(place.storage.put("cutoff.bin", source, PICTURE), {
        code: "ERR_STREAM_PREMATURE_CLOSE",
      });
      assert.deepEqual(await place.everything(), []);
    });

    test("a source that fails before its first byte is asked for does not end the process", async () => {
      await using place = await openStoragePlace(kind);
      const failure = new Error("at once");
      const source = new PassThrough();
      const stored = place.storage.put("atonce.bin", source, PICTURE);
      source.destroy(failure);
      await assert.rejects(stored, failure);
      await assert.rejects(place.storage.put("before.bin", source, PICTURE), failure);
      assert.deepEqual(await place.everything(), []);
    });

    test("a source that was read before is refused, not stored empty", async () => {
      await using place = await openStoragePlace(kind);
      const source = streamOf(someBytes(1000));
      await bytesOf(source);
      await assert.rejects(place.storage.put("again.bin", source, PICTURE), /read before/);
      assert.deepEqual(await place.everything(), []);
    });

    test("an abort ends the write with its reason and leaves nothing, even while the source gives nothing", async () => {
      await using place = await openStoragePlace(kind);
      const reason = new Error("the caller went away");
      const early = streamOf(someBytes(1000));
      await assert.rejects(
        place.storage.put("early.bin", early, { ...PICTURE, signal: AbortSignal.abort(reason) }),
        reason,
      );
      assert.ok(early.destroyed);
      for (const length of [0, 1000, 12_000_000]) {
        const { source, taken } = stallingAfter(someBytes(length));
        const controller = new AbortController();
        const stored = place.storage.put("stalled.bin", source, {
          ...PICTURE,
          signal: controller.signal,
        });
        await taken;
        controller.abort(reason);
        await assert.rejects(stored, reason);
        assert.ok(source.destroyed);
        assert.deepEqual(await place.everything(), [], `after ${length} bytes`);
      }
    });

    test("puts at the same time do not mix", async () => {
      await using place = await openStoragePlace(kind);
      const all = Array.from({ length: 8 }, (_, each) => ({
        key: `many${each}.bin`,
        bytes: someBytes(6_000_000 + each),
      }));
      await Promise.all(
        all.map(({ key, bytes }) => place.storage.put(key, streamOf(bytes), PICTURE)),
      );
      for (const { key, bytes } of all)
        assert.equal(sha256(await bytesOf(await place.storage.read(key))), sha256(bytes));
      await place.storage.remove(all.map(({ key }) => key));
      assert.deepEqual(await place.everything(), []);
    });

    test("a key of another form is refused by every operation", async () => {
      await using place = await openStoragePlace(kind);
      const { storage } = place;
      const presign = {
        seconds: 60,
        contentType: "image/png",
        contentDisposition: null,
        cacheControl: "private",
      };
      const foreign = [
        "",
        "a",
        "../aa",
        "aa/bb",
        "..",
        ".tmp",
        "a.",
        "aa.",
        ".aa",
        "aa\0",
        "aa\n",
        "Aa",
        "aa.PNG",
        "aa.png.png",
        "ää",
        "a".repeat(65),
      ];
      for (const key of [...foreign, "aa.ninechars", "%2e%2e", "aa\\bb", "/etc/passwd"]) {
        await assert.rejects(
          storage.put(key, Readable.from([Buffer.from("x")]), PICTURE),
          { name: "InvariantError" },
          key,
        );
        for (const ask of [
          () => storage.read(key),
          () => storage.size(key),
          () => storage.remove(["fine", key]),
        ]) {
          await assert.rejects(ask, { name: "InvariantError" }, key);
        }
        assert.throws(() => storage.localPath(key), { name: "InvariantError" }, key);
        await assert.rejects(
          async () => storage.presign(key, presign),
          { name: "InvariantError" },
          key,
        );
      }
      assert.deepEqual(await place.everything(), []);
    });

    test("a sweep takes no unfinished write that is young, and no finished one at all", async () => {
      await using place = await openStoragePlace(kind);
      await place.storage.put("finished.bin", streamOf(someBytes(100)), PICTURE);
      const { source, taken } = stallingAfter(someBytes(12_000_000));
      const controller = new AbortController();
      const stored = place.storage.put("unfinished.bin", source, {
        ...PICTURE,
        signal: controller.signal,
      });
      await taken;
      await until(
        "the write has left its trace",
        async () => (await place.everything()).length === 2,
      );
      assert.equal(await place.storage.sweepUnfinished(60_000), 0);
      assert.equal((await place.everything()).length, 2);
      controller.abort();
      await assert.rejects(stored, { name: "AbortError" });
      assert.equal(await place.storage.sweepUnfinished(-60_000), 0);
      assert.equal(await place.storage.size("finished.bin"), 100);
    });

    test("check passes where all is well, and leaves nothing", async () => {
      await using place = await openStoragePlace(kind);
      await place.storage.check();
      assert.deepEqual(await place.everything(), []);
    });

    test("a slow reader gets everything", async () => {
      await using place = await openStoragePlace(kind);
      const bytes = someBytes(4_000_000);
      await place.storage.put("slow.bin", streamOf(bytes), PICTURE);
      const chunks: Buffer[] = [];
      const stream = await place.storage.read("slow.bin");
      assert.ok(stream !== null);
      for await (const chunk of stream) {
        chunks.push(chunk as Buffer);
        if (chunks.length % 8 === 0) await sleep(20);
      }
      assert.equal(sha256(Buffer.concat(chunks)), sha256(bytes));
    });
  });
}
