/** No lane takes the room of all others, and no kind of work takes more than its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE_LIMITS } from "./advance-deps.ts";
import { createLaneBook } from "./advance-lanes.ts";

const LIMITS = {
  ...ENGINE_LIMITS,
  ingest: 5,
  ingestOfAccount: 2,
  submit: 100,
  submitOfModel: 3,
  pollOfUpstream: 100,
  collect: 4,
  collectOfUpstream: 3,
};
const due = (...lanes: readonly string[]) => lanes.map((lane) => ({ lane, inMs: -1 }));

test("each lane gets its own bound, the longest waiting first, until its kind is full", () => {
  const book = createLaneBook(LIMITS);
  const { orders, hungry } = book.share(
    due("ingest:a", "ingest:b", "submit:m", "ingest:c", "ingest:d", "poll:u"),
  );
  assert.deepEqual(orders, [
    { lane: "ingest:a", limit: 2 },
    { lane: "ingest:b", limit: 2 },
    { lane: "submit:m", limit: 3 },
    { lane: "ingest:c", limit: 1 },
    { lane: "poll:u", limit: 100 },
  ]);
  assert.equal(hungry, true);
});

test("what is under way counts, and what has ended does not", () => {
  const book = createLaneBook(LIMITS);
  for (const lane of ["collect:u", "collect:u", "collect:v"]) book.enter(lane);
  assert.deepEqual(book.active, { ingest: 0, submit: 0, poll: 0, collect: 3 });
  assert.deepEqual(book.share(due("collect:u", "collect:v")).orders, [
    { lane: "collect:u", limit: 1 },
  ]);
  for (const lane of ["collect:u", "collect:u", "collect:v"]) book.leave(lane);
  assert.deepEqual(book.active, { ingest: 0, submit: 0, poll: 0, collect: 0 });
  assert.deepEqual(book.share(due("collect:u")), {
    orders: [{ lane: "collect:u", limit: 3 }],
    hungry: false,
  });
});

test("what is not due yet is left", () => {
  const book = createLaneBook(LIMITS);
  assert.deepEqual(book.share([...due("submit:a"), { lane: "submit:b", inMs: 5 }]).orders, [
    { lane: "submit:a", limit: 3 },
  ]);
});

test("polls are leased in large batches: not again before half of them are done", () => {
  const book = createLaneBook(LIMITS);
  for (let count = 0; count < 51; count++) book.enter("poll:u");
  assert.deepEqual(book.share(due("poll:u")), { orders: [], hungry: true });
  book.leave("poll:u");
  assert.deepEqual(book.share(due("poll:u")).orders, [{ lane: "poll:u", limit: 50 }]);
});
