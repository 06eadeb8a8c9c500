/**
 * Guarantee: the room that an account's files took before there were kept answers is still taken,
 * to the byte, and the quota counts both from then on.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { usedBytes } from "../../src/files/files.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { keepResponse } from "../../src/responses/responses.store.ts";
import { newResponse } from "../support/new-response.ts";
import { databaseBefore } from "./database-before.ts";

test("what files took before counts with what is kept after", async () => {
  await using before = await databaseBefore(6);
  const { db } = before;
  const accountId = newUuid();
  await db.query("INSERT INTO files.usage (account_id, bytes, files) VALUES ($1, 900, 3)", [
    accountId,
  ]);

  await before.apply();

  assert.equal(await usedBytes(db, accountId), 900);
  const half = { accountId, sealedInput: Buffer.alloc(30), sealedResponse: Buffer.alloc(30) };
  const keep = (): Promise<string> => keepResponse(db, newResponse({ ...half, quotaBytes: 1_000 }));
  assert.deepEqual([await keep(), await keep()], ["kept", "full"]);
  assert.equal(await usedBytes(db, accountId), 960);
});
