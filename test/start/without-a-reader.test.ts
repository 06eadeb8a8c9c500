/**
 * Protects: the reader of what `npm start` prints may go away or stop reading; the server serves
 * on, and ends when it is told to.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";

const START = join(import.meta.dirname, "../../src/main/start.ts");
/** Longer than the log keeps its lines together. */
const WRITTEN_MS = 300;
/** Their lines are more than a pipe holds. */
const MANY_REQUESTS = 900;
const END_MS = 15_000;

const folder = mkdtempSync(join(tmpdir(), "reader-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Started, read up to the end of its introduction, and from then on no more. */
async function start(): Promise<{ child: ChildProcess; url: string }> {
  const env = tollgateEnvironment({ PORT: "0", SANDBOX_PORT: "0", DATA_DIR: join(folder, "data") });
  const child = spawn(process.execPath, [START], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const introduced = Promise.withResolvers<void>();
  let text = "";
  child.stdout.on("data", (piece: Buffer) => {
    text += piece.toString();
    if (text.includes("Stop with Ctrl-C")) introduced.resolve();
  });
  child.once("exit", () => introduced.reject(new Error(text)));
  await introduced.promise;
  child.stdout.pause();
  return { child, url: /API +(http:\/\/127\.0\.0\.1:\d+)\/v1/.exec(text)?.[1] ?? "" };
}

async function ask(url: string): Promise<void> {
  const answer = await fetch(`${url}/v1/balance`);
  assert.equal(answer.status, 401);
  await answer.text();
}

async function stop(child: ChildProcess): Promise<number | null> {
  const ended = once(child, "exit") as Promise<[number | null]>;
  child.kill("SIGINT");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  const [code] = await ended;
  clearTimeout(timer);
  return code;
}

test("a reader that goes away takes nothing with it", async () => {
  const { child, url } = await start();
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (let index = 0; index < 3; index += 1) {
    await ask(url);
    await sleep(WRITTEN_MS);
  }
  assert.equal(await stop(child), 0);
});

test("a reader that stops reading holds up neither requests nor the end", async () => {
  const { child, url } = await start();
  for (let index = 0; index < MANY_REQUESTS; index += 1) await ask(url);
  assert.equal(await stop(child), 0);
});
