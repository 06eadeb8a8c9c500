/**
 * Protects: what a tree of processes used is counted whole, PostgreSQL apart, and what has ended is
 * not forgotten.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { test } from "node:test";
import {
  readDatabaseMemory,
  readMachineBusyMs,
  readTreeHandles,
  readTreeMemory,
  readTreeUse,
} from "./process-tree.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
/**
 * What a process goes on to use after it has told, and 10 ms for each time that is counted in
 * ticks.
 */
const TICKS_MS = 60;

/**
 * Works for a while, tells what it used by its own account, starts what it is told to, and waits.
 */
const PROGRAM = `
const { spawn, execFileSync } = require("node:child_process");
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const work = () => { const end = used() + 150; while (used() < end); };
const tell = (more) => console.log(JSON.stringify({ own: used(), rss: process.memoryUsage.rss(), ...more }));
const [role] = process.argv.slice(1);
process.title = role;
work();
if (role === "gateway") {
  const ended = JSON.parse(execFileSync(process.execPath, ["-e", process.env.PROGRAM, "short"])).own;
  const child = spawn(process.execPath, ["-e", process.env.PROGRAM, "postgres"], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdout.once("data", (said) => tell({ ended, database: JSON.parse(said).own }));
} else tell({});
if (role !== "short") process.stdin.on("end", () => process.exit()).resume();
`;

test(
  "a tree's time is its own processes', the ended ones' too; what runs as postgres is counted apart",
  { skip },
  async () => {
    const child = spawn(process.execPath, ["-e", PROGRAM, "gateway"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, PROGRAM },
    });
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
      const reported = JSON.parse(line) as {
        own: number;
        ended: number;
        database: number;
        rss: number;
      };
      const use = readTreeUse(child.pid ?? 0);
      assert.ok(
        Math.abs(use.databaseMs - reported.database) <= TICKS_MS,
        `${use.databaseMs} ms for ${reported.database} ms`,
      );
      const own = reported.own + reported.ended;
      assert.ok(Math.abs(use.ownMs - own) <= TICKS_MS, `${use.ownMs} ms for ${own} ms`);
      const memory = readTreeMemory(child.pid ?? 0);
      assert.ok(
        Math.abs(memory.rss - reported.rss) < reported.rss * 0.2,
        `${memory.rss} for ${reported.rss}`,
      );
      assert.ok(memory.pss > 0 && memory.pss <= memory.rss);
      assert.ok(readTreeUse(process.pid).ownMs >= use.ownMs, "we are above it");
    } finally {
      child.stdin.end();
      await once(child, "exit");
    }
    assert.throws(() => readTreeUse(child.pid ?? 0), /there is no process/);
  },
);

test(
  "what is held open is counted: files, sockets and processes come and go",
  { skip },
  async () => {
    const before = readTreeHandles(process.pid);
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: "pipe" });
    await once(child, "spawn");
    const more = readTreeHandles(process.pid);
    assert.equal(more.processes, before.processes + 1);
    assert.ok(more.sockets > before.sockets && more.descriptors > before.descriptors);
    assert.ok(more.threads > before.threads);
    assert.equal(readDatabaseMemory(process.pid), 0);
    child.stdin.end();
    await once(child, "exit");
    server.close();
    await once(server, "close");
    assert.equal(readTreeHandles(process.pid).processes, before.processes);
  },
);

test("the machine's work counts ours", { skip }, () => {
  const before = { machine: readMachineBusyMs(), own: process.cpuUsage() };
  const end = performance.now() + 300;
  while (performance.now() < end);
  const { user, system } = process.cpuUsage(before.own);
  assert.ok(readMachineBusyMs() - before.machine >= (user + system) / 1000 - TICKS_MS);
});
