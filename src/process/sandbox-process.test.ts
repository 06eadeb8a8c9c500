/**
 * Protects: the built-in upstream keeps its address over a start that follows a killed one at once,
 * and another program on its port does not keep it from serving.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { startSandboxProcess } from "./sandbox-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function holdPort(): Promise<{ readonly holder: Server; readonly port: number }> {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  return { holder, port: (holder.address() as AddressInfo).port };
}

function start(port: number, lines: string[]) {
  const journalPath = join(folder, `tasks-${port}.jsonl`);
  return startSandboxProcess({ port, journalPath, log: (line) => lines.push(line) });
}

test("a port that is about to become free is waited for", async () => {
  const { holder, port } = await holdPort();
  const lines: string[] = [];
  const starting = start(port, lines);
  // It has found the port taken by then.
  for (let turns = 0; turns < 5; turns += 1) await turn();
  holder.close();
  const sandbox = await starting;
  try {
    assert.equal(sandbox.url, `http://127.0.0.1:${port}`);
    assert.deepEqual(lines, []);
    await sandbox.ready;
  } finally {
    await sandbox.stop();
  }
});

test("beside another program on its port it serves on another, and says so", async () => {
  const { holder, port } = await holdPort();
  const lines: string[] = [];
  const sandbox = await start(port, lines);
  try {
    assert.notEqual(sandbox.url, `http://127.0.0.1:${port}`);
    assert.match(lines.join(), new RegExp(`^port ${port} is taken; the sandbox listens on `));
    await sandbox.ready;
    assert.ok((await fetch(sandbox.url)).ok);
  } finally {
    await sandbox.stop();
    holder.close();
  }
});

test("one that is stopped before it listens is gone, and its port free", async () => {
  const { holder, port } = await holdPort();
  holder.close();
  await once(holder, "close");
  const sandbox = await start(port, []);
  await sandbox.stop();
  await assert.rejects(sandbox.ready, /ended/);
  const next = createServer().listen(port, "127.0.0.1");
  await once(next, "listening");
  next.close();
});
