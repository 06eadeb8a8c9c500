/**
 * Protects: the pool of media workers is lazy, warm, bounded and replaced, its workers have no
 * rights, and none is ever left behind.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Fault } from "../../src/kernel/faults.ts";
import { createMediaWorkers } from "../../src/media/media-workers.ts";
import type { MediaLook, MediaSource } from "../../src/media/media-workers.ts";
import { movie } from "../support/media-maker-bytes.ts";
import { makeAnimation, makeStill, still } from "../support/media-maker-stills.ts";
import { until } from "../support/until.ts";

const linux = process.platform === "linux";
const folder = await mkdtemp(join(tmpdir(), "tollgate-workers-"));
after(() => rm(folder, { recursive: true, force: true }));

const film = movie();
const inMemory = (file: Buffer): MediaSource => ({
  bytes: file.length,
  read: async (first, last) => file.subarray(first, last + 1),
});
/**
 * Begins like a film and has something to be read far behind, so that a look into it has to ask.
 */
const endless = (read: () => Promise<Uint8Array>): MediaSource => ({ bytes: film.length, read });

/** The processes that look into files for `parent`. */
async function workersOf(parent: number): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "latin1").catch(() => "");
    const command = await readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "");
    const alive = !/\) [ZX] /.test(stat);
    if (
      alive &&
      command.includes("media-child.ts") &&
      Number(/\) \S (\d+) /.exec(stat)?.[1]) === parent
    )
      found.push(Number(name));
  }
  return found;
}

test(
  "no process before the first file, at most as many as allowed, the same ones again, none after close",
  { skip: !linux },
  async () => {
    const workers = createMediaWorkers({ readable: [], size: 2 });
    assert.deepEqual(await workersOf(process.pid), []);
    const verdicts = await Promise.all(
      Array.from({ length: 12 }, () => workers.probe(inMemory(film))),
    );
    assert(verdicts.every(({ ok }) => ok));
    const first = await workersOf(process.pid);
    assert.equal(first.length, 2);
    await workers.probe(inMemory(film));
    assert.deepEqual(await workersOf(process.pid), first);
    await workers.close();
    assert.deepEqual(await workersOf(process.pid), []);
    await assert.rejects(workers.probe(inMemory(film)), { name: "Fault", code: "overloaded" });
  },
);

test("idle processes end", { skip: !linux }, async () => {
  const workers = createMediaWorkers({ readable: [], idleMs: 50 });
  await workers.probe(inMemory(film));
  await until("idle workers to end", async () => (await workersOf(process.pid)).length === 0);
  assert.equal((await workers.probe(inMemory(film))).ok, true, "and are started again");
  await workers.close();
});

test("a caller that finds the queue full is told to come again, and those in it are served", async () => {
  const workers = createMediaWorkers({ readable: [], size: 1, maxWaiting: 2 });
  const gate = Promise.withResolvers<undefined>();
  const slow: MediaSource = {
    bytes: film.length,
    read: async (first, last) => {
      await gate.promise;
      return film.subarray(first, last + 1);
    },
  };
  const running = workers.probe(slow);
  const queued = [workers.probe(inMemory(film)), workers.probe(inMemory(film))];
  await assert.rejects(
    workers.probe(inMemory(film)),
    (error) => error instanceof Fault && error.code === "overloaded" && error.retryable,
  );
  gate.resolve(undefined);
  assert((await Promise.all([running, ...queued])).every(({ ok }) => ok));
  await workers.close();
});

test("close refuses what waits, ends what runs, and both hear of it", async () => {
  const workers = createMediaWorkers({ readable: [], size: 1 });
  const asked = Promise.withResolvers<undefined>();
  const running = workers.probe(
    endless(() => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    }),
  );
  const waiting = workers.probe(inMemory(film));
  const heard = Promise.all(
    [running, waiting].map((look) => assert.rejects(look, { name: "Fault", code: "overloaded" })),
  );
  await asked.promise;
  await workers.close();
  await heard;
  if (linux) assert.deepEqual(await workersOf(process.pid), []);
});

