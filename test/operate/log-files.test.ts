/**
 * Guarantee: a log that goes to a file is rotated while the gateway runs, by copying and truncating
 * as logrotate does, and no line is lost or torn; a renamed file is written on; and where the log's
 * volume is full the gateway serves, and logs on when there is room.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { moneyCatalogue } from "../money/money-catalogue.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const REQUESTS = 25;
/** More lines than the small volume holds. */
const MANY_REQUESTS = 600;
const AT_ONCE = 20;
const DISK_MEGABYTES = 1;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

/** What is in the file; nothing where it is not there yet. */
const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** Ids of the requests that the file has whole lines of, as often as it has them. */
function requestsIn(path: string): string[] {
  const lines = textOf(path).split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    const { msg, requestId } = JSON.parse(line) as { msg: unknown; requestId?: string };
    return msg === "request" && requestId !== undefined ? [requestId] : [];
  });
}

/** A gateway whose output goes to the end of a file, as `>>` and `StandardOutput=append:` lead it. */
async function startLogging(t: TestContext, logPath: string) {
  const folder = mkdtempSync(join(tmpdir(), "log-files-"));
  const catalogue = join(folder, "catalogue.yaml");
  writeFileSync(catalogue, moneyCatalogue("http://127.0.0.1:9"));
  const output = openSync(logPath, "a");
  const child = spawn(process.execPath, [CLI, "serve"], {
    cwd: folder,
    env: tollgateEnvironment({
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: join(folder, "data"),
      CATALOGUE: catalogue,
      SCRIPTED_API_KEY: "x",
      DATABASE_URL: database.url,
      SHUTDOWN_GRACE_SECONDS: "0",
    }),
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);
  const ended = once(child, "exit") as Promise<[number | null]>;
  t.after(async () => {
    child.kill("SIGTERM");
    assert.deepEqual((await ended)[0], 0);
    rmSync(folder, { recursive: true, force: true });
  });
  const url = await until("it listens", async () => {
    assert.equal(child.exitCode, null, textOf(logPath));
    return /"url":"(http:[^"]+)"[^\n]*"msg":"listening"/.exec(textOf(logPath))?.[1] ?? null;
  });
  return {
    /** Asks so often, and resolves to the ids of the requests. */
    async ask(count: number): Promise<string[]> {
      const ids: string[] = [];
      while (ids.length < count) {
        const wanted = Math.min(AT_ONCE, count - ids.length);
        const answers = await Promise.all(
          Array.from({ length: wanted }, () => fetch(`${url}/v1/balance`)),
        );
        for (const answer of answers) {
          await answer.arrayBuffer();
          assert.equal(answer.status, 401);
          ids.push(answer.headers.get("x-request-id") ?? "");
        }
      }
      return ids;
    },
  };
}

const hasAll = (path: string, ids: readonly string[]) => async (): Promise<boolean> => {
  const found = new Set(requestsIn(path));
  return ids.every((id) => found.has(id));
};

test("a file that is copied and truncated goes on at its beginning, every line whole and once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "logs-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "tollgate.log");
  const gateway = await startLogging(t, log);
  const asked: string[] = [];
  for (const copy of ["1", "2"]) {
    const ids = await gateway.ask(REQUESTS);
    asked.push(...ids);
    await until("they are in the log", hasAll(log, ids));
    copyFileSync(log, `${log}.${copy}`);
    truncateSync(log);
  }
  const last = await gateway.ask(REQUESTS);
  asked.push(...last);
  await until("the last ones are in the log", hasAll(log, last));
  // One that wrote on where it was would have left a hole of zeros before it.
  assert.equal(textOf(log)[0], "{");
  const found = [`${log}.1`, `${log}.2`, log].flatMap(requestsIn);
  assert.deepEqual(found.toSorted(), asked.toSorted());
});

test("a file that is renamed is written on under its new name, and no other comes in its place", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "logs-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "tollgate.log");
  const gateway = await startLogging(t, log);
  const before = await gateway.ask(REQUESTS);
  renameSync(log, `${log}.1`);
  writeFileSync(log, "");
  const behind = await gateway.ask(REQUESTS);
  await until("they are in the renamed one", hasAll(`${log}.1`, [...before, ...behind]));
  assert.equal(textOf(log), "");
});

test("on a full volume requests are answered as before, and their lines come again with room", async (t) => {
  const disk = openSmallDisk(t, DISK_MEGABYTES);
  if (disk === null) return;
  const log = join(disk.path, "tollgate.log");
  const gateway = await startLogging(t, log);
  const before = await gateway.ask(REQUESTS);
  await until("they are in the log", hasAll(log, before));
  disk.fill();
  await gateway.ask(MANY_REQUESTS);
  disk.makeRoom();
  // The line that found no room is there in part.
  truncateSync(log);
  const behind = await gateway.ask(REQUESTS);
  await until("lines come again", async () => {
    const whole = textOf(log)
      .split("\n")
      .filter((line) => behind.some((id) => line.startsWith("{") && line.includes(id)));
    return whole.length > 0;
  });
});
