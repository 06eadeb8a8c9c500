/**
 * Protects: what one account keeps the process busy with stands in its own queue, and in no
 * other's.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../kernel/ids.ts";
import { createAccountTurns } from "./account-turns.ts";

test("one thing at a time for an account, others beside it, no more waiting than there may; a failure lets the next one go", async () => {
  const turns = createAccountTurns(2);
  const [one, other] = [newUuid(), newUuid()];
  const { promise, reject } = Promise.withResolvers<string>();
  const log: string[] = [];
  const first = turns.take(one, () => promise);
  const second = turns.take(one, async () => log.push("second"));
  assert.equal(await turns.take(one, async () => log.push("third")), null);
  assert.equal(await turns.take(other, async () => log.push("other")), 1);
  assert.deepEqual(log, ["other"]);
  reject(new Error("no"));
  await assert.rejects(first, /no/);
  assert.equal(await second, 2);
  assert.equal(await turns.take(one, async () => log.push("again")), 3);
});