test("a source that cannot be read is not the file's fault, and costs no worker", async () => {
  const looks: MediaLook[] = [];
  const workers = createMediaWorkers({
    readable: [folder],
    size: 1,
    onLook: (look) => looks.push(look),
  });
  await workers.probe(inMemory(film));
  const before = linux ? await workersOf(process.pid) : [];
  await assert.rejects(
    workers.probe(endless(() => Promise.reject(new Error("the store is away")))),
    /the store is away/,
  );
  await assert.rejects(
    workers.probe({ bytes: 100, path: join(folder, "is-not-there") }),
    /could not be read/,
  );
  const path = join(folder, "film.mp4");
  await writeFile(path, film);
  await assert.rejects(workers.probe({ bytes: film.length + 1, path }), /has \d+ bytes, not \d+/);
  await assert.rejects(
    workers.probe(endless(async () => film.subarray(0, 3))),
    /asked for \d+ bytes, got 3/,
  );
  assert.equal((await workers.probe({ bytes: film.length, path })).ok, true);
  if (linux) assert.deepEqual(await workersOf(process.pid), before);
  assert.deepEqual(
    looks.map(({ outcome }) => outcome),
    ["ok", "failed", "failed", "failed", "failed", "ok"],
  );
  await workers.close();
});

test("a source that does not answer in time is overloaded, not too hard", async () => {
  const workers = createMediaWorkers({ readable: [], size: 1, limits: { wallMs: 3_000 } });
  await assert.rejects(workers.probe(endless(() => new Promise(() => undefined))), {
    name: "Fault",
    code: "overloaded",
  });
  assert.equal((await workers.probe(inMemory(film))).ok, true);
  await workers.close();
});

test("a path outside the readable folders is a mistake of ours", async () => {
  const workers = createMediaWorkers({ readable: [folder] });
  for (const path of ["/etc/passwd", join(folder, "..", "other"), `${folder}-beside/a`])
    await assert.rejects(workers.probe({ bytes: 10, path }), { name: "InvariantError" });
  await workers.close();
});

test(
  "a worker that another process kills costs no file its verdict",
  { skip: !linux },
  async () => {
    const workers = createMediaWorkers({ readable: [], size: 1 });
    let killed = false;
    const source: MediaSource = {
      bytes: film.length,
      read: async (first, last) => {
        for (const pid of killed ? [] : await workersOf(process.pid)) process.kill(pid, "SIGKILL");
        killed = true;
        return film.subarray(first, last + 1);
      },
    };
    assert.equal((await workers.probe(source)).ok, true);
    assert.equal(killed, true);
    await workers.close();
  },
);

test("a file that breaks every reader is given up after two", { skip: !linux }, async () => {
  const workers = createMediaWorkers({ readable: [], size: 1 });
  const source = endless(async () => {
    for (const pid of await workersOf(process.pid)) process.kill(pid, "SIGKILL");
    return film;
  });
  const verdict = await workers.probe(source);
  assert(!verdict.ok && verdict.reason === "too_hard");
  await workers.close();
});

