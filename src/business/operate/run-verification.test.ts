/**
 * Protects the ledger's regular verification: one process at a time, taken over from a dead one,
 * kept with what it found, and asked for again in time.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { openDatabase, type Db } from "../../db/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { registerOwner } from "../../ledger/owners.store.ts";
import type { Verification } from "../../ledger/verify.store.ts";
import { createAccount } from "../accounts/create-account.ts";
import { readLedgerStatus } from "./ledger-status.ts";
import { runVerification } from "./run-verification.ts";
import { breakOff, claimVerification } from "./verifications.store.ts";

let database: TestDatabase;
let ownerId: Uuid;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());
beforeEach(async () => {
  ownerId = newUuid();
  await registerOwner(database.db, ownerId);
  await database.db.query("DELETE FROM operate.verifications");
});

function patientDb(applicationName = "patient"): Db {
  return openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName,
    onError: () => undefined,
  });
}

async function verify(openPatient: () => Db = patientDb): Promise<Verification[]> {
  const found: Verification[] = [];
  const onVerified = (result: Verification): void => void found.push(result);
  await runVerification({ db: database.db, ownerId, openPatient, onVerified });
  return found;
}

async function age(minutes: number): Promise<void> {
  await database.db.query(
    `UPDATE operate.verifications SET asked_at = asked_at - $1 * interval '1 minute', started_at = started_at - $1 * interval '1 minute',
       finished_at = finished_at - $1 * interval '1 minute'`,
    [minutes],
  );
}

test("the first comes at once, the next when an hour is over", async () => {
  assert.equal((await verify()).length, 1);
  const { last, pending } = await readLedgerStatus(database.db);
  assert.deepEqual([last?.state, last?.mismatchCount, pending], ["done", 0, null]);
  assert.equal((await verify()).length, 0);
  await age(59);
  assert.equal((await verify()).length, 0);
  await age(2);
  assert.equal((await verify()).length, 1);
});

test("a verification that takes long comes less often", async () => {
  await verify();
  await database.db.query(
    "UPDATE operate.verifications SET started_at = finished_at - interval '10 minutes'",
  );
  await age(190);
  assert.equal((await verify()).length, 0);
  await age(11);
  assert.equal((await verify()).length, 1);
});

test("what does not agree is told and kept", async () => {
  const { db } = database;
  const made = await createAccount(db, { name: "wrong", email: null, operator: false });
  assert.ok(made.kind === "created");
  await db.query("UPDATE ledger.accounts SET credited_nano = 5 WHERE account_id = $1", [
    made.accountId,
  ]);
  try {
    const [reported] = await verify();
    assert.ok(reported !== undefined && reported.mismatches.length > 0);
    const { last } = await readLedgerStatus(db);
    assert.equal(last?.mismatchCount, reported.mismatches.length);
    assert.ok(
      last?.mismatches.some(
        ({ where, id }) => where === "account.credited" && id === made.accountId,
      ),
    );
  } finally {
    await db.query("UPDATE ledger.accounts SET credited_nano = 0 WHERE account_id = $1", [
      made.accountId,
    ]);
  }
});

test("of many processes one gets it; that of a process that lives stays its own, that of a dead one is taken over", async () => {
  const { db } = database;
  const owners = [ownerId, newUuid(), newUuid(), newUuid()];
  for (const owner of owners) await registerOwner(db, owner);
  const claims = await Promise.all(owners.map((owner) => claimVerification(db, owner, 60)));
  const claimed = claims.filter((claim) => claim !== null);
  assert.equal(claimed.length, 1);
  const holder = owners[claims.findIndex((claim) => claim !== null)] ?? "";
  const other = owners.find((owner) => owner !== holder) ?? "";
  assert.equal(await claimVerification(db, other, 60), null);
  await db.query(
    "UPDATE ledger.owners SET alive_until = clock_timestamp() - interval '1 second' WHERE owner_id = $1",
    [holder],
  );
  assert.equal(await claimVerification(db, other, 60), claimed[0]);
});

test("one that is broken off is told apart from a result, and begun anew in minutes instead of an hour", async () => {
  const { db } = database;
  await verify();
  const good = (await readLedgerStatus(db)).last;
  await age(61);
  const name = `broken ${newUuid()}`;
  const broken = (): Db => {
    const patient = patientDb(name);
    return {
      ...patient,
      transaction: (work) =>
        patient.transaction(async (tx) => {
          await tx.query("SELECT 1");
          await breakOff(db, name);
          return work(tx);
        }),
    };
  };
  await assert.rejects(verify(broken));
  const { last, pending } = await readLedgerStatus(db);
  assert.deepEqual([last?.verificationId, pending], [good?.verificationId, null]);
  assert.equal((await verify()).length, 0);
  await age(6);
  assert.equal((await verify()).length, 1);
});
