/**
 * An upload that its sender or the gateway's death ends half-way leaves no file, no row and no part
 * in a bucket after the sweep.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import type { Gateway } from "../support/gateway-process.ts";
import { filePart, multipartBody, multipartType } from "../support/multipart-body.ts";
import { until } from "../support/until.ts";
import { openFilesScene } from "./files-scene.ts";

/** More than a part of a multipart upload to a bucket. */
const BODY = multipartBody([filePart(Buffer.alloc(30 * 1024 * 1024, 7), "big.bin")]);

/** Sends half of it, and then nothing. */
async function halfUpload(gateway: Gateway, secret: string): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const lines = [
    "POST /v1/storage/upload HTTP/1.1",
    "host: x",
    `x-api-key: ${secret}`,
    `content-type: ${multipartType()}`,
    `content-length: ${BODY.length}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.write(BODY.subarray(0, BODY.length / 2));
  return socket;
}

for (const kind of ["local", "s3"] as const) {
  test(`${kind}: a sender that leaves half-way leaves nothing, at once`, async () => {
    await using scene = await openFilesScene(kind);
    const gateway = await scene.gateway();
    const secret = await scene.customer();
    const sockets = await Promise.all([halfUpload(gateway, secret), halfUpload(gateway, secret)]);
    await until(
      "both are under way",
      async () => (await scene.rows())["receiving"] === 2 && (await scene.stored()).length >= 2,
    );
    sockets[0].resetAndDestroy();
    sockets[1].end();
    await until(
      "nothing is left",
      async () =>
        (await scene.stored()).length === 0 && Object.keys(await scene.rows()).length === 0,
    );
    await gateway.logged(
      (line) => line["route"] === "/v1/storage/upload" && line["aborted"] === true,
    );
  });

  test(`${kind}: a gateway that is killed half-way leaves nothing once another one has swept, and its finished files stay`, async () => {
    await using scene = await openFilesScene(kind);
    const gateway = await scene.gateway();
    const secret = await scene.customer();
    const kept = await scene.curl(
      gateway,
      secret,
      "-F",
      "file=some words;filename=a.txt;type=image/png",
    );
    assert.equal(kept.status, 200, kept.msg);
    await halfUpload(gateway, secret);
    await until(
      "it is under way",
      async () => (await scene.rows())["receiving"] === 1 && (await scene.stored()).length >= 2,
    );
    await gateway.kill();
    assert.equal((await scene.rows())["receiving"], 1, "the row is what tells of it");
    assert.ok((await scene.stored()).length >= 2);

    await scene.letHoursPass();
    const other = await scene.gateway();
    await until(
      "nothing but the finished file is left",
      async () => (await scene.stored()).length === 1,
    );
    assert.deepEqual(await scene.rows(), { stored: 1 });
    const name = kept.data?.url.split("/").at(-1);
    assert.equal(await (await fetch(`${other.url}/static/${name}`)).text(), "some words");
  });

  test(`${kind}: a gateway that stops half-way gives the upload its time, then leaves nothing and ends at once`, async () => {
    await using scene = await openFilesScene(kind);
    const gateway = await scene.gateway({ DRAIN_SECONDS: "1" });
    const secret = await scene.customer();
    const socket = await halfUpload(gateway, secret);
    await until(
      "it is under way",
      async () => (await scene.rows())["receiving"] === 1 && (await scene.stored()).length === 1,
    );
    const since = performance.now();
    await gateway.stop();
    assert.ok(performance.now() - since < 9_000, "nobody is waited for who sends nothing");
    assert.deepEqual([await scene.stored(), await scene.rows()], [[], {}]);
    socket.destroy();
  });
}
