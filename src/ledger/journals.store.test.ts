/** Protects: who posts before reading hears of a database that is away, and of no damaged journal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "pg";
import type { Queryable } from "../db/database.ts";
import { Fault } from "../kernel/faults.ts";
import { newUuid } from "../kernel/ids.ts";
import { postAll } from "./journals.store.ts";

/** Two journals have a page each; posting the first one fails so. */
function failingOnce(failure: unknown): { readonly q: Queryable; readonly asked: () => number } {
  const answers: unknown[] = [
    [
      { journalId: newUuid(), pages: 1n },
      { journalId: newUuid(), pages: 1n },
    ],
    failure,
    [{ more: false, parked: [] }],
  ];
  let asked = 0;
  const run = async (): Promise<unknown> => {
    const answer = answers[asked++];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { q: { run, query: run } as unknown as Queryable, asked: () => asked };
}

function refused(code: string): DatabaseError {
  const error = new DatabaseError("refused", 0, "error");
  error.code = code;
  return error;
}

test("a journal that the books refuse keeps no reader from what the others say", async () => {
  const { q, asked } = failingOnce(refused("23514"));
  await postAll(q);
  assert.equal(asked(), 3);
});

for (const [what, failure] of [
  ["a database that is away", new Fault("overloaded", { retryAfterSeconds: 1 })],
  ["a lock that was not got in time", refused("55P03")],
] as const)
  test(`${what} is reported to the reader, who would read what is old`, async () => {
    const { q } = failingOnce(failure);
    await assert.rejects(postAll(q), failure);
  });
