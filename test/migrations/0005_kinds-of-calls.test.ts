/**
 * Guarantee: sums of hours that were there stay as they are, and what is answered at once is summed
 * by its own kind from then on.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWERED_ENDPOINTS, kindOfEndpoint } from "../../src/contract/enums/chat-endpoint.ts";
import { REQUEST_KINDS } from "../../src/contract/enums/request-kind.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

const ROW = `INSERT INTO usage.hourly (account_id, hour, kind, model, state, upstream, ended, charged_nano, loss_nano, unknown_requests,
  unknown_charged_nano, input_tokens, cached_tokens, output_tokens, duration_ms, first_ms, firsts, first_id, last_id)
  VALUES ($1, '2026-01-01', $2, 'm', 'completed', 'up', 1, 5, 0, 0, 0, 1, 0, 1, 1, 0, 0, $3, $3)`;

test("hours of before keep their kind, every kind of now has a place, and no other", async () => {
  await using before = await databaseBefore(5);
  const { db } = before;
  const accountId = newUuid();
  for (const kind of ["chat", "task"]) await db.query(ROW, [accountId, kind, newUuid()]);
  await assert.rejects(db.query(ROW, [accountId, "embedding", newUuid()]));

  await before.apply();

  const kept = "SELECT kind, charged_nano FROM usage.hourly WHERE account_id = $1 ORDER BY kind";
  assert.deepEqual(await db.query(kept, [accountId]), [
    { kind: "chat", charged_nano: 5n },
    { kind: "task", charged_nano: 5n },
  ]);
  for (const kind of REQUEST_KINDS) await db.query(ROW, [newUuid(), kind, newUuid()]);
  await assert.rejects(db.query(ROW, [newUuid(), "other", newUuid()]));
});

test("the database has every endpoint in the kind that the program has it in", async () => {
  await using before = await databaseBefore(5);
  await before.apply();
  for (const endpoint of ANSWERED_ENDPOINTS) {
    const found = await before.db.query("SELECT usage.kind_of($1) AS kind", [endpoint]);
    assert.deepEqual(found, [{ kind: kindOfEndpoint(endpoint) }], endpoint);
  }
});
