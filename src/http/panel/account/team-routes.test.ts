/**
 * Guarantee: members own keys; a developer sees and touches its own and no others, spends within the
 * group that was chosen for it, and the log of the account says who did what.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import { removeMember } from "../../../business/members/remove-member.ts";
import { chooseMemberGroup } from "../../../business/members/choose-member-group.ts";
import { verifyLedger } from "../../../business/operate/verify-ledger.ts";
import type { MemberRole } from "../../../contract/enums/member-role.ts";
import type { AccountLog } from "../../../contract/panel/account-log.ts";
import type { PanelErrorBody } from "../../../contract/panel/panel-error.ts";
import type { PanelGroup } from "../../../contract/panel/panel-group.ts";
import type { PanelKey, PanelKeyList, PanelKeyMade } from "../../../contract/panel/panel-key.ts";
import type { PanelRequestList } from "../../../contract/panel/panel-request.ts";
import type { Spend } from "../../../contract/panel/spend.ts";
import type { Tx } from "../../../db/database.ts";
import { setKeyOwner } from "../../../keys/owners.store.ts";
import { findKeyByHash } from "../../../keys/store.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { addMember } from "../../../../test/alerts/alert-world.ts";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import type { PanelAnswer } from "../../../../test/support/panel-endpoint.ts";
import { until } from "../../../../test/support/until.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

type Ask = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<PanelAnswer>;

interface Person {
  readonly member: MemberCaller;
  readonly ask: Ask;
}

async function join(accountId: string, role: MemberRole): Promise<Person> {
  const member = { ...(await addMember(scene.db, accountId, { role })), role };
  const ask: Ask = (method, path, body) =>
    scene.endpoint.ask(member, method, `/panel/api/${path}`, body);
  return { member, ask };
}

async function makeKey({ ask }: Person, wish: object): Promise<PanelKey> {
  const made = await ask("POST", "keys", wish);
  assert.equal(made.status, 201, made.text);
  return made.json<PanelKeyMade>().key;
}

const recordOf = async ({ hash }: PanelKey): Promise<KeyRecord> =>
  (await findKeyByHash(scene.db, hash)) ?? assert.fail("the key is there");
const hashesOf = async ({ ask }: Person): Promise<string[]> =>
  (await ask("GET", "keys?deleted=true")).json<PanelKeyList>().data.map(({ hash }) => hash);

test("a developer's key is its own and limited like any other; it sees what it spent, and of the others nothing", async () => {
  const accountId = await scene.account("100");
  const [owner, developer] = [await join(accountId, "owner"), await join(accountId, "developer")];
  const theirs = await makeKey(owner, { name: "the account's" });
  const own = await makeKey(developer, {
    name: "mine",
    limit: { amount: "3", period: "total" },
  });
  assert.deepEqual([theirs.owner, own.owner?.memberId], [null, developer.member.memberId]);
  assert.deepEqual(await hashesOf(developer), [own.hash]);
  assert.deepEqual((await hashesOf(owner)).toSorted(), [own.hash, theirs.hash].toSorted());
  await scene.chat(await recordOf(own), { chargeNano: 2_000_000_001n });
  const hidden = await scene.chat(await recordOf(theirs), { chargeNano: 5_000_000_000n });
  assert.equal((await scene.hold(await recordOf(own), 1_000_000_000n)).kind, "limit-exceeded");
  const spend = async (person: Person, by: string): Promise<Spend> =>
    (await person.ask("GET", `spend?by=${by}`)).json<Spend>();
  assert.equal((await spend(developer, "day")).total.charged, "2.000000001");
  const byMember = await spend(owner, "member");
  assert.deepEqual(
    byMember.rows.map(({ member, charged }) => [member?.memberId ?? null, charged]),
    [
      [null, "5"],
      [developer.member.memberId, "2.000000001"],
    ],
  );
  assert.equal(byMember.total.charged, (await spend(owner, "key")).total.charged);
  const requests = (await developer.ask("GET", "requests")).json<PanelRequestList>().data;
  assert.deepEqual(
    requests.map(({ key }) => key?.hash),
    [own.hash],
  );
  assert.equal((await developer.ask("GET", `requests/${hidden}`)).status, 404);
  for (const path of ["overview", "groups", "ledger", "batches", "log"])
    assert.equal((await developer.ask("GET", path)).status, 403, path);
  assert.equal((await developer.ask("POST", "keys/freeze-all", {})).status, 403);
});

test("a developer's keys go into the group that was chosen for it, which bounds them all together", async () => {
  const accountId = await scene.account("100");
  const [manager, developer] = [
    await join(accountId, "manager"),
    await join(accountId, "developer"),
  ];
  const { memberId } = developer.member;
  const group = (
    await manager.ask("POST", "groups", { name: "Ann", limit: { amount: "5", period: "total" } })
  ).json<PanelGroup>();
  await chooseMemberGroup(scene, manager.member, { memberId, groupId: group.id });
  const [first, second] = [
    await makeKey(developer, { name: "one", group: null }),
    await makeKey(developer, { name: "two" }),
  ];
  assert.deepEqual([first.group?.id, second.group?.id], [group.id, group.id]);
  await scene.chat(await recordOf(first), { chargeNano: 4_000_000_000n });
  assert.equal(
    (await scene.hold(await recordOf(second), 2_000_000_000n)).kind,
    "group-limit-exceeded",
  );
  assert.equal((await developer.ask("POST", `keys/${second.hash}`, { group: null })).status, 403);
  assert.equal((await manager.ask("DELETE", `groups/${group.id}`)).status, 200);
  const refused = await developer.ask("POST", "keys", { name: "three" });
  assert.equal(refused.status, 409, "its bound does not go with the group");
  await chooseMemberGroup(scene, manager.member, { memberId, groupId: null });
  assert.equal((await makeKey(developer, { name: "three" })).group, null);
});

test("keys of who leaves become the account's and go on, to the nano-rouble; who manages takes them over", async () => {
  const accountId = await scene.account("100");
  const [owner, developer, heir] = [
    await join(accountId, "owner"),
    await join(accountId, "developer"),
    await join(accountId, "developer"),
  ];
  const key = await makeKey(developer, { name: "job", limit: { amount: "10", period: "total" } });
  await scene.chat(await recordOf(key), { chargeNano: 3_000_000_000n });
  assert.equal((await scene.hold(await recordOf(key), 1_000_000_000n)).kind, "held");
  await removeMember(scene, owner.member, developer.member.memberId);
  const read = async (): Promise<PanelKey> =>
    (await owner.ask("GET", `keys/${key.hash}`)).json<PanelKey>();
  const left = await read();
  assert.deepEqual(
    [left.owner, left.state, left.spentTotal, left.held, left.limit?.remaining],
    [null, "active", "3", "1", "6"],
  );
  const given = await owner.ask("POST", `keys/${key.hash}`, { owner: heir.member.memberId });
  assert.equal(given.status, 200, given.text);
  assert.deepEqual(await hashesOf(heir), [key.hash]);
  const { owner: now, revision, ...same } = await read();
  const { owner: earlier, revision: before, ...was } = left;
  assert.notEqual(revision, before);
  assert.deepEqual([earlier, now?.memberId], [null, heir.member.memberId]);
  assert.deepEqual(same, was, "nothing but its owner changed");
  const foreign = await join(await scene.account(), "developer");
  const refused = await owner.ask("POST", `keys/${key.hash}`, { owner: foreign.member.memberId });
  assert.equal(refused.status, 404);
  assert.deepEqual((await verifyLedger(scene.db)).mismatches, []);
});

test("a member who leaves while a key is given to it, from two processes, owns nothing afterwards", async () => {
  const accountId = await scene.account();
  const owner = await join(accountId, "owner");
  const key = await makeKey(owner, { name: "ball" });
  for (let round = 0; round < 10; round++) {
    const leaving = await join(accountId, "developer");
    const { memberId } = leaving.member;
    const [given] = await Promise.all([
      owner.ask("POST", `keys/${key.hash}`, { owner: memberId }),
      removeMember({ db: scene.otherDb() }, owner.member, memberId),
    ]);
    assert.ok([200, 404].includes(given.status), given.text);
    assert.equal((await recordOf(key)).ownerId, null);
  }
});

/** Until so many statements wait for a lock. */
async function lockWaits(count: number): Promise<void> {
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await until(`${count} wait for a lock`, async () => {
    return (await scene.db.query(waiting)).length >= count;
  });
}

