/**
 * Guarantee: whatever became of the secret that was kept, webhooks are signed, by something that
 * the account's owner can have.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import { createSeal } from "../../kernel/seal.ts";
import { changeSecret, findSecrets, makeSecret, type Signer } from "./secrets.store.ts";
import { newWebhookSecret } from "./sign-webhook.ts";
import { PREVIOUS_SECONDS, signingSecrets, type SigningDeps } from "./signing-secrets.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

interface Process extends SigningDeps {
  readonly replaced: Signer[];
}

function openProcess(sessionSecret: string): Process {
  const replaced: Signer[] = [];
  return {
    db: database.db,
    seal: createSeal(sessionSecret),
    onReplaced: (signer) => replaced.push(signer),
    replaced,
  };
}

const OLD = "the secret of yesterday, thirty-two characters";
const NEW = "the secret of today, of thirty-two characters";
const newSigner = (purpose: Signer["purpose"] = "tasks"): Signer => ({
  accountId: newUuid(),
  purpose,
});

test("the first webhook makes a secret, whichever of several processes sends it, and the next ones are signed the same", async () => {
  const processes = [openProcess(OLD), openProcess(OLD), openProcess(OLD)];
  const signer = newSigner();
  const [first, ...others] = await Promise.all(
    processes.map((each) => signingSecrets(each, signer)),
  );
  assert.ok(first?.length === 1 && first[0]?.startsWith("whsec_"));
  for (const other of others) assert.deepEqual(other, first);
  assert.deepEqual(
    processes.flatMap(({ replaced }) => replaced),
    [],
  );
});

test("under another SESSION_SECRET one fresh secret signs, told once; the owner gets a known one by replacing it, and both sign", async () => {
  for (const purpose of ["tasks", "alerts"] as const) {
    const signer = newSigner(purpose);
    const kept = newWebhookSecret();
    await makeSecret(database.db, createSeal(OLD), signer, kept);
    const processes = [openProcess(NEW), openProcess(NEW), openProcess(NEW)];
    const [first, ...others] = await Promise.all(
      processes.map((each) => signingSecrets(each, signer)),
    );
    assert.equal(first?.length, 1);
    assert.notEqual(first[0], kept);
    for (const other of others) assert.deepEqual(other, first);
    assert.deepEqual(
      processes.flatMap(({ replaced }) => replaced),
      [signer],
    );
    const [now] = processes;
    assert.ok(now !== undefined);
    const chosen = newWebhookSecret();
    await changeSecret(database.db, now.seal, signer, {
      secret: chosen,
      previousSeconds: PREVIOUS_SECONDS,
    });
    assert.deepEqual(await signingSecrets(now, signer), [chosen, ...first]);
    assert.equal(
      now.replaced.length + processes[1]!.replaced.length + processes[2]!.replaced.length,
      1,
    );
  }
});

test("a process of another SESSION_SECRET by mistake does not keep the others from signing as receivers know it", async () => {
  const signer = newSigner();
  const right = openProcess(OLD);
  const known = await signingSecrets(right, signer);
  const wrong = openProcess(NEW);
  const strange = await signingSecrets(wrong, signer);
  assert.notDeepEqual(strange, known);
  for (let time = 0; time < 3; time += 1) {
    assert.deepEqual(await signingSecrets(right, signer), known);
    assert.deepEqual(await signingSecrets(wrong, signer), strange);
  }
  assert.deepEqual([right.replaced, wrong.replaced], [[], [signer]]);
  const shown = await findSecrets(database.db, wrong.seal, signer);
  assert.deepEqual(
    [shown?.previous, shown?.previousUntil],
    [null, null],
    "nobody is told of one that does not sign",
  );
});
