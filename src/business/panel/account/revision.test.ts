/**
 * Guarantee: of two who change the same key or group from the same settings, one is refused, whatever
 * process serves each; spending is no change of settings.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { Fault } from "../../../kernel/faults.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { nano } from "../../../kernel/money.ts";
import { changeAccountGroup } from "./change-account-group.ts";
import { changeAccountKey, type KeyWishes } from "./change-account-key.ts";
import { createAccountGroup } from "./create-account-group.ts";
import { readAccountKey } from "./list-account-keys.ts";
import { readAccountGroup } from "./list-account-groups.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

async function outcomeOf(change: Promise<unknown>): Promise<string> {
  try {
    await change;
    return "changed";
  } catch (error) {
    if (error instanceof Fault) return `${error.code} ${error.details.reason ?? ""}`;
    throw error;
  }
}

const LIMIT = { amountNano: nano(5_000_000_000n), period: "month" } as const;

test("a key: each setting makes another revision, and the first of two changes wins", async () => {
  const accountId = await scene.account("100");
  const { key } = await scene.key(accountId);
  const { id: groupId } = await createAccountGroup(scene.db, {
    accountId,
    name: "Отдел",
    limit: null,
    models: null,
    once: null,
  });
  const change = (wishes: KeyWishes, db = scene.db) =>
    changeAccountKey(db, systemClock, accountId, key.hash, wishes);
  const now = async (): Promise<string> =>
    (await readAccountKey(scene.db, systemClock, accountId, key.hash)).revision;
  const wishes: readonly KeyWishes[] = [
    { name: "a" },
    { limit: LIMIT },
    { limit: { ...LIMIT, period: "day" } },
    { models: ["sandbox-large"] },
    { ips: ["10.0.0.0/8"] },
    { expiresAt: new Date(Date.now() + 3_600_000) },
    { requestsPerMinute: 5 },
    { maxTasks: 5 },
    { groupId },
  ];
  const seen = new Set([await now()]);
  for (const wish of wishes) {
    const revision = await now();
    assert.equal(await outcomeOf(change({ ...wish, revision })), "changed");
    assert.equal(
      await outcomeOf(change({ name: "late", revision })),
      "conflict changed_meanwhile",
      JSON.stringify(Object.keys(wish)),
    );
    seen.add(await now());
  }
  assert.equal(seen.size, wishes.length + 1);
  const revision = await now();
  await scene.chat(key, { chargeNano: 1_000n });
  assert.equal(await now(), revision);
  // Nothing named: as before.
  assert.equal(await outcomeOf(change({ name: "b" })), "changed");

  const from = await now();
  const [first, second] = [scene.otherDb(), scene.otherDb()];
  const both = await Promise.all([
    outcomeOf(change({ name: "one", revision: from }, first)),
    outcomeOf(change({ limit: null, revision: from }, second)),
  ]);
  assert.deepEqual(both.toSorted(), ["changed", "conflict changed_meanwhile"]);
});

test("a group: the first of two changes wins", async () => {
  const accountId = await scene.account("100");
  const made = await createAccountGroup(scene.db, {
    accountId,
    name: "Отдел",
    limit: LIMIT,
    models: null,
    once: null,
  });
  const group = { accountId, groupId: made.id };
  const { revision } = await readAccountGroup(scene.db, accountId, made.id);
  assert.equal(revision, made.revision);
  const [first, second] = [scene.otherDb(), scene.otherDb()];
  const both = await Promise.all([
    outcomeOf(changeAccountGroup(first, group, { name: "one", revision })),
    outcomeOf(changeAccountGroup(second, group, { limit: null, revision })),
  ]);
  assert.deepEqual(both.toSorted(), ["changed", "conflict changed_meanwhile"]);
  const late = changeAccountGroup(scene.db, group, { models: ["sandbox-large"], revision });
  assert.equal(await outcomeOf(late), "conflict changed_meanwhile");
});
