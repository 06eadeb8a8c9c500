/**
 * Protects: `npm start &` outlives the script that said it, and what a killed npm started does not
 * outlive npm.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");
/** More than two looks at the parent. */
const NOTICED_MS = 2_500;

const folder = mkdtempSync(join(tmpdir(), "background-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    (answer) => answer.status === 200,
    () => false,
  );

test("a server begun in the background serves on after its script, and ends when its npm is killed", async () => {
  const log = join(folder, "log");
  const out = openSync(log, "w");
  const read = (): string => readFileSync(log, "utf8");
  const env = tollgateEnvironment({ PORT: "0", SANDBOX_PORT: "0", DATA_DIR: join(folder, "data") });
  // The script writes npm's id down and lives until its input ends.
  const line = `npm start </dev/null & echo $! >${folder}/npm; read -r _`;
  const script = spawn("sh", ["-c", line], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["pipe", out, out],
  });
  const ended = once(script, "exit");
  const url = await until("the introduction", async () => {
    const text = read();
    return text.includes("Stop with Ctrl-C")
      ? (/API +(http:\/\/127\.0\.0\.1:\d+)\/v1/.exec(text)?.[1] ?? null)
      : null;
  });
  script.stdin?.end();
  await ended;
  await sleep(NOTICED_MS);
  assert.ok(await answers(url), read());

  process.kill(Number(readFileSync(join(folder, "npm"), "utf8")), "SIGKILL");
  await until("the end of the server", async () => !(await answers(url)));
  await until("its last line", async () => read().includes('"msg":"stopped"'));
});
