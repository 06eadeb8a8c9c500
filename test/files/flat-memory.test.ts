/**
 * Uploads and downloads take the same little memory whatever their size: many at once, and the
 * process stays as small as it was (contract §8: constant memory).
 */
import assert from "node:assert/strict";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openFilesScene, residentBytes } from "./files-scene.ts";

const MEGABYTE = 1024 * 1024;
const MANY = 20;
const EACH_BYTES = 15 * MEGABYTE;
/**
 * A sender's 64 KB in each of a few places, and what the collector has not come to yet; the files
 * together are 300 MB.
 */
const GROWTH_BYTES = 150 * MEGABYTE;

test("twenty files at once, up and down, do not make the process grow with their size", async () => {
  await using scene = await openFilesScene("local");
  const gateway = await scene.gateway();
  const secret = await scene.customer();
  const file = await open(join(scene.folder, "big.bin"), "w");
  await file.truncate(EACH_BYTES);
  await file.close();
  // What the first upload loads stays loaded.
  const { data } = await scene.curl(gateway, secret, "-F", "file=@big.bin");
  const before = residentBytes(gateway.pid);
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, residentBytes(gateway.pid))), 20);
  const sent = await Promise.all(
    Array.from({ length: MANY }, () => scene.curl(gateway, secret, "-F", "file=@big.bin")),
  );
  const read = await Promise.all(
    Array.from({ length: MANY }, async () => {
      let bytes = 0;
      for await (const chunk of (await fetch(data?.url ?? "")).body ?? [])
        bytes += (chunk as Uint8Array).length;
      return bytes;
    }),
  );
  clearInterval(watch);
  assert.deepEqual([...new Set(sent.map(({ status }) => status))], [200]);
  assert.deepEqual([...new Set(read)], [EACH_BYTES]);
  assert.ok(
    peak - before < GROWTH_BYTES,
    `it grew by ${Math.round((peak - before) / MEGABYTE)} MB, from ${Math.round(before / MEGABYTE)} MB`,
  );
});
