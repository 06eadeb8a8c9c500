/** Guards request ids: ordered by time, unique, and readable back from their public form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatRequestId, isUuid, newUuid, parseRequestId } from "./ids.ts";

test("new ids are valid, unique, and sort in the order they were made, within a millisecond and when the clock goes back", (t) => {
  const before = newUuid();
  assert.match(before, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 5 });
  // More than the 4,096 that one millisecond has room for.
  const many = Array.from({ length: 10_000 }, () => newUuid());
  t.mock.timers.setTime(Date.now() - 60_000);
  many.push(newUuid(), newUuid());
  t.mock.timers.setTime(Date.now() + 120_000);
  many.push(newUuid());
  assert.equal(new Set(many).size, many.length);
  assert.deepEqual([before, ...many].sort(), [before, ...many]);
  assert.equal(Number.parseInt((many.at(-1) ?? "").replaceAll("-", "").slice(0, 12), 16), Date.now());
});

test("a public request id gives its UUID back", () => {
  fc.assert(fc.property(fc.uuid(), (id) => parseRequestId(formatRequestId(id)) === id && parseRequestId(id) === id));
  assert.match(formatRequestId(newUuid()), /^req_[0-9a-f]{32}$/);
});

test("nothing else is taken for a request id", () => {
  const id = newUuid();
  for (const text of [
    "",
    "req_",
    formatRequestId(id).slice(0, -1),
    `${formatRequestId(id)}0`,
    formatRequestId(id).toUpperCase(),
    `x${id}`,
    `x${formatRequestId(id)}`,
    `${id}\n`,
    id.toUpperCase(),
  ]) {
    assert.equal(parseRequestId(text), null, JSON.stringify(text));
  }
  assert.equal(isUuid(id), true);
  assert.equal(isUuid(`${id}'; --`), false);
});
