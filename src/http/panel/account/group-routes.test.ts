/**
 * Guarantee: members make, see and change the groups of their own account, as their role allows, and
 * keys go only into groups of it that are there.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { panelMember, type PanelAnswer } from "../../../../test/support/panel-endpoint.ts";
import type { PanelGroup, PanelGroupList } from "../../../contract/panel/panel-group.ts";
import type { PanelKey, PanelKeyMade } from "../../../contract/panel/panel-key.ts";
import { newUuid } from "../../../kernel/ids.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

function asking(accountId: string, role: "viewer" | "manager" | "owner" = "manager") {
  const member = panelMember({ accountId, role });
  return (method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<PanelAnswer> =>
    scene.endpoint.ask(member, method, `/panel/api/${path}`, body);
}

const errorOf = (answer: PanelAnswer) => {
  const { error } = answer.json<{ error: { code: string; reason?: string; param?: string } }>();
  return [answer.status, error.code, error.reason];
};

test("a group is made, shown with what its keys spent, changed, switched off and on, and deleted; its keys go on in none", async () => {
  const accountId = await scene.account("100");
  const ask = asking(accountId);
  const wish = {
    name: "Отдел",
    limit: { amount: "10", period: "month" },
    models: ["sandbox-large"],
    once: newUuid(),
  };
  const made = await ask("POST", "groups", wish);
  assert.equal(made.status, 201, made.text);
  const group = made.json<PanelGroup>();
  assert.deepEqual(errorOf(await ask("POST", "groups", wish)), [409, "conflict", "group_made"]);
  const { resetsAt, ...limit } = group.limit ?? assert.fail("it has a limit");
  assert.match(resetsAt ?? "", /T21:00:00\.000Z$/);
  assert.deepEqual(limit, { amount: "10", period: "month", spent: "0", remaining: "10" });
  assert.deepEqual([group.state, group.keys, group.models], ["active", 0, ["sandbox-large"]]);

  const named = { id: group.id, name: "Отдел" };
  const first = (await ask("POST", "keys", { name: "new", group: group.id })).json<PanelKeyMade>()
    .key;
  assert.deepEqual(first.group, named);
  const { key } = await scene.key(accountId);
  const moved = await ask("POST", `keys/${key.hash}`, { group: group.id });
  assert.deepEqual(moved.json<PanelKey>().group, named);
  await scene.chat(key, { chargeNano: 2_500_000_000n });
  await scene.hold(key, 1_000_000_000n);
  const { data } = (await ask("GET", "groups")).json<PanelGroupList>();
  assert.deepEqual(
    data.map((one) => [one.keys, one.spentToday, one.spentMonth, one.spentTotal, one.held]),
    [[2, "2.5", "2.5", "2.5", "1"]],
  );
  assert.deepEqual([data[0]?.limit?.spent, data[0]?.limit?.remaining], ["2.5", "6.5"]);

  const other = { name: "Проект", limit: null, models: null };
  const changed = (await ask("POST", `groups/${group.id}`, other)).json<PanelGroup>();
  assert.deepEqual([changed.name, changed.limit, changed.models], ["Проект", null, null]);
  const daily = { limit: { amount: "5", period: "day" } };
  assert.deepEqual(
    (await ask("POST", `groups/${group.id}`, daily)).json<PanelGroup>().limit?.spent,
    "2.5",
    "what its keys were charged in the running day counts",
  );
  const off = (await ask("POST", `groups/${group.id}/freeze`)).json<PanelGroup>();
  assert.deepEqual([off.state, off.name], ["frozen", "Проект"]);
  assert.equal((await scene.hold(key, 1n)).kind, "group-closed");
  await ask("POST", `groups/${group.id}/unfreeze`);
  assert.equal((await scene.hold(key, 1n)).kind, "held");

  assert.equal((await ask("DELETE", `groups/${group.id}`)).status, 200);
  assert.equal((await ask("DELETE", `groups/${group.id}`)).status, 200, "again is as once");
  assert.deepEqual((await ask("GET", "groups")).json<PanelGroupList>().data, []);
  const gone = (await ask("GET", `groups/${group.id}`)).json<PanelGroup>();
  assert.deepEqual([gone.state, gone.keys, gone.spentTotal], ["deleted", 0, "2.5"]);
  assert.equal((await ask("GET", `keys/${key.hash}`)).json<PanelKey>().group, null);
  assert.equal((await scene.hold(key, 1n)).kind, "held");
  for (const path of [`groups/${group.id}`, `keys/${key.hash}`])
    assert.deepEqual(
      errorOf(await ask("POST", path, path.startsWith("k") ? { group: group.id } : { name: "x" })),
      [409, "conflict", "group_deleted"],
    );
});

test("another account's group is none, for its pages and for keys; viewers look", async () => {
  const [accountId, stranger] = [await scene.account("1"), await scene.account("1")];
  const { id } = (await asking(accountId)("POST", "groups", { name: "ours" })).json<PanelGroup>();
  const { key } = await scene.key(stranger);
  const theirs = asking(stranger);
  for (const [method, path, body] of [
    ["GET", `groups/${id}`],
    ["POST", `groups/${id}`, { name: "x" }],
    ["POST", `groups/${id}/freeze`],
    ["DELETE", `groups/${id}`],
    ["POST", `keys/${key.hash}`, { group: id }],
    ["POST", "keys", { name: "x", group: id }],
  ] as const)
    assert.deepEqual([path, (await theirs(method, path, body)).status], [path, 404]);
  const viewer = asking(accountId, "viewer");
  assert.equal((await viewer("GET", "groups")).status, 200);
  assert.deepEqual(errorOf(await viewer("POST", "groups", { name: "x" })).slice(0, 2), [
    403,
    "permission_denied",
  ]);
  for (const limit of [
    { amount: "0", period: "day" },
    { amount: "1", period: "year" },
  ])
    assert.equal((await asking(accountId)("POST", "groups", { name: "x", limit })).status, 400);
});

test("a key that takes another's place is in its group", async () => {
  const accountId = await scene.account("1");
  const ask = asking(accountId);
  const { id } = (await ask("POST", "groups", { name: "ours" })).json<PanelGroup>();
  const { key } = (await ask("POST", "keys", { name: "old", group: id })).json<PanelKeyMade>();
  const heir = (
    await ask("POST", `keys/${key.hash}/roll`, { overlapHours: 1 })
  ).json<PanelKeyMade>().key;
  assert.equal(heir.group?.id, id);
  const [row] = await scene.db.query<{ groups: bigint }>(
    "SELECT count(*) AS groups FROM ledger.budgets WHERE account_id = $1 AND group_id = $2",
    [accountId, id],
  );
  assert.equal(row?.groups, 2n, "and so is its budget");
});
