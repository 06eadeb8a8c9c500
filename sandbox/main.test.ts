/**
 * The sandbox as a process: it says when it is ready, ends when told to, and does not outlive the
 * process that forked it.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

function start(args: string[], withChannel: boolean): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe", ...(withChannel ? (["ipc"] as const) : [])],
  });
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

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

for (const signal of SIGNALS) {
  test(`it serves, and exits 0 on ${signal}`, async () => {
    const child = start(["--port", "0"], false);
    const exited = once(child, "exit");
    const url = await ready(child);
    assert.equal((await fetch(url)).status, 200);
    child.kill(signal);
    assert.deepEqual(await exited, [0, null]);
  });
}

for (const signal of SIGNALS) {
  test(`with a parent it serves a stream to its end after ${signal} to all of its group, and exits when the channel closes`, async () => {
    const child = start(["--port", "0", "--word-delay", "20"], true);
    const exited = once(child, "exit");
    const answer = await fetch(`${await ready(child)}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer k" },
      body: JSON.stringify({
        model: "echo-large",
        stream: true,
        messages: [{ role: "user", content: "many words ".repeat(20) }],
      }),
    });
    assert.ok(answer.body !== null);
    let text = "";
    for await (const part of answer.body) {
      if (text === "") child.kill(signal);
      text += Buffer.from(part).toString();
    }
    assert.ok(text.endsWith("data: [DONE]\n\n"), text.slice(-200));
    child.disconnect();
    assert.deepEqual(await exited, [0, null]);
  });
}

test("a parent that is gone before the sandbox listens leaves none behind", async (t) => {
  // Looking up a name takes turns of the loop, in which the word comes; not each time.
  const children = Array.from({ length: 4 }, () =>
    start(["--port", "0", "--host", "localhost"], true),
  );
  t.after(() => children.map((child) => child.kill("SIGKILL")));
  const ended = children.map((child) => once(child, "exit"));
  for (const child of children) child.disconnect();
  assert.deepEqual(
    await Promise.all(ended),
    children.map(() => [0, null]),
  );
});

const noProc = existsSync("/proc/self/stat") ? false : "needs /proc";

test(
  "the process that makes media ends with the sandbox, also when that is killed; an orderly end leaves no files",
  { skip: noProc },
  async () => {
    const mine = (pid: number | undefined): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`tollgate-sandbox-${pid}-`));
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const child = start(["--port", "0", "--quiet"], false);
      const exited = once(child, "exit");
      const url = await ready(child);
      const headers = { authorization: "Bearer k" };
      // A film of a minute is on its way when the end comes.
      const body = JSON.stringify({
        prompt: "[[sandbox: delay=0]]",
        duration: 60,
        resolution: "2160p",
      });
      assert.equal(
        (await fetch(`${url}/fal/some/video`, { method: "POST", headers, body })).status,
        200,
      );
      let maker = "";
      for (const until = performance.now() + 5000; maker === "" && performance.now() < until;)
        maker = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
      assert.match(maker, /^\d+$/);
      child.kill(signal);
      await exited;
      const gone = (): boolean =>
        !existsSync(`/proc/${maker}`) ||
        readFileSync(`/proc/${maker}/stat`, "utf8").includes(") Z ");
      for (const until = performance.now() + 5000; !gone() && performance.now() < until;)
        await setTimeout(20);
      assert.ok(gone(), `process ${maker} outlived ${signal}`);
      if (signal === "SIGTERM") assert.deepEqual(mine(child.pid), []);
      for (const name of mine(child.pid)) rmSync(join(tmpdir(), name), { recursive: true });
    }
  },
);

test("a taken port is told in one line with exit 1, a bad argument with exit 2", async () => {
  const holder = createServer();
  holder.listen(0, "127.0.0.1");
  await once(holder, "listening");
  const address = holder.address();
  assert.ok(address !== null && typeof address === "object");
  for (const { args, code, text } of [
    {
      args: ["--port", String(address.port)],
      code: 1,
      text: /^sandbox: cannot listen on .*EADDRINUSE.*\n$/,
    },
    {
      args: ["--port", "70000"],
      code: 2,
      text: /^--port takes a whole number up to 65535, not "70000"\n$/,
    },
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
