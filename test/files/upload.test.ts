/**
 * Files from end to end, as a user has them: sent with curl, served in parts, listed, deleted,
 * over; on a disk and in a bucket alike.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createReadStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sharp from "sharp";
import type { Gateway } from "../support/gateway-process.ts";
import { until } from "../support/until.ts";
import { openFilesScene, type FilesScene, type StorageKind } from "./files-scene.ts";

const VIDEO_BYTES = 24 * 1024 * 1024;
const MP4_HEAD = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom"),
  Buffer.from([0, 0, 2, 0]),
  Buffer.from("isomiso2"),
]);

for (const kind of ["local", "s3"] as const satisfies readonly StorageKind[]) {
  let scene: FilesScene;
  let gateway: Gateway;
  let secret: string;
  before(async () => {
    scene = await openFilesScene(kind);
    gateway = await scene.gateway();
    secret = await scene.customer();
    writeFileSync(
      join(scene.folder, "cat.png"),
      await sharp({ create: { width: 640, height: 480, channels: 3, background: "#3a7" } })
        .png()
        .toBuffer(),
    );
    writeFileSync(join(scene.folder, "empty.bin"), "");
    writeFileSync(join(scene.folder, "page.html"), "<!doctype html><script>alert(1)</script>");
    const video = Buffer.alloc(VIDEO_BYTES);
    for (let at = 0; at < video.length; at += 4)
      video.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
    MP4_HEAD.copy(video);
    writeFileSync(join(scene.folder, "video.mp4"), video);
  });
  after(() => scene[Symbol.asyncDispose]());

  const read = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });

  test(`${kind}: an image is measured, served as an image, in any part, and not again to who has it`, async () => {
    const { status, data } = await scene.curl(gateway, secret, "-F", "file=@cat.png");
    assert.deepEqual(
      [status, data?.fileName, data?.contentType, data?.width],
      [200, "cat.png", "image/png", 640],
    );
    const url = data?.url ?? "";
    assert.match(url, /\/static\/[0-9a-z]{32}\.png$/);
    const whole = await read(url);
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.equal(createHash("sha256").update(bytes).digest("hex"), data?.sha256);
    assert.deepEqual(
      [whole.headers.get("content-type"), whole.headers.get("x-content-type-options")],
      ["image/png", "nosniff"],
    );
    for (const [range, first, last] of [
      ["bytes=0-0", 0, 0],
      ["bytes=100-299", 100, 299],
      ["bytes=-10", bytes.length - 10, bytes.length - 1],
    ] as const) {
      const part = await read(url, { range });
      assert.equal(part.status, 206);
      assert.ok(
        Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(first, last + 1)),
        range,
      );
    }
    assert.equal((await read(url, { range: `bytes=${bytes.length}-` })).status, 416);
    assert.equal(
      (await read(url, { "if-none-match": whole.headers.get("etag") ?? "" })).status,
      304,
    );
    const head = await fetch(url, { method: "HEAD" });
    assert.equal(head.headers.get("content-length"), String(bytes.length));
  });

  test(`${kind}: a video of many megabytes arrives whole and is read from its middle`, async () => {
    const { status, data } = await scene.curl(gateway, secret, "-F", "file=@video.mp4");
    assert.equal(status, 200);
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(join(scene.folder, "video.mp4")))
      hash.update(chunk as Buffer);
    assert.deepEqual([data?.bytes, data?.sha256], [VIDEO_BYTES, hash.digest("hex")]);
    const served = createHash("sha256");
    const answer = await read(data?.url ?? "");
    for await (const chunk of answer.body ?? []) served.update(chunk as Uint8Array);
    assert.equal(served.digest("hex"), data?.sha256);
    const part = await read(data?.url ?? "", {
      range: `bytes=${VIDEO_BYTES / 2}-${VIDEO_BYTES / 2 + 3}`,
    });
    assert.deepEqual(
      [...new Uint8Array(await part.arrayBuffer())],
      [...u32((VIDEO_BYTES / 2) * 2_654_435_761)],
    );
  });

  test(`${kind}: what is refused leaves neither a row nor an object`, async () => {
    const before_ = { rows: await scene.rows(), stored: await scene.stored() };
    for (const [args, status] of [
      [["-F", "file=@empty.bin"], 400],
      [["-F", "file=@cat.png", "-F", "file=@cat.png"], 400],
      [["-F", "file=@video.mp4", "-F", "note=x"], 400],
      [["-F", "image=@cat.png"], 400],
      [["-F", "file=blob:https://site.example/1"], 400],
      [["-d", '{"file":"data:image/png;base64,AAAA"}'], 400],
    ] as const) {
      const answer = await scene.curl(gateway, secret, ...args);
      assert.deepEqual(
        [answer.status, answer.code, answer.data],
        [status, status, null],
        answer.msg,
      );
    }
    await until(
      "nothing is left",
      async () => (await scene.stored()).length === before_.stored.length,
    );
    assert.deepEqual({ rows: await scene.rows(), stored: await scene.stored() }, before_);
  });

  test(`${kind}: a page is taken, and only ever saved`, async () => {
    const { status, data } = await scene.curl(
      gateway,
      secret,
      "-F",
      "file=@page.html;type=image/png;filename=photo.png",
    );
    assert.deepEqual([status, data?.contentType], [200, "application/octet-stream"]);
    const { headers } = await read(data?.url ?? "");
    assert.deepEqual(
      [headers.get("content-type"), headers.get("content-security-policy")],
      ["application/octet-stream", "default-src 'none'; sandbox"],
    );
    assert.match(headers.get("content-disposition") ?? "", /^attachment/);
  });

  test(`${kind}: deleted and over are a 410 at once, and the bytes go; a stranger's key deletes nothing`, async () => {
    const { data } = await scene.curl(gateway, secret, "-F", "file=@cat.png");
    const url = data?.url ?? "";
    const name = url.split("/").at(-1) ?? "";
    const remove = (key: string) =>
      fetch(`${gateway.url}/v1/storage/files/${name}`, {
        method: "DELETE",
        headers: { "x-api-key": key },
      });
    assert.equal((await remove(await scene.customer())).status, 404);
    assert.equal((await read(url)).status, 200);
    const listed = (await (
      await read(`${gateway.url}/v1/storage/files?limit=1`, { "x-api-key": secret })
    ).json()) as {
      data: { files: { name: string }[] };
    };
    assert.equal(listed.data.files[0]?.name, name);
    assert.equal((await remove(secret)).status, 200);
    assert.deepEqual(
      [(await read(url)).status, (await read(url)).headers.get("cache-control")],
      [410, "no-store"],
    );
    await until(
      "the bytes are gone",
      async () => !(await scene.stored()).some((stored) => stored.includes(name.slice(0, 32))),
    );

    const second = await scene.curl(gateway, secret, "-F", "file=@cat.png");
    await scene.db.query("UPDATE files.files SET expires_at = now() WHERE name = $1", [
      second.data?.url.split("/").at(-1),
    ]);
    assert.equal((await read(second.data?.url ?? "")).status, 410);
  });

  test(`${kind}: the same idempotency key stores one file`, async () => {
    const before_ = (await scene.rows())["stored"] ?? 0;
    const first = await scene.curl(
      gateway,
      secret,
      "-F",
      "file=@cat.png",
      "-H",
      "idempotency-key: once",
    );
    const again = await scene.curl(
      gateway,
      secret,
      "-F",
      "file=@cat.png",
      "-H",
      "idempotency-key: once",
    );
    assert.deepEqual([again.status, again.data], [200, first.data]);
    assert.deepEqual([first.replayed, again.replayed], ["", "true"]);
    assert.equal((await scene.rows())["stored"], before_ + 1);
    assert.equal(
      (await scene.curl(gateway, secret, "-F", "file=@page.html", "-H", "idempotency-key: once"))
        .status,
      400,
    );
  });
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
