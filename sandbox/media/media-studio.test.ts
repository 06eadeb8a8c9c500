/**
 * The process that makes media may be slow, may die and may miss its encoder: the sandbox goes on
 * and says what is wrong.
 */
import assert from "node:assert/strict";
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openSandboxScene } from "../../test/support/sandbox-scene.ts";
import { createMediaStudio } from "./media-studio.ts";
import type { OutputSpec } from "./output-spec.ts";

const film = (width: number): OutputSpec => ({
  kind: "video",
  width,
  height: 64,
  seconds: 1,
  sound: false,
  tint: 0,
});
const HERE = fileURLToPath(new URL(".", import.meta.url));

test("without node-av a film is a failure of the provider that says so, and pictures are made all the same", async (t) => {
  const { folder } = await openSandboxScene(t);
  await cp(HERE, join(folder, "media"), { recursive: true });
  await mkdir(join(folder, "node_modules"));
  const packages = join(HERE, "../../node_modules");
  for (const name of ["sharp", "mediabunny"])
    await symlink(join(packages, name), join(folder, "node_modules", name));
  const scene = await openSandboxScene(t, {
    studioProgram: join(folder, "media", "studio-process.ts"),
  });
  const record = await scene.finish(
    await scene.start("bytedance/seedance-2", { prompt: "xyz", duration: 4 }),
  );
  assert.deepEqual([record.state, record.failCode], ["fail", "501"]);
  assert.match(record.failMsg, /node-av, which is not installed/);
  assert.equal(
    (await scene.finish(await scene.start("nano-banana-2", { prompt: "x" }))).state,
    "success",
  );
});

test("a process that dies or takes too long fails its job only; the next one has a new process", async (t) => {
  const { folder } = await openSandboxScene(t);
  const program = join(folder, "program.mjs");
  await writeFile(
    program,
    `import { writeFileSync } from "node:fs";
    process.on("message", (job) => {
      if (job.spec.width === 100) process.exit(3);
      if (job.spec.width === 200) return;
      writeFileSync(job.path, "made");
      process.send({ ok: true, measured: null });
    });`,
  );
  const studio = createMediaStudio({ keepBytes: 1000, program, deadlineMs: 1000 });
  t.after(() => studio.close());
  const [died, late, made] = await Promise.allSettled([
    studio.make(film(100)),
    studio.make(film(200)),
    studio.make(film(300)),
  ]);
  assert.match(String(died?.status === "rejected" && died.reason), /ended/);
  assert.match(String(late?.status === "rejected" && late.reason), /more than 1000 ms/);
  assert.equal(made?.status, "fulfilled");
  // What failed is not remembered as failed.
  await assert.rejects(studio.make(film(100)), /ended/);
});

test("one file is made once for all who ask for it, and kept within its bound", async (t) => {
  const { folder } = await openSandboxScene(t);
  const program = join(folder, "program.mjs");
  await writeFile(
    program,
    `import { writeFileSync } from "node:fs";
    let jobs = 0;
    process.on("message", (job) => {
      writeFileSync(job.path, Buffer.alloc(400, String(++jobs)));
      process.send({ ok: true, measured: null });
    });`,
  );
  const studio = createMediaStudio({ keepBytes: 1000, program });
  t.after(() => studio.close());
  const same = await Promise.all(Array.from({ length: 50 }, () => studio.make(film(2))));
  assert.equal(new Set(same).size, 1);
  const paths = [];
  for (const width of [4, 6, 8]) paths.push((await studio.make(film(width))).path);
  const folderOf = join(paths[0]!, "..");
  assert.deepEqual((await readdir(folderOf)).length, 2, "two of 400 bytes fit into 1000");
  await studio.close();
  await assert.rejects(readdir(folderOf), /ENOENT/);
  assert.ok(folderOf.startsWith(tmpdir()));
  await assert.rejects(studio.make(film(10)), /closing/);
});
