/**
 * Every word of a task's directives is understood wherever in the input it stands, and a typo is an
 * error.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BEHAVE, parseTaskDirectives, type TaskDirectives } from "./task-directives.ts";

function read(text: string, header = "", model = "m"): TaskDirectives {
  const parsed = parseTaskDirectives(header, { prompt: text }, model);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.message);
  return parsed.directives;
}

test("each word says what it does", () => {
  const cases: readonly [string, Partial<TaskDirectives>][] = [
    ["delay=1000", { queueMs: 300, runMs: 700 }],
    ["queue=5 run=6", { queueMs: 5, runMs: 6 }],
    ["stuck", { stuck: "running" }],
    ["stuck=queued", { stuck: "queued" }],
    ["state=dreaming", { state: "dreaming" }],
    ["progress=10,40,90", { progress: [10, 40, 90] }],
    ["position=3,1", { position: [3, 1] }],
    ['fail=501 message="out of luck"', { fail: "501", message: "out of luck" }],
    ["fail=blocked late=50", { fail: "blocked", lateMs: 50 }],
    [
      "output=none outputs=2 seconds=2.5 cost=12.5",
      { output: "none", outputs: 2, seconds: 2.5, cost: "12.5" },
    ],
    [
      "create=reset-after createTimes=3 createDelay=4",
      { create: "reset-after", createTimes: 3, createDelayMs: 4 },
    ],
    ["createStatus=503 retry-after=2", { createStatus: 503, retryAfter: "2" }],
    ["createCode=429", { createCode: 429 }],
    ["hidden=2 hiddenCode=404", { hidden: 2, hiddenCode: 404 }],
    ["poll=garbage pollTimes=2 pollDelay=7", { poll: "garbage", pollTimes: 2, pollDelayMs: 7 }],
    ["pollStatus=500 pollCode=501", { pollStatus: 500, pollCode: 501 }],
    [
      "webhook=early webhooks=100 webhookDelay=9",
      { webhook: "early", webhooks: 100, webhookDelayMs: 9 },
    ],
    [
      "result=truncated resultDelay=8 resultTtl=0",
      { result: "truncated", resultDelayMs: 8, resultTtlMs: 0 },
    ],
    ["resultUrl=http://169.254.169.254/x", { resultUrl: "http://169.254.169.254/x" }],
    ["resultStatus=503 resultTimes=2", { resultStatus: 503, resultTimes: 2 }],
    ["fetch=off cancel=refused tag=a", { fetch: false, cancel: "refused", tag: "a" }],
  ];
  for (const [words, expected] of cases)
    assert.deepEqual(read(`x [[sandbox: ${words}]] y`), { ...BEHAVE, ...expected }, words);
});

test("any text of the input is read, the header before it, and a block for another model is not", () => {
  const input = { prompt: "plain", list: [{ deep: "[[sandbox: tag=deep]]" }], number: 4 };
  const parsed = parseTaskDirectives("tag=header hidden=1", input, "m");
  assert.ok(parsed.ok);
  assert.equal(parsed.directives.tag, "deep");
  assert.equal(parsed.directives.hidden, 1);
  assert.equal(read("[[sandbox: model=other stuck]]").stuck, null);
});

test("unknown words and bad values are refused by name", () => {
  for (const words of [
    "creat=reset",
    "delay",
    "delay=x",
    "stuck=forever",
    "progress=10,x",
    "progress=101",
    "outputs=0",
    "seconds=0",
  ])
    assert.ok(!parseTaskDirectives(words, {}, "m").ok, words);
  for (const words of [
    "create=explode",
    "result=nice",
    "webhooks=1000",
    "createStatus=99",
    "fetch=on",
    "tag",
    "constructor=1",
  ])
    assert.ok(!parseTaskDirectives(words, {}, "m").ok, words);
});
