/**
 * Thousands of tasks are asked about with few statements, and an outage of the database loses none
 * of them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { measurePolls } from "../../../test/support/poll-throughput.ts";
import { queryableThrough } from "../../../test/support/queryable-through.ts";
import type { Db } from "../../db/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { PollNote } from "../../tasks/jobs.store.ts";
import { createPollNotes } from "./poll-notes.ts";

test("three thousand due tasks: each is asked about once, with a statement for every fifty at most", async () => {
  const { polls, statements } = await measurePolls(3_000, null);
  assert.equal(polls, 3_000);
  assert.ok(statements < 60, `${statements} statements`);
});

test("what could not be written is tried once more, and then left to the leases", async () => {
  const errors: string[] = [];
  let broken = 1;
  const written: number[] = [];
  const db = queryableThrough(async (_text, parameters) => {
    broken -= 1;
    if (broken >= 0) throw new Error("gone");
    written.push((parameters[3] as unknown[]).length);
    return [];
  });
  const notes = createPollNotes({
    db: db as Db,
    onError: (what) => errors.push(what),
  });
  const note = (): PollNote => ({
    accountId: newUuid(),
    taskId: newUuid(),
    leaseId: newUuid(),
    phase: "running",
    dueInMs: 1,
    tries: 0,
    progress: null,
    queuePosition: null,
    changed: false,
  });
  await Promise.all([notes.add(note()), notes.add(note())]);
  assert.deepEqual([written, errors.length], [[2], 1]);
  broken = 2;
  await notes.add(note());
  assert.deepEqual([written, errors.length], [[2], 3]);
});
