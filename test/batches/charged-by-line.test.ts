/**
 * Guarantee: a batch is paid by one hold of the sum of its lines' quotes; each line is charged by
 * itself, at the price for batches where there is one, and the rest is released at the end.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { changeAccountGroup } from "../../src/business/panel/account/change-account-group.ts";
import { changeAccountKey } from "../../src/business/panel/account/change-account-key.ts";
import { createAccountGroup } from "../../src/business/panel/account/create-account-group.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { nano } from "../../src/kernel/money.ts";
import { findKey } from "../../src/keys/store.ts";
import { budgetState } from "../../src/ledger/budgets.store.ts";
import { listRequests } from "../../src/usage/list-receipts.store.ts";
import { openBatchScene, type BatchScene } from "./batch-scene.ts";
import { chatBody, readLines, requestLine } from "./batch-world.ts";
import { priceOf } from "./scripted-answers.ts";

let scene: BatchScene;
before(async () => {
  scene = await openBatchScene();
});
after(() => scene.close());

test("each line costs what its answer took, at half the price where the model sells batches so, at the base where it does not; the receipts add up to the charge", async () => {
  const who = await scene.customer();
  const prompts = ["one", "two two", "three three three", "четыре"];
  const lines = [
    ...prompts.map((prompt) => requestLine(`cheap ${prompt}`, chatBody(prompt))),
    ...prompts.map((prompt) => requestLine(`plain ${prompt}`, chatBody(prompt, "plain"))),
  ];
  const batch = await scene.create(who, lines.join("\n"));
  assert.equal(batch.state, "validating");
  const done = await scene.ended(batch);
  assert.deepEqual(
    [done.state, done.total, done.succeeded, done.errored, done.errorFileId],
    ["completed", 8, 8, 0, null],
  );
  const base = prompts.reduce((sum, prompt) => sum + priceOf(prompt), 0n);
  const expected = base + base / 2n;
  assert.deepEqual(await scene.money(who), { charged: expected, held: 0n });
  const { receipts } = await listRequests(scene.db, {
    accountId: who.accountId,
    cursor: null,
    limit: 100,
  });
  assert.equal(receipts.length, 8);
  assert.equal(
    receipts.reduce((sum, { chargedNano }) => sum + chargedNano, 0n),
    expected,
  );
  for (const { endpoint, keyId, state, model, detail, priceVersion } of receipts) {
    assert.deepEqual(
      [endpoint, keyId, state, priceVersion],
      ["chat.completions", who.keyId, "completed", 1],
    );
    assert.equal(detail["batch"], `batch_${batch.batchId.replaceAll("-", "")}`);
    assert.deepEqual(
      detail["variants"],
      model === "cheap" ? [{ field: "serviceTier", asked: "batch", used: "batch" }] : undefined,
    );
  }
  const output = await readLines(scene.worker, who.accountId, done.outputFileId);
  assert.deepEqual(
    output.map(({ custom_id: id }) => id),
    [...prompts.map((prompt) => `cheap ${prompt}`), ...prompts.map((prompt) => `plain ${prompt}`)],
  );
  const [first] = output as {
    response: { status_code: number; body: { choices: { message: { content: string } }[] } };
    error: null;
  }[];
  assert.equal(first?.response.status_code, 200);
  assert.equal(first?.response.body.choices[0]?.message.content, "heard one");
});

test("the hold is the sum of what the lines cost at most; a balance below it admits none of them, and says so", async () => {
  // 8 characters a prompt; the longest answer has 20 tokens.
  const who = await scene.customer({ roubles: "0.02" });
  const lines = Array.from({ length: 3 }, (_, n) => requestLine(`l${n}`, chatBody("prompt 1")));
  const batch = await scene.create(who, lines.join("\n"));
  const failed = await scene.ended(batch);
  assert.deepEqual([failed.state, failed.total, failed.priceVersion], ["failed", 3, null]);
  assert.equal(failed.errors?.[0]?.code, "insufficient_balance");
  assert.deepEqual(await scene.money(who), { charged: 0n, held: 0n });
  assert.equal(scene.upstream.asked.get("prompt 1"), undefined);
  // The same lines for whom it is enough: while they run, all of it is held.
  const rich = await scene.customer({ roubles: "0.05" });
  let reading: ReturnType<BatchScene["money"]> | undefined;
  scene.upstream.before = async (prompt) => {
    // None of them ends before it was read.
    if (prompt === "prompt 1") await (reading ??= scene.money(rich));
  };
  const again = await scene.ended(await scene.create(rich, lines.join("\n")));
  scene.upstream.before = () => undefined;
  assert.equal(again.state, "completed");
  const quote = (await reading)?.held ?? 0n;
  assert.ok(quote > 20_000_000n && quote <= 50_000_000n && quote % 3n === 0n, String(quote));
  const { charged, held: rest } = await scene.money(rich);
  assert.deepEqual([charged, rest], [(3n * priceOf("prompt 1")) / 2n, 0n]);
});

test("the hold stands in the group of the batch's key, too: a limit below it admits no line, and each line's charge is the group's", async () => {
  const who = await scene.customer();
  const { db } = scene;
  const key = await findKey(db, who.accountId, who.keyId);
  const { id: groupId } = await createAccountGroup(db, {
    accountId: who.accountId,
    name: "a project",
    limit: { amountNano: nano(1_000n), period: "total" },
    models: null,
    once: null,
  });
  const { accountId } = who;
  await changeAccountKey(db, systemClock, accountId, key?.hash ?? "", { groupId });
  const lines = Array.from({ length: 3 }, (_, n) => requestLine(`l${n}`, chatBody(`group ${n}`)));
  const failed = await scene.ended(await scene.create(who, lines.join("\n")));
  assert.deepEqual([failed.state, failed.errors?.[0]?.code], ["failed", "group_limit_exceeded"]);
  await changeAccountGroup(db, { accountId, groupId }, { limit: null });
  const done = await scene.ended(await scene.create(who, lines.join("\n")));
  assert.equal(done.state, "completed");
  const { charged = 0n } = await scene.money(who);
  assert.ok(charged > 0n);
  const group = (await budgetState(db, [groupId])).get(groupId);
  assert.deepEqual([group?.chargedNano, group?.heldNano], [charged, 0n]);
  await changeAccountGroup(db, { accountId, groupId }, { models: ["cheap"] });
  const plain = await scene.ended(
    await scene.create(who, requestLine("l", chatBody("not in the group", "plain"))),
  );
  assert.equal(plain.succeeded, 0);
  assert.equal(scene.upstream.asked.get("not in the group"), undefined);
});

test("a line that its upstream refuses for now is tried again and charged once; one that never succeeds is in the error file and costs nothing", async () => {
  const who = await scene.customer();
  scene.upstream.status = (prompt, times) => {
    if (prompt === "busy") return times < 3 ? 429 : 200;
    return prompt === "broken" ? 500 : prompt === "wrong" ? 400 : 200;
  };
  const names = ["busy", "broken", "wrong", "fine"];
  const lines = names.map((name) => requestLine(name, chatBody(name)));
  const done = await scene.ended(await scene.create(who, `${lines.join("\n")}\n`));
  scene.upstream.status = () => 200;
  assert.deepEqual([done.state, done.succeeded, done.errored], ["completed", 2, 2]);
  const output = await readLines(scene.worker, who.accountId, done.outputFileId);
  assert.deepEqual(
    output.map(({ custom_id: id }) => id),
    ["busy", "fine"],
  );
  const errors = (await readLines(scene.worker, who.accountId, done.errorFileId)) as {
    custom_id: string;
    response: { status_code: number; body: { error: { message: string } } };
    error: null;
  }[];
  assert.deepEqual(
    errors.map(({ custom_id: id, response }) => [id, response.status_code]),
    [
      ["broken", 502],
      ["wrong", 400],
    ],
  );
  const charged = (priceOf("busy") + priceOf("fine") + 1n) / 2n;
  assert.deepEqual(await scene.money(who), { charged, held: 0n });
});