/** Runs `work` while a row is held; what it returns goes on when the row is given up. */
async function whileHeld<T>(
  hold: (tx: Tx) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  return scene.otherDb().transaction(async (tx) => {
    await hold(tx);
    return work();
  });
}

test("a key that is taken from a developer while it rolls it is rolled for nobody", async () => {
  const accountId = await scene.account();
  const [owner, developer] = [await join(accountId, "owner"), await join(accountId, "developer")];
  const key = await makeKey(developer, { name: "shared" });
  const record = await recordOf(key);
  const path = `keys/${key.hash}`;
  const commands = [
    ["POST", `${path}/roll`, { overlapHours: 1 }],
    ["POST", path, { name: "still mine" }],
    ["POST", `${path}/freeze`, {}],
    ["DELETE", path, undefined],
  ] as const;
  const sent = await whileHeld(
    (tx) => setKeyOwner(tx, record, null),
    async () => {
      const answers = commands.map(([method, where, body]) => developer.ask(method, where, body));
      await lockWaits(commands.length);
      return answers;
    },
  );
  const never = await developer.ask("GET", `keys/${"0".repeat(64)}`);
  for (const answer of await Promise.all(sent)) {
    assert.equal(answer.status, 404, answer.text);
    const { message } = answer.json<PanelErrorBody>().error;
    assert.equal(message, never.json<PanelErrorBody>().error.message);
  }
  const left = (await owner.ask("GET", "keys?deleted=true")).json<PanelKeyList>().data;
  assert.deepEqual(
    left.map(({ hash, name, state, owner: whose }) => [hash, name, state, whose]),
    [[key.hash, "shared", "active", null]],
  );
});

