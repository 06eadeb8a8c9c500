/**
 * Guarantee: what signs webhooks is noise in the database, opens in its own row only, and signs for
 * as long as it was promised.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { dumpDatabase } from "../../../test/support/dump-database.ts";
import { newUuid } from "../../kernel/ids.ts";
import { createSeal } from "../../kernel/seal.ts";
import { changeSecret, findSecrets, makeSecret, sealClear, type Signer } from "./secrets.store.ts";

const seal = createSeal("a secret of at least thirty-two characters");
const otherSeal = createSeal("another secret of thirty-two characters");
const DAY = 24 * 3600;
let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
const newSigner = (purpose: Signer["purpose"] = "tasks"): Signer => ({
  accountId: newUuid(),
  purpose,
});
const find = (signer: Signer) => findSecrets(database.db, seal, signer);

/** As it is, its key, and both in the spellings in which rows show bytes. */
async function assertNowhere(secrets: readonly string[]): Promise<void> {
  const dump = await dumpDatabase(database.db);
  assert.ok(dump.length > 0);
  for (const secret of secrets) {
    const key = secret.replace("whsec_", "");
    for (const text of [
      secret,
      key,
      Buffer.from(key).toString("hex"),
      Buffer.from(key, "base64").toString("hex"),
    ])
      assert.ok(!dump.includes(text), "a secret is in the database");
  }
}

/** As the migration left it. */
async function insertClear(
  { accountId, purpose }: Signer,
  clear: string,
  previousClear: string | null = null,
): Promise<void> {
  await database.db.query(
    `INSERT INTO webhooks.secrets (account_id, purpose, clear, previous_clear, previous_until)
     VALUES ($1, $2, $3, $4::text, CASE WHEN $4::text IS NOT NULL THEN now() + interval '1 hour' END)`,
    [accountId, purpose, clear, previousClear],
  );
}

test("a secret is in the database as noise only, when it is made and when it was replaced", async () => {
  for (const purpose of ["tasks", "alerts"] as const) {
    const signer = newSigner(purpose);
    const [first, second, third] = [newSecret(), newSecret(), newSecret()];
    await makeSecret(database.db, seal, signer, first);
    await makeSecret(database.db, seal, signer, third);
    assert.equal((await find(signer))?.secret, first, "it is made once");
    await assertNowhere([first]);
    const changed = await changeSecret(database.db, seal, signer, {
      secret: second,
      previousSeconds: DAY,
    });
    assert.deepEqual([changed.secret, changed.previous], [second, first]);
    assert.ok((changed.previousUntil?.getTime() ?? 0) > Date.now() + (DAY - 60) * 1000);
    assert.deepEqual(await find(signer), changed);
    await assertNowhere([first, second]);
    const last = await changeSecret(database.db, seal, signer, {
      secret: third,
      previousSeconds: 0,
    });
    assert.deepEqual([last.secret, last.previous, last.previousUntil], [third, null, null]);
    await assertNowhere([first, second, third]);
  }
});

test("the one before signs until its time is over", async () => {
  const signer = newSigner();
  await makeSecret(database.db, seal, signer, newSecret());
  await changeSecret(database.db, seal, signer, { secret: newSecret(), previousSeconds: DAY });
  await database.db.query(
    "UPDATE webhooks.secrets SET previous_until = now() WHERE account_id = $1",
    [signer.accountId],
  );
  const kept = await find(signer);
  assert.deepEqual([kept?.previous, kept?.previousUntil], [null, null]);
});

test("a sealed row that was copied to another account or purpose does not open, nor by another secret", async () => {
  const signer = newSigner();
  const secret = newSecret();
  await makeSecret(database.db, seal, signer, newSecret());
  await changeSecret(database.db, seal, signer, { secret, previousSeconds: DAY });
  const copies: readonly Signer[] = [newSigner(), { ...signer, purpose: "alerts" }];
  for (const copy of copies) {
    await database.db.query(
      `INSERT INTO webhooks.secrets (account_id, purpose, sealed, previous, previous_until)
       SELECT $1, $2, sealed, previous, previous_until FROM webhooks.secrets WHERE account_id = $3 AND purpose = $4`,
      [copy.accountId, copy.purpose, signer.accountId, signer.purpose],
    );
    const found = await find(copy);
    assert.deepEqual([found?.secret, found?.previous, found?.previousUntil], [null, null, null]);
  }
  assert.equal((await findSecrets(database.db, otherSeal, signer))?.secret, null);
  assert.equal((await find(signer))?.secret, secret);
});

test("what stands in the clear from before signs as it did, before and after it is changed or sealed", async () => {
  const [plain, followed, changed] = [newSigner("tasks"), newSigner("alerts"), newSigner("alerts")];
  const secrets = Array.from({ length: 5 }, newSecret);
  const [ofPlain, ofFollowed, before, ofChanged, fresh] = secrets as [
    string,
    string,
    string,
    string,
    string,
  ];
  await insertClear(plain, ofPlain);
  await insertClear(followed, ofFollowed, before);
  await insertClear(changed, ofChanged);
  await changeSecret(database.db, seal, changed, { secret: fresh, previousSeconds: DAY });
  const read = async () => {
    const found = await Promise.all([plain, followed, changed].map(find));
    return found.map((kept) => [kept?.secret, kept?.previous]);
  };
  const wanted = [
    [ofPlain, null],
    [ofFollowed, before],
    [fresh, ofChanged],
  ];
  assert.deepEqual(await read(), wanted);
  assert.equal(await database.db.transaction((tx) => sealClear(tx, seal)), 3);
  assert.deepEqual(await read(), wanted);
  await assertNowhere(secrets);
});

test("two processes that start at once seal each row once, and when either is through nothing is in the clear", async () => {
  const rows = Array.from({ length: 60 }, (_, index) => ({
    signer: newSigner(index % 2 ? "tasks" : "alerts"),
    secret: newSecret(),
  }));
  for (const { signer, secret } of rows) await insertClear(signer, secret);
  const start = async (): Promise<{ sealed: number; left: number }> => {
    const sealed = await database.db.transaction((tx) => sealClear(tx, seal));
    return {
      sealed,
      left: (await database.db.query("SELECT FROM webhooks.secrets WHERE clear IS NOT NULL"))
        .length,
    };
  };
  const starts = await Promise.all([start(), start(), start()]);
  assert.equal(
    starts.reduce((sum, { sealed }) => sum + sealed, 0),
    rows.length,
  );
  assert.deepEqual(
    starts.map(({ left }) => left),
    [0, 0, 0],
  );
  for (const { signer, secret } of rows) assert.equal((await find(signer))?.secret, secret);
  assert.equal(await database.db.transaction((tx) => sealClear(tx, seal)), 0);
});

test("a start waits for another one that seals, and does it itself when that one dies", async () => {
  const signer = newSigner();
  const secret = newSecret();
  await insertClear(signer, secret);
  const [locked, death] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const dying = database.db.transaction(async (tx) => {
    assert.equal(await sealClear(tx, seal), 1);
    locked.resolve();
    await death.promise;
    throw new Error("it died");
  });
  await locked.promise;
  const waiting = database.db.transaction((tx) => sealClear(tx, seal));
  // A call that does not wait is through by then.
  await Promise.race([waiting, sleep(200)]);
  death.resolve();
  await assert.rejects(dying, /it died/);
  assert.equal(await waiting, 1);
  await assertNowhere([secret]);
});
