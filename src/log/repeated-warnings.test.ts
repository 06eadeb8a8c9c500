/**
 * Protects: an outage that fails everything at once leaves a few lines with a count in the log, and
 * no matter goes untold.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { createRepeatedWarnings } from "./repeated-warnings.ts";

interface Reported {
  readonly what: string;
  readonly times: number | undefined;
  readonly last: string;
}

function listen(quietMs: number): {
  readonly reported: Reported[];
  readonly warnings: ReturnType<typeof createRepeatedWarnings>;
} {
  const reported: Reported[] = [];
  const warn = (fields: object | string, message?: string): void => {
    const { err, times } = fields as { err: Error; times?: number };
    reported.push({ what: message ?? "", times, last: err.message });
  };
  return { reported, warnings: createRepeatedWarnings({ warn }, quietMs) };
}

const refused = (message: string): Error =>
  Object.assign(new Error(message), { code: "ECONNREFUSED" });
const QUIET_MS = 100;

test("the first of a matter is told at once, the rest together with their number, and after a silence it is news again", async () => {
  const { reported, warnings } = listen(QUIET_MS);
  for (let index = 1; index <= 1000; index++)
    warnings.warn("no record", new Error("overloaded", { cause: refused(`to ${index}`) }));
  assert.deepEqual(reported, [{ what: "no record", times: undefined, last: "overloaded" }]);
  await sleep(1.5 * QUIET_MS);
  assert.deepEqual(reported.slice(1), [{ what: "no record", times: 999, last: "overloaded" }]);
  await sleep(1.5 * QUIET_MS);
  warnings.warn("no record", refused("again"));
  assert.deepEqual(reported.slice(2), [{ what: "no record", times: undefined, last: "again" }]);
});

test("another matter and another reason are told by themselves, however deep the reason lies", () => {
  const { reported, warnings } = listen(60_000);
  const starting = Object.assign(new Error("c"), { code: "57P03" });
  warnings.warn("no record", refused("a"));
  warnings.warn("no mail", refused("b"));
  warnings.warn("no record", new Error("overloaded", { cause: starting }));
  warnings.warn("no record", new Error("overloaded", { cause: new Error("a bug") }));
  assert.equal(reported.length, 4);
});

test("the end tells what was only counted", () => {
  const { reported, warnings } = listen(60_000);
  for (const last of ["a", "b", "c"]) warnings.warn("no record", refused(last));
  warnings.close();
  warnings.close();
  assert.deepEqual(reported.slice(1), [{ what: "no record", times: 2, last: "c" }]);
});

test("reasons without end take no memory without end", () => {
  const { reported, warnings } = listen(60_000);
  for (let index = 0; index < 1000; index++) warnings.warn("no record", new Error(`of ${index}`));
  assert.equal(reported.length, 101);
  warnings.close();
  assert.deepEqual(reported.at(-1), { what: "no record", times: 899, last: "of 999" });
});
