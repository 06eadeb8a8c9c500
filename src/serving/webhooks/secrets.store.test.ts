/**
 * Guarantee: what signs webhooks is noise in the database, opens in its own row only, and signs for
 * as long as it was promised.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { dumpDatabase } from "../../../test/support/dump-database.ts";
import { newUuid } from "../../kernel/ids.ts";
import { createSeal } from "../../kernel/seal.ts";
import { changeSecret, findSecrets, makeSecret, type Signer } from "./secrets.store.ts";

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
