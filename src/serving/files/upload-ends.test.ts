/**
 * Whatever ends an upload, and whenever, it is a stored file or nothing: senders that leave, second
 * tries, broken parts of ours, a drain.
 */
// Runs in a process of its own: the S3 server that it loads changes Node's fs.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { after, afterEach, before, describe, test } from "node:test";
import {
  callOf,
  fillerBytes,
  isFault,
  nameOf,
  openFileScene,
  picture,
  stalled,
  type FileProcess,
  type FileScene,
} from "../../../test/support/file-scene.ts";
import { until } from "../../../test/support/until.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { STORAGE_KINDS } from "../../../test/storage/storage-places.ts";

/** A storage that does this in place of one of its verbs. */
const failing = (change: Partial<ObjectStorage>) => ({
  storage: (real: ObjectStorage): ObjectStorage => ({ ...real, ...change }),
});

for (const kind of STORAGE_KINDS) {
  describe(`files on ${kind}`, () => {
    let scene: FileScene;
    let one: FileProcess;
    before(async () => {
      scene = await openFileScene(kind);
      one = scene.process();
    });
    after(async () => scene[Symbol.asyncDispose]());
    afterEach(async () => {
      await scene.assertWhole();
    });

    test("a sender that leaves or breaks leaves nothing, before the type is known and after it, and when all was sent", async () => {
      const broken = new Error("the connection broke");
      for (const sent of [10, 5_000, 300_000]) {
        await scene.leavesNothing(async () => {
          const source = stalled(Buffer.alloc(sent, 1));
          const receiving = one.uploads.receive(callOf(source));
          receiving.catch(() => undefined);
          await setImmediate();
          source.destroy(broken);
          await assert.rejects(receiving, broken);
        });
        await scene.leavesNothing(async () => {
          const leaving = new AbortController();
          const source = stalled(Buffer.alloc(sent, 1));
          const receiving = one.uploads.receive(callOf(source, { signal: leaving.signal }));
          receiving.catch(() => undefined);
          await until("it is received", async () => source.readableLength === 0);
          leaving.abort(broken);
          await assert.rejects(receiving, broken);
          assert.ok(source.destroyed);
          assert.equal(one.reports.at(-1)?.outcome, "aborted");
        });
      }
      await scene.leavesNothing(async () => {
        const leaving = new AbortController();
        const pending = await one.uploads.receive(
          callOf(fillerBytes(10_000), { signal: leaving.signal }),
        );
        leaving.abort(broken);
        await assert.rejects(pending.commit(), isFault("overloaded"));
        await until("it is discarded", async () => one.reports.at(-1)?.outcome === "discarded");
      });
      await scene.leavesNothing(async () => {
        const pending = await one.uploads.receive(callOf(fillerBytes(10_000)));
        await pending.discard();
        await pending.discard();
      });
      await scene.leavesNothing(() =>
        assert.rejects(
          one.uploads.receive(callOf(fillerBytes(10), { signal: AbortSignal.abort(broken) })),
          broken,
        ),
      );
      assert.equal(one.uploads.active, 0);
    });

    test("a stored file stays when its sender leaves, and when it is discarded afterwards", async () => {
      const leaving = new AbortController();
      const pending = await one.uploads.receive(
        callOf(fillerBytes(10_000), { signal: leaving.signal }),
      );
      const { file: answer } = await pending.commit();
      leaving.abort();
      await pending.discard();
      assert.equal((await one.reader.openFile(nameOf(answer.url))).state, "stored");
      assert.equal(one.reports.at(-1)?.outcome, "stored");
    });

    test("the same file under the same idempotency key is stored once and answered alike; another file is refused", async () => {
      const other = scene.process();
      const key = { keyId: newUuid(), accountId: newUuid() };
      const call = { key, idempotencyKey: newUuid(), fileName: "a.png" };
      const png = await picture();
      const first = await one.upload(png, call);
      await scene.leavesNothing(async () => {
        assert.deepEqual(await other.upload(png, call), first);
        assert.deepEqual(other.reports.at(-1), { outcome: "replayed", bytes: 0 });
        await assert.rejects(
          other.upload(await picture(17), call),
          isFault("idempotency_mismatch"),
        );
        await assert.rejects(
          other.upload(png, { ...call, fileName: "b.png" }),
          isFault("idempotency_mismatch"),
        );
      });
      assert.notEqual(
        (await other.upload(png, { ...call, key: { ...key, accountId: newUuid() } })).url,
        first.url,
      );
    });

    test("of uploads that race for an idempotency key from two processes one is stored, and the others hear of it or are told to come again", async () => {
      const other = scene.process();
      for (let round = 0; round < 5; round++) {
        const call = { key: { keyId: newUuid(), accountId: newUuid() }, idempotencyKey: newUuid() };
        const outcomes = await Promise.allSettled(
          Array.from({ length: 8 }, (_, index) =>
            (index % 2 === 0 ? one : other).upload(fillerBytes(20_000), call),
          ),
        );
        const urls = new Set(
          outcomes.flatMap((outcome) =>
            outcome.status === "fulfilled" ? [outcome.value.url] : [],
          ),
        );
        assert.equal(urls.size, 1);
        for (const outcome of outcomes)
          if (outcome.status === "rejected")
            assert.ok(isFault("idempotency_in_progress")(outcome.reason), String(outcome.reason));
        const [row] = await scene.db.query<{ count: bigint }>(
          "SELECT count(*) AS count FROM files.files WHERE account_id = $1",
          [call.key.accountId],
        );
        assert.equal(row?.count, 1n);
      }
    });

    test("an upload that is refused frees its idempotency key, also for another file", async () => {
      const small = scene.process({ quotaBytes: 50_000 });
      const call = { key: { keyId: newUuid(), accountId: newUuid() }, idempotencyKey: newUuid() };
      await scene.leavesNothing(() =>
        assert.rejects(small.upload(fillerBytes(60_000), call), isFault("storage_quota_exceeded")),
      );
      assert.equal((await small.upload(fillerBytes(40_000), call)).bytes, 40_000);
    });

    test("a process that was taken for dead while it received can store nothing, and leaves nothing", async () => {
      const stale = scene.process();
      await scene.leavesNothing(async () => {
        const pending = await stale.uploads.receive(callOf(fillerBytes(10_000)));
        scene.dead.add(stale.ownerId);
        assert.equal((await one.sweeper.sweep()).abandoned, 1);
        await assert.rejects(pending.commit(), isFault("overloaded", /took too long/));
      });
    });

    test("a storage that is full or broken at any step leaves nothing: what it does not remove is removed later", async () => {
      const full = new Fault("storage_full");
      const broken = new Error("the storage broke");
      const before = { rows: await scene.rows(), objects: (await scene.objects()).length };
      const atStart = scene.process(failing({ put: () => Promise.reject(full) }));
      await scene.leavesNothing(() => assert.rejects(atStart.upload(fillerBytes(1_000_000)), full));
      const halfWay = scene.process({
        storage: (real) => ({
          ...real,
          async put(_key, source) {
            let bytes = 0;
            for await (const chunk of source) {
              bytes += (chunk as Buffer).length;
              if (bytes > 200_000) throw full;
            }
            return { bytes };
          },
        }),
      });
      await scene.leavesNothing(() => assert.rejects(halfWay.upload(fillerBytes(1_000_000)), full));
      // It stored everything, and then its answer was lost.
      const afterwards = scene.process({
        storage: (real) => ({
          ...real,
          async put(...given) {
            await real.put(...given);
            throw broken;
          },
        }),
      });
      await scene.leavesNothing(() =>
        assert.rejects(afterwards.upload(fillerBytes(100_000)), broken),
      );
      // What was refused cannot be removed either.
      let removals = 0;
      const stubborn = scene.process({
        quotaBytes: 1_000,
        ...failing({
          remove() {
            removals += 1;
            return Promise.reject(broken);
          },
        }),
      });
      await assert.rejects(stubborn.upload(fillerBytes(2_000)), isFault("storage_quota_exceeded"));
      assert.deepEqual([removals, stubborn.errors.length], [1, 1]);
      assert.equal((await scene.objects()).length, before.objects + 1);
      assert.deepEqual(await scene.rows(), before.rows);
      assert.ok((await one.sweeper.sweep()).removed >= 1);
    });

    test("a database that fails at any step leaves nothing; one whose last word is lost keeps what it has stored", async () => {
      const lost = new Fault("overloaded");
      const noRow = scene.process({
        db: (real) => ({
          ...real,
          run: (statement, parameters) =>
            statement.text.includes("INSERT INTO files.files")
              ? Promise.reject(lost)
              : real.run(statement, parameters),
        }),
      });
      await scene.leavesNothing(() => assert.rejects(noRow.upload(fillerBytes(100_000)), lost));
      let transactions = 0;
      const noCommit = scene.process({
        db: (real) => ({
          ...real,
          transaction: (work) =>
            ++transactions === 1 ? Promise.reject(lost) : real.transaction(work),
        }),
      });
      await scene.leavesNothing(() => assert.rejects(noCommit.upload(fillerBytes(100_000)), lost));
      const key = { keyId: newUuid(), accountId: newUuid() };
      transactions = 0;
      const noWord = scene.process({
        db: (real) => ({
          ...real,
          async transaction(work) {
            const result = await real.transaction(work);
            if (++transactions === 1) throw lost;
            return result;
          },
        }),
      });
      const call = { key, idempotencyKey: newUuid() };
      await assert.rejects(noWord.upload(fillerBytes(100_000), call), lost);
      // A caller that asks again gets it.
      const answer = await scene.leavesNothing(() => one.upload(fillerBytes(100_000), call));
      assert.equal((await one.reader.openFile(nameOf(answer.url))).state, "stored");
    });

    test("a drain lets uploads end, cuts off those that do not, takes no more, and nothing is left of what was cut", async () => {
      const ending = scene.process();
      const [slow, stuck] = [stalled(Buffer.alloc(50_000)), stalled(Buffer.alloc(50_000))];
      const first = ending.uploads.receive(callOf(slow));
      const second = ending.uploads.receive(callOf(stuck));
      const complete = await ending.uploads.receive(callOf(fillerBytes(50_000)));
      second.catch(() => undefined);
      let drained = false;
      const drain = ending.uploads.drain(600).then(() => (drained = true));
      await assert.rejects(ending.upload(fillerBytes(10)), isFault("overloaded", /restarting/));
      slow.end();
      assert.equal((await (await first).commit()).file.bytes, 50_000);
      assert.ok(!drained);
      await assert.rejects(second, isFault("overloaded", /restarting/));
      await drain;
      assert.equal(ending.uploads.active, 0);
      await assert.rejects(complete.commit(), isFault("overloaded"));
      assert.deepEqual(ending.reports.map(({ outcome }) => outcome).toSorted(), [
        "discarded",
        "overloaded",
        "overloaded",
        "stored",
      ]);
    });

    test("an account has so many uploads at once, and another one is not kept waiting by it", async () => {
      const key = { keyId: newUuid(), accountId: newUuid() };
      const sources = Array.from({ length: 32 }, () => stalled(Buffer.alloc(10)));
      const running = sources.map((source) => one.uploads.receive(callOf(source, { key })));
      await assert.rejects(one.upload(fillerBytes(10), { key }), isFault("rate_limit_exceeded"));
      await one.upload(fillerBytes(10));
      for (const source of sources) source.end();
      for (const pending of await Promise.all(running)) await pending.discard();
      await one.upload(fillerBytes(10), { key });
    });
  });
}
