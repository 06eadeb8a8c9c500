/** The sandbox as a process: it says when it is ready, ends when told to, and does not outlive the process that forked it. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

function start(args: string[], withChannel: boolean): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe", ...(withChannel ? (["ipc"] as const) : [])] });
}

/** The address of its one line. */
async function ready(child: ChildProcess): Promise<string> {
  let text = "";
  assert.ok(child.stdout);
  for await (const part of child.stdout) {
    text += String(part);
    if (text.includes("\n")) break;
  }
  const url = /^sandbox listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(text)?.[1];
  assert.ok(url !== undefined, `its first output was ${JSON.stringify(text)}`);
  return url;
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`it serves, and exits 0 on ${signal}`, async () => {
    const child = start(["--port", "0"], false);
    const exited = once(child, "exit");
    const url = await ready(child);
    assert.equal((await fetch(url)).status, 200);
    child.kill(signal);
    assert.deepEqual(await exited, [0, null]);
  });
}

test("it exits when the channel to its parent closes, and leaves Ctrl-C to that parent", async () => {
  const child = start(["--port", "0"], true);
  const exited = once(child, "exit");
  const url = await ready(child);
  child.kill("SIGINT");
  assert.equal((await fetch(url)).status, 200);
  child.disconnect();
  assert.deepEqual(await exited, [0, null]);
});

test("a taken port is told in one line with exit 1, a bad argument with exit 2", async () => {
  const holder = createServer();
  holder.listen(0, "127.0.0.1");
  await once(holder, "listening");
  const address = holder.address();
  assert.ok(address !== null && typeof address === "object");
  for (const { args, code, text } of [
    { args: ["--port", String(address.port)], code: 1, text: /^sandbox: cannot listen on .*EADDRINUSE.*\n$/ },
    { args: ["--port", "70000"], code: 2, text: /^--port takes a whole number up to 65535, not "70000"\n$/ },
  ]) {
    const child = start(args, false);
    const exited = once(child, "exit");
    let stderr = "";
    child.stderr?.on("data", (part: Buffer) => (stderr += part.toString()));
    assert.deepEqual(await exited, [code, null]);
    assert.match(stderr, text);
  }
  holder.close();
});
