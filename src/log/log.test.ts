/**
 * Guarantees of the log: one JSON object per line, no secret in it, nothing that was said is lost,
 * and a grave word is not kept back.
 */
// Runs in a process of its own: the log stays at the end of the process.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryTree } from "../../test/tools/temporary-tree.ts";
import { newKeySecret } from "../kernel/secrets.ts";
import { createLog } from "./log.ts";
import type { Log } from "./log.ts";

function opened(level = "info"): {
  readonly log: Log;
  readonly writes: string[];
  lines(): Record<string, unknown>[];
} {
  const writes: string[] = [];
  const log = createLog(level, (lines) => writes.push(lines.toString()));
  return {
    log,
    writes,
    lines() {
      log.fatal("the end");
      const texts = writes.join("").split("\n");
      assert.equal(texts.pop(), "", "every line has its end");
      return texts.slice(0, -1).map((text) => JSON.parse(text) as Record<string, unknown>);
    },
  };
}

test("a line says its level, time and process, then its fields in their order, then what happened", () => {
  const { log, writes } = opened();
  log.error({ b: 1, none: undefined, a: 'é\n"', list: [{ x: null }] }, "it\nhappened");
  assert.match(
    writes.join(""),
    /^\{"level":"error","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","pid":\d+,"b":1,"a":"é\\n\\"","list":\[\{"x":null\}\],"msg":"it\\nhappened"\}\n$/,
  );
});

test("a level has those that are graver; silent has none", () => {
  for (const [level, heard] of [
    ["silent", []],
    ["fatal", ["fatal"]],
    ["warn", ["warn", "error", "fatal"]],
    ["info", ["info", "warn", "error", "fatal"]],
    ["debug", ["debug", "info", "warn", "error", "fatal"]],
    ["trace", ["debug", "info", "warn", "error", "fatal"]],
  ] as const) {
    const writes: string[] = [];
    const log = createLog(level, (lines) => writes.push(lines.toString()));
    for (const name of ["debug", "info", "warn", "error", "fatal"] as const) log[name](name);
    const logged = writes.join("").match(/"msg":"\w+"/g) ?? [];
    assert.deepEqual(
      logged,
      heard.map((name) => `"msg":"${name}"`),
      level,
    );
  }
});

test("a key's secret is masked wherever in a line it stands, in every line of a batch", () => {
  const { log, lines } = opened();
  const secret = newKeySecret();
  log.info({ path: `/x/${secret}`, inner: { list: [secret] } }, `asked for ${secret}${secret}`);
  log.warn(secret);
  log.info({ err: new Error(secret, { cause: new Error(secret) }) }, "failed");
  log.info({ [secret]: 1 }, "named");
  const text = JSON.stringify(lines());
  assert.ok(!text.includes(secret));
  assert.equal(text.split("tg_live_").length, 11);
});

test("an error is told by its type, message, code and causes, and by nothing else that hangs on it", () => {
  const { log, lines } = opened();
  const cause = Object.assign(new TypeError("inside"), {
    code: "ECONNREFUSED",
    password: "hunter2",
  });
  log.warn({ at: 1, err: new Error("outside", { cause }) }, "failed");
  log.warn({ err: "thrown text" }, "failed");
  log.warn({ err: undefined }, "failed");
  const [first, second, third] = lines();
  const err = first?.["err"] as {
    type: string;
    message: string;
    stack: string;
    cause: Record<string, unknown>;
  };
  assert.deepEqual(
    [err.type, err.message, err.cause["type"], err.cause["code"]],
    ["Error", "outside", "TypeError", "ECONNREFUSED"],
  );
  assert.match(err.stack, /log\.test/);
  assert.doesNotMatch(JSON.stringify(first), /hunter2/);
  assert.deepEqual(second?.["err"], { message: "thrown text" });
  assert.ok(third !== undefined && !("err" in third));
});

test("what cannot be written as JSON does not keep a line from being written", () => {
  const { log, lines } = opened();
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  log.info(circle, "a circle");
  log.info({ amount: 1n }, "a bigint");
  assert.deepEqual(
    lines().map((line) => [line["msg"], typeof line["unwritable"]]),
    [
      ["a circle", "string"],
      ["a bigint", "string"],
    ],
  );
});

test("lines are written together, in order, at the latest after a moment; from a grave one on everything is written at once", async () => {
  const { log, writes } = opened();
  log.info("one");
  log.info("two");
  assert.equal(writes.length, 0);
  for (const deadline = Date.now() + 5_000; writes.length === 0 && Date.now() < deadline;)
    await sleep(10);
  assert.match(writes.join(""), /"one".*\n.*"two".*\n$/);
  assert.equal(writes.length, 1);
  log.info("three");
  log.error("four");
  assert.match(writes[1] ?? "", /"three".*\n.*"four".*\n$/);
  for (let i = 0; i < 1_000; i++) log.info({ i }, "many");
  assert.ok(writes.length > 3, "much is not kept back either");
  assert.ok(writes.every((write) => write.endsWith("\n") && write.length < 20_000));
});

test("whatever was said before the process ends is written, however it ends but by a kill", () => {
  using tree = temporaryTree({ log: "" });
  for (const [how, code] of [
    ["", 0],
    ["process.exit(3);", 3],
    ["setTimeout(() => { throw new Error('nobody caught this'); }, 1);", 1],
    ["Promise.reject(new Error('nor this'));", 1],
  ] as const) {
    const script = `
      import { createLog } from ${JSON.stringify(new URL("./log.ts", import.meta.url).href)};
      const log = createLog("info", (lines) => process.stdout.write(lines));
      for (let i = 0; i < 2_000; i++) log.info({ i }, "said");
      ${how}`;
    // Into a file, because what is written to a pipe may be waiting for its reader when the process
    // ends.
    const file = openSync(tree.path("log"), "w");
    const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", file, "ignore"],
    });
    closeSync(file);
    const stdout = tree.read("log");
    assert.equal(status, code, how);
    assert.equal(stdout.trimEnd().split("\n").length, 2_000, how);
    assert.match(stdout, /"i":1999,"msg":"said"\}\n$/);
  }
});