test("a key that is rolled while its owner leaves is the account's, and so is the one that takes its place", async () => {
  const accountId = await scene.account();
  const [owner, leaving] = [await join(accountId, "owner"), await join(accountId, "developer")];
  const key = await makeKey(leaving, { name: "job" });
  const { keyId } = await recordOf(key);
  const [rolled, removed] = await whileHeld(
    (tx) => tx.query("SELECT FROM ledger.budgets WHERE budget_id = $1 FOR UPDATE", [keyId]),
    async () => {
      const roll = leaving.ask("POST", `keys/${key.hash}/roll`, { overlapHours: 1 });
      await lockWaits(1);
      const removal = removeMember({ db: scene.otherDb() }, owner.member, leaving.member.memberId);
      await lockWaits(2);
      return [roll, removal] as const;
    },
  );
  assert.equal((await rolled).status, 201);
  await removed;
  const owned = "SELECT 1 FROM keys.keys WHERE account_id = $1 AND owner_id IS NOT NULL";
  assert.deepEqual(await scene.db.query(owned, [accountId]), []);
  assert.equal((await owner.ask("GET", "keys")).json<PanelKeyList>().data.length, 2);
});

test("a developer who has the old key of one that was given away is not told of that one", async () => {
  const accountId = await scene.account();
  const [owner, developer] = [await join(accountId, "owner"), await join(accountId, "developer")];
  const key = await makeKey(developer, { name: "job" });
  const { key: heir } = (
    await developer.ask("POST", `keys/${key.hash}/roll`, { overlapHours: 1 })
  ).json<PanelKeyMade>();
  const read = async (): Promise<PanelKey> =>
    (await developer.ask("GET", `keys/${key.hash}`)).json<PanelKey>();
  assert.equal((await read()).rolledTo, heir.hash);
  assert.equal((await owner.ask("POST", `keys/${heir.hash}`, { owner: null })).status, 200);
  assert.equal((await read()).rolledTo, null);
  assert.ok(!(await developer.ask("GET", "keys")).text.includes(heir.hash));
});

test("the log has a line of each change, by whom, with what was before and after, and of what was refused none", async () => {
  const accountId = await scene.account("100");
  const [owner, developer] = [await join(accountId, "owner"), await join(accountId, "developer")];
  const key = await makeKey(developer, { name: "shop" });
  const path = `keys/${key.hash}`;
  await owner.ask("POST", path, { limit: { amount: "5", period: "month" }, name: "shop" });
  await owner.ask("POST", path, { name: "shop" });
  await owner.ask("POST", `${path}/freeze`, {});
  await owner.ask("POST", `${path}/freeze`, {});
  await owner.ask("POST", `${path}/unfreeze`, {});
  assert.equal((await owner.ask("POST", path, { ips: ["nowhere"] })).status, 400);
  const rolled = (
    await developer.ask("POST", `${path}/roll`, { overlapHours: 1 })
  ).json<PanelKeyMade>();
  await owner.ask("POST", "keys/freeze-all", {});
  await owner.ask("DELETE", path);
  await owner.ask("DELETE", path);
  const group = (await owner.ask("POST", "groups", { name: "A" })).json<PanelGroup>();
  await owner.ask("POST", `groups/${group.id}`, { name: "B" });
  const answer = await owner.ask("GET", "log");
  const { data } = answer.json<AccountLog>();
  assert.deepEqual(data.map(({ action, actor }) => [action, actor]).toReversed(), [
    ["key.create", developer.member.email],
    ["key.change", owner.member.email],
    ["key.freeze", owner.member.email],
    ["key.unfreeze", owner.member.email],
    ["key.roll", developer.member.email],
    ["key.freeze_all", owner.member.email],
    ["key.delete", owner.member.email],
    ["group.create", owner.member.email],
    ["group.change", owner.member.email],
  ]);
  const changed = data.find(({ action }) => action === "key.change");
  assert.deepEqual(
    [changed?.subjectId, changed?.subject, changed?.before, changed?.after],
    [key.hash, `shop (${key.mask})`, { limit: null }, { limit: "5 month" }],
  );
  assert.deepEqual(data.find(({ action }) => action === "group.change")?.after, { name: "B" });
  assert.ok(!answer.text.includes(rolled.secret));
  const only = (
    await owner.ask("GET", `log?member=${developer.member.memberId}&limit=1`)
  ).json<AccountLog>();
  assert.deepEqual([only.data[0]?.action, only.nextCursor === null], ["key.roll", false]);
  const csv = await owner.ask("GET", "log.csv?language=ru&timezone=Europe/Moscow");
  assert.equal(csv.text.trimEnd().split("\r\n").length, 10);
  assert.match(csv.text, /^\uFEFF?Время \(Europe\/Moscow\);Кто;Действие/);
  const stranger = await join(await scene.account(), "owner");
  assert.deepEqual((await stranger.ask("GET", "log")).json<AccountLog>().data, []);
});
