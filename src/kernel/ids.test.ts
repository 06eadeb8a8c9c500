/** Guards request ids: ordered by time, unique, and readable back from their public form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatRequestId, isUuid, newUuid, parseRequestId } from "./ids.ts";

test("new ids are valid, unique, and sort by the time they were made", async () => {
  const before = newUuid();
  assert.match(before, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const many = Array.from({ length: 2_000 }, () => newUuid());
  assert.equal(new Set(many).size, many.length);
  // The time part has whole milliseconds; wait until the next one has begun.
  const start = Date.now();
  while (Date.now() <= start) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(newUuid() > before);
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
