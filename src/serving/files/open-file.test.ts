/**
 * Protects: readers are sent to the storage only where it has addresses, only as long as the file
 * lives, and get there what they would get here.
 */
// Runs in a process of its own: the S3 server that it loads changes Node's fs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  nameOf,
  openFileScene,
  picture,
  type FileProcess,
  type FileScene,
} from "../../../test/support/file-scene.ts";
import { systemClock } from "../../kernel/clock.ts";
import { createFileReader, type StoredFile } from "./open-file.ts";

let scene: FileScene;
let one: FileProcess;
before(async () => {
  scene = await openFileScene("s3");
  one = scene.process();
});
after(async () => scene[Symbol.asyncDispose]());

async function opened(url: string): Promise<StoredFile> {
  const found = await one.reader.openFile(nameOf(url));
  assert.ok(found.state === "stored");
  return found.file;
}

test("the storage's address gives the file to anybody, as the gateway would", async () => {
  const reader = createFileReader({
    db: one.db,
    storage: one.storage,
    clock: systemClock,
    delivery: "redirect",
  });
  const png = await picture();
  for (const [content, fileName, contentType, disposition] of [
    [png, "cat.png", "image/png", 'inline; filename="cat.png"'],
    [
      Buffer.from("<script>"),
      "кот.html",
      "application/octet-stream",
      `attachment; filename="___.html"; filename*=UTF-8''%D0%BA%D0%BE%D1%82.html`,
    ],
  ] as const) {
    const file = await opened((await one.upload(content, { fileName })).url);
    const address = await reader.fileRedirect(file);
    assert.ok(address !== null);
    const answer = await fetch(address);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), content);
    assert.equal(answer.headers.get("content-type"), contentType);
    assert.equal(answer.headers.get("content-disposition"), disposition);
    assert.match(answer.headers.get("cache-control") ?? "", /^public, max-age=\d+, immutable$/);
    assert.equal(
      await one.reader.fileRedirect(file),
      null,
      "not where the gateway delivers by itself",
    );
  }
});

test("the address ends with the file, and after an hour at the latest", async () => {
  const file = await opened((await one.upload(await picture())).url);
  const lives = async (beforeEndMs: number): Promise<string | null> => {
    const clock = { now: () => new Date(file.expiresAt.getTime() - beforeEndMs) };
    const address = await createFileReader({
      db: one.db,
      storage: one.storage,
      clock,
      delivery: "redirect",
    }).fileRedirect(file);
    return address === null ? null : new URL(address).searchParams.get("X-Amz-Expires");
  };
  assert.equal(await lives(86_400_000), "3600");
  assert.equal(await lives(90_000), "90");
  assert.equal(await lives(900), null);
  assert.equal(await lives(-5_000), null);
});