test(
  "a worker has no environment, no network, no programs to start, and nothing to write or read but its files",
  { skip: !linux },
  async () => {
    const listening = createServer();
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    const address = listening.address();
    assert(typeof address === "object" && address !== null);
    const path = join(folder, "in-the-folder");
    await writeFile(path, "seen");
    // The command of a real worker, with the questions in place of the program.
    const { workerCommand } = await import("../../src/media/worker-command.ts");
    const limits = {
      cpuMs: 8000,
      jpegCpuMs: 8000,
      wallMs: 8000,
      heapMegabytes: 192,
      residentMegabytes: 512,
      lifeCpuMs: 8000,
    };
    const [program, ...args] = workerCommand(limits, [folder]);
    const questions = `
    const attempt = async (what) => { try { return await what() ?? "done"; } catch (error) { return error.code ?? error.message; } };
    const fs = process.getBuiltinModule("node:fs");
    const answers = {
      environment: Object.keys(process.env).filter((name) => !["PWD", "OLDPWD", "_", "SHLVL"].includes(name)),
      read: await attempt(() => fs.readFileSync(${JSON.stringify(path)}, "utf8")),
      readOther: await attempt(() => fs.readFileSync("/etc/passwd", "utf8")),
      readEnvironmentFile: await attempt(() => fs.readFileSync(${JSON.stringify(join(import.meta.dirname, "..", "..", ".env"))}, "utf8")),
      write: await attempt(() => fs.writeFileSync(${JSON.stringify(path)}, "x")),
      start: await attempt(() => process.getBuiltinModule("node:child_process").execFileSync("/bin/true")),
      thread: await attempt(() => new (process.getBuiltinModule("node:worker_threads").Worker)("1", { eval: true })),
      connect: await attempt(() => new Promise((resolve, reject) => process.getBuiltinModule("node:net").connect(${address.port}, "127.0.0.1", () => resolve("connected")).on("error", reject))),
      limits: (await attempt(() => process.report.getReport().userLimits)),
    };
    console.log(JSON.stringify(answers));`;
    const child = spawn(
      program,
      [...args.slice(0, -1), "--input-type=module", "--eval", questions],
      {
        cwd: "/",
        env: {},
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => child.once("close", resolve));
    listening.close();
    const answers = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    const { limits: kernel, ...rights } = answers;
    assert.deepEqual(rights, {
      environment: [],
      read: "seen",
      readOther: "ERR_ACCESS_DENIED",
      readEnvironmentFile: "ERR_ACCESS_DENIED",
      write: "ERR_ACCESS_DENIED",
      start: "ERR_ACCESS_DENIED",
      thread: "ERR_ACCESS_DENIED",
      connect: "ERR_ACCESS_DENIED",
    });
    const hard = Object.fromEntries(
      Object.entries(kernel as Record<string, { hard: unknown }>).map(([name, limit]) => [
        name,
        limit.hard,
      ]),
    );
    assert.deepEqual(
      [
        hard["core_file_size_blocks"],
        hard["file_size_blocks"],
        hard["open_files"],
        hard["cpu_time_seconds"],
      ],
      [0, 0, 256, 21],
    );
  },
);

test("no secret of the gateway is in a worker's environment", { skip: !linux }, async () => {
  process.env["SESSION_SECRET_OF_THIS_TEST"] = "hush";
  const workers = createMediaWorkers({ readable: [], size: 1 });
  await workers.probe(inMemory(film));
  delete process.env["SESSION_SECRET_OF_THIS_TEST"];
  const [pid = 0] = await workersOf(process.pid);
  const names = (await readFile(`/proc/${pid}/environ`, "latin1"))
    .split("\0")
    .map((entry) => entry.split("=")[0]);
  const shell = new Set(["", "PWD", "OLDPWD", "SHLVL", "_"]);
  assert.deepEqual(names.filter((name) => name !== undefined && !shell.has(name)).toSorted(), [
    "MALLOC_ARENA_MAX",
    "NODE_CHANNEL_FD",
    "NODE_CHANNEL_SERIALIZATION_MODE",
    "UV_THREADPOOL_SIZE",
    "VIPS_DISC_THRESHOLD",
  ]);
  await workers.close();
});

test(
  "a gateway that is killed leaves no worker behind, also not one in the midst of its work",
  { skip: !linux },
  async () => {
    const program = `
    import { createMediaWorkers } from ${JSON.stringify(join(import.meta.dirname, "../../src/media/media-workers.ts"))};
    const workers = createMediaWorkers({ readable: [], size: 2 });
    void workers.probe({ bytes: 5000, read: () => new Promise(() => console.log("asked")) });
    void workers.probe({ bytes: 5000, read: () => new Promise(() => console.log("asked")) });`;
    const gateway = spawn(process.execPath, ["--input-type=module-typescript", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    gateway.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    await until("two files to be looked into", async () => output.split("asked").length === 3);
    const left = await workersOf(gateway.pid ?? 0);
    assert.equal(left.length, 2);
    gateway.kill("SIGKILL");
    await until("the workers to end with their gateway", async () => {
      const states = await Promise.all(
        left.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")),
      );
      return states.every((command) => !command.includes("media-child.ts"));
    });
  },
);

test(
  "a terminal's Ctrl-C does not reach the verdicts of a gateway that drains",
  { skip: !linux },
  async () => {
    const workers = createMediaWorkers({ readable: [], size: 1 });
    const source: MediaSource = {
      bytes: film.length,
      read: async (first, last) => {
        for (const pid of await workersOf(process.pid))
          for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.kill(pid, signal);
        return film.subarray(first, last + 1);
      },
    };
    assert.equal((await workers.probe(source)).ok, true);
    await workers.close();
  },
);

test("WebP and PNG become JPEG: on white, turned as they say, without their metadata, within the bytes", async (t) => {
  const workers = createMediaWorkers({ readable: [], size: 1 });
  const convert = (file: Buffer, maxBytes = 10_000_000): ReturnType<typeof workers.toJpeg> =>
    workers.toJpeg(inMemory(file), { maxBytes });
  await t.test("WebP", async () => {
    const made = await convert(await makeStill("webp", 300, 200));
    assert(made.ok, JSON.stringify(made));
    assert.deepEqual(made.facts, {
      kind: "image",
      contentType: "image/jpeg",
      width: 300,
      height: 200,
      frames: 1,
    });
    const again = await workers.probe(inMemory(Buffer.from(made.bytes)));
    assert.deepEqual(again, { ok: true, facts: made.facts });
  });
  await t.test("transparent PNG", async () => {
    const made = await convert(await still(20, 20, 4).png().toBuffer());
    assert(made.ok);
    const { default: sharp } = await import("sharp");
    const pixels = await sharp(made.bytes).raw().toBuffer();
    assert(
      pixels.every((value) => value >= 250),
      "what was transparent is white",
    );
  });
  await t.test("turned", async () => {
    const made = await convert(
      await still(300, 200)
        .withExif({ IFD0: { Copyright: "somebody's name" } })
        .withMetadata({ orientation: 6 })
        .webp()
        .toBuffer(),
    );
    assert(made.ok);
    assert.deepEqual([made.facts.width, made.facts.height], [200, 300]);
    assert.equal(Buffer.from(made.bytes).includes("Exif"), false);
  });
  await t.test("within the bytes by a lower quality, or not at all", async () => {
    const file = await makeStill("webp", 800, 800);
    const best = await convert(file);
    assert(best.ok);
    const cap = Math.floor(best.bytes.length * 0.6);
    const smaller = await convert(file, cap);
    assert(smaller.ok && smaller.bytes.length <= cap);
    const refused = await convert(file, 2000);
    assert(!refused.ok && refused.reason === "too_large", JSON.stringify(refused));
    assert.match(refused.message, /has \d+ bytes .* 2000 are allowed/);
  });
  await t.test("what moves is refused", async () => {
    const refused = await convert(await makeAnimation("webp"));
    assert(!refused.ok && refused.reason === "animated", JSON.stringify(refused));
  });
  await t.test("what is no picture, or a broken one, is refused", async () => {
    const reasons = await Promise.all([
      convert(film),
      convert(Buffer.from("<svg/>")),
      convert((await makeStill("webp")).subarray(0, -100)),
    ]);
    assert.deepEqual(
      reasons.map((verdict) => !verdict.ok && verdict.reason),
      ["unsupported", "not_media", "truncated"],
    );
  });
  await workers.close();
});
