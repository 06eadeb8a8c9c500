/**
 * Protects: a collector is told of the log's lines what a closed list names, and nothing else: no
 * secret, no message of an error, nothing that a stranger chose.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newKeySecret } from "../kernel/secrets.ts";
import { exportLines, type ExportedLine } from "./exported-lines.ts";
import { createLog, type Log } from "./log.ts";

function listen(level: string): {
  readonly log: Log;
  readonly lines: ExportedLine[];
  written(): string;
} {
  const lines: ExportedLine[] = [];
  let text = "";
  const plain = createLog(level, (bytes) => {
    text += bytes.toString();
  });
  const log = exportLines(plain, level, (line) => lines.push(line));
  return {
    log,
    lines,
    written() {
      plain.error("the last");
      return text;
    },
  };
}

test("a request's line is told in OpenTelemetry's names, and written as ever", () => {
  const { log, lines, written } = listen("info");
  log.info({ requestId: "req_1", status: 200, ms: 1.5, param: "messages.0" }, "request", {
    model: "m",
    inputTokens: 3,
    modelRequested: "what-the-caller-wrote",
    brokenOff: "what an upstream said",
  });
  assert.deepEqual(
    lines.map(({ level, text, attributes }) => ({ level, text, attributes })),
    [
      {
        level: "info",
        text: "request",
        attributes: {
          "tollgate.request_id": "req_1",
          "http.response.status_code": 200,
          "tollgate.duration_ms": 1.5,
          "tollgate.model": "m",
          "gen_ai.usage.input_tokens": 3,
        },
      },
    ],
  );
  const [line = ""] = written().split("\n");
  assert.equal(JSON.parse(line).modelRequested, "what-the-caller-wrote");
});

test("of an error it is told what it is, not what it says", () => {
  const { log, lines } = listen("info");
  const cause = Object.assign(new Error("the prompt was: secret words"), { code: "ECONNRESET" });
  log.warn({ err: new TypeError("secret words", { cause }), to: "a@b.example" }, "a mail waits");
  log.error({ err: "secret words" }, "thrown");
  assert.deepEqual(
    lines.map(({ attributes }) => attributes),
    [{ "exception.type": "TypeError", "tollgate.error_code": "ECONNRESET" }, {}],
  );
});

test("no key secret leaves, and no field that is no plain value", () => {
  const { log, lines } = listen("info");
  const secret = newKeySecret();
  log.error({ upstream: secret, model: { name: secret }, kind: null }, `with ${secret} in it`);
  const exported = JSON.stringify(lines);
  assert.ok(!exported.includes(secret), exported);
  assert.ok(exported.includes("…"), "its mask is told");
  assert.deepEqual(Object.keys(lines[0]?.attributes ?? {}), ["tollgate.upstream"]);
});

test("a log tells a collector no more than it writes", () => {
  const { log, lines } = listen("warn");
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.fatal({ err: new Error("x") }, "d");
  assert.deepEqual(
    lines.map(({ text }) => text),
    ["c", "d"],
  );
  const silent = listen("silent");
  silent.log.fatal("e");
  assert.deepEqual(silent.lines, []);
});
