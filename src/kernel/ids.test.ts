/** Guards request ids: ordered by time, unique, and readable back from their public form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createUuidSource, formatRequestId, isUuid, newUuid, parseRequestId } from "./ids.ts";

test("new ids are valid, unique, and sort in the order they were made", () => {
  // More than the 4,096 that one millisecond has room for.
  const many = Array.from({ length: 20_000 }, () => newUuid());
  for (const id of many)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(many).size, many.length);
  assert.deepEqual(
    many.filter((id, index) => id <= (many[index - 1] ?? "")),
    [],
  );
});

test("ids keep their order within a millisecond, past its room, and when the clock is set back", () => {
  const at = (ms: number): string => {
    const hex = ms.toString(16).padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7fff-8000-000000000000`;
  };
  let now = 0x0199_ffff_ffff;
  const next = createUuidSource(
    () => now,
    (into) => into.fill(0),
  );
  const ids = Array.from({ length: 5_000 }, next);
  assert.deepEqual(
    [ids[0], ids[1]],
    ["0199ffff-ffff-7000-8000-000000000000", "0199ffff-ffff-7001-8000-000000000000"],
  );
  assert.equal(ids[4_096], "019a0000-0000-7000-8000-000000000000");
  now -= 60_000;
  ids.push(next());
  now += 120_000;
  ids.push(next());
  assert.equal(ids.at(-1), at(now).replace("7fff", "7000"));
  assert.deepEqual(ids.toSorted(), ids);
});

test("all that is not time, count, version or variant is chance, new in every id", () => {
  let byte = 0;
  const next = createUuidSource(
    () => 1,
    (into) => {
      for (let i = 0; i < into.length; i++) into[i] = byte++;
    },
  );
  const tails = Array.from({ length: 3 }, () => next().slice(19));
  assert.deepEqual(tails, ["8001-020304050607", "8809-0a0b0c0d0e0f", "9011-121314151617"]);
  let filled = 0;
  const full = createUuidSource(
    () => 1,
    (into) => {
      filled += 1;
      into.fill(0xff);
    },
  );
  for (let i = 0; i < 300; i++) assert.equal(full().slice(19), "bfff-ffffffffffff");
  assert.equal(filled, 2);
});

test("a public request id gives its UUID back", () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      (id) => parseRequestId(formatRequestId(id)) === id && parseRequestId(id) === id,
    ),
  );
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
