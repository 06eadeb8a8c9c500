/**
 * An upload is a stored file with all its bytes, or it is nothing: no row, no object, no byte of
 * the quota (contract §8).
 */
// Runs in a process of its own: the S3 server that it loads changes Node's fs.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { after, afterEach, before, describe, test } from "node:test";
import {
  bytesOf,
  fillerBytes,
  isFault,
  nameOf,
  openFileScene,
  picture,
  STATIC_URL,
  type FileProcess,
  type FileScene,
} from "../../../test/support/file-scene.ts";
import type { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { STORAGE_KINDS } from "../../../test/storage/storage-places.ts";

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

    test("a picture is stored as what it is, whatever it is called, and everybody reads it by its URL", async () => {
      const png = await picture(40);
      const key = { keyId: newUuid(), accountId: newUuid() };
      const before = Date.now();
      const answer = await one.upload(png, { key, fileName: "../Мой кот.gif" });
      const { url, expiresAt, ...rest } = answer;
      const sha256 = createHash("sha256").update(png).digest("hex");
      assert.deepEqual(rest, {
        fileName: "Мой кот.gif",
        contentType: "image/png",
        bytes: png.length,
        sha256,
        width: 40,
        height: 40,
      });
      assert.match(url, /^https:\/\/files\.test\/static\/[0-9a-z]{32}\.png$/);
      assert.ok(Math.abs(Date.parse(expiresAt) - before - 14 * 86_400_000) < 60_000);
      const opened = await one.reader.openFile(nameOf(url));
      assert.ok(opened.state === "stored");
      assert.deepEqual(
        [opened.file.inline, opened.file.bytes, opened.file.sha256],
        [true, png.length, sha256],
      );
      assert.deepEqual(await bytesOf(await one.reader.readFile(opened.file)), png);
      assert.deepEqual(
        await bytesOf(await one.reader.readFile(opened.file, { first: 4, last: 9 })),
        png.subarray(4, 10),
      );
      assert.equal(await one.reader.fileRedirect(opened.file), null);
      assert.deepEqual(one.reports.at(-1), { outcome: "stored", bytes: png.length });
    });

    test("what only begins like media is never shown: a page, a drawing, a script, a picture that carries a page, a movie of nothing", async () => {
      const png = await picture();
      for (const [content, contentType] of [
        ["<!doctype html><script>alert(1)</script>", "application/octet-stream"],
        [
          '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
          "application/octet-stream",
        ],
        ["alert(1)", "application/octet-stream"],
        [
          Buffer.concat([png, Buffer.from("<html><script>alert(1)</script>")]),
          "application/octet-stream",
        ],
        [
          Buffer.concat([
            Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom"),
            Buffer.from("nothing to see"),
          ]),
          "video/mp4",
        ],
      ] as const) {
        const answer = await one.upload(Buffer.from(content), { fileName: "cat.png" });
        const opened = await one.reader.openFile(nameOf(answer.url));
        assert.ok(opened.state === "stored" && !opened.file.inline, String(content));
        assert.equal(answer.contentType, contentType, String(content));
        assert.equal(answer.width, undefined);
      }
    });

    test("an empty file is refused", async () => {
      await scene.leavesNothing(() =>
        assert.rejects(one.upload(Buffer.alloc(0)), isFault("invalid_request", /empty/)),
      );
      await scene.leavesNothing(() =>
        assert.rejects(one.upload(Readable.from([])), isFault("invalid_request", /empty/)),
      );
    });

    test("a text that stands for a file is refused; a text that does not is a file", async () => {
      const base64 = (await picture()).toString("base64");
      for (const text of [
        "blob:https://example.com/550e8400-e29b-41d4-a716-446655440000",
        "file:///somewhere/cat.png\n",
        `data:image/png;base64,${base64}`,
        `  DATA:image/png;name=cat;base64,${base64}`,
        base64,
        `${base64.replaceAll(/(.{76})/g, "$1\r\n")}\r\n`,
      ]) {
        await scene.leavesNothing(() =>
          assert.rejects(
            one.upload(Buffer.from(text)),
            isFault("invalid_request", /Send the file itself/),
            text.slice(0, 40),
          ),
        );
      }
      for (const text of [
        "hello",
        "data: a, b",
        "data:1,2\n3,4",
        "blob:x and more",
        "see file:///etc/passwd",
        Buffer.from("just text").toString("base64"),
      ]) {
        assert.equal((await one.upload(Buffer.from(text))).bytes, text.length);
      }
    });

    test("a file of the limit's size is stored; one byte more ends it there and then, and the sender with it", async () => {
      const limited = scene.process({ limitBytes: 300_000 });
      assert.equal((await limited.upload(fillerBytes(300_000))).bytes, 300_000);
      await scene.leavesNothing(() =>
        assert.rejects(
          limited.upload(fillerBytes(300_001)),
          isFault("request_too_large", /292\.9 KB/),
        ),
      );
      let taken = 0;
      const endless = new Readable({
        read() {
          taken += 65_536;
          this.push(Buffer.alloc(65_536));
        },
      });
      await scene.leavesNothing(() =>
        assert.rejects(limited.upload(endless), isFault("request_too_large")),
      );
      assert.ok(endless.destroyed);
      assert.ok(taken < 1_000_000, `${taken} bytes were taken`);
    });

    test("what says that it is too large, or does not fit into the account, is refused unread", async () => {
      const limited = scene.process({ limitBytes: 100_000, quotaBytes: 150_000 });
      const key = { keyId: newUuid(), accountId: newUuid() };
      const unread = (): Readable =>
        new Readable({
          read() {
            assert.fail("it was read");
          },
        });
      await assert.rejects(
        limited.upload(unread(), { declaredBytes: 1_000_000 }),
        isFault("request_too_large"),
      );
      await limited.upload(fillerBytes(90_000), { key });
      await assert.rejects(
        limited.upload(unread(), { key, declaredBytes: 160_000 }),
        isFault("storage_quota_exceeded", /58\.5 KB of the account's 146\.4 KB are free/),
      );
      await limited.upload(fillerBytes(60_000), { key });
      await assert.rejects(
        limited.upload(unread(), { key }),
        isFault("storage_quota_exceeded", /^0 bytes of/),
      );
      // The answer lists it by the field, with its code.
      await assert.rejects(
        limited.upload(unread(), { key }),
        (error: Fault) => error.details.param === "file",
      );
    });

    test("two processes fill one account at once: what does not fit leaves nothing, and the counter is the sum of the rows", async () => {
      const [a, b] = [
        scene.process({ quotaBytes: 1_000_000 }),
        scene.process({ quotaBytes: 1_000_000 }),
      ];
      const key = { keyId: newUuid(), accountId: newUuid() };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 24 }, (_, index) =>
          (index % 2 === 0 ? a : b).upload(fillerBytes(70_000 + index * 1_000), { key }),
        ),
      );
      for (const outcome of outcomes)
        if (outcome.status === "rejected")
          assert.ok(isFault("storage_quota_exceeded")(outcome.reason), String(outcome.reason));
      const stored = outcomes
        .filter((outcome) => outcome.status === "fulfilled")
        .map(({ value }) => value.bytes);
      const sum = stored.reduce((total, bytes) => total + bytes, 0);
      assert.ok(
        stored.length >= 10 && stored.length < 24 && sum <= 1_000_000 && sum > 1_000_000 - 94_000,
        `${stored.length} files, ${sum} bytes`,
      );
    });

    test("a file that cannot be measured now is stored unmeasured", async () => {
      const key = { keyId: newUuid(), accountId: newUuid() };
      const blind = scene.process({
        storage: (real) => ({ ...real, localPath: () => "/nowhere/at/all.png" }),
      });
      const answer = await blind.upload(await picture(), { key });
      assert.equal(answer.width, undefined);
      assert.equal(blind.errors.length, 1);
      assert.ok(answer.url.startsWith(`${STATIC_URL}/`));
    });
  });
}
