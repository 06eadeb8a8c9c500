/**
 * Protects: a process that cannot reach its database or its files, or is ending, gets no requests,
 * and says which of them it is.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { isReady } from "./is-ready.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

const GOOD = {
  ledger: { silent: false },
  files: { check: async () => undefined },
  draining: false,
};

test("each of them is told apart, and a storage that never answers is not waited for", async () => {
  const { db } = database;
  assert.deepEqual(await isReady({ ...GOOD, db }), {
    ok: true,
    checks: { database: "ok", storage: "ok", draining: "ok" },
  });
  for (const check of [
    () => Promise.reject(new Error("s3://key:hunter2@host")),
    () => new Promise<undefined>(() => undefined),
  ]) {
    const report = await isReady({ ...GOOD, db, files: { check } });
    assert.deepEqual(report, {
      ok: false,
      checks: { database: "ok", storage: "does not answer", draining: "ok" },
    });
  }
  assert.equal(
    (await isReady({ ...GOOD, db, ledger: { silent: true } })).checks["database"],
    "does not answer",
  );
  assert.equal((await isReady({ ...GOOD, db, draining: true })).ok, false);
});
