/**
 * Guarantee: the page of batches shows how far each is and what it cost, as the ledger has it, and
 * stops one that runs; a stranger's is not there.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PanelBatchList } from "../../src/contract/panel/panel-batch.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

async function send(person: PanelPerson, says: readonly string[]): Promise<string> {
  const { secret } = await scene.newKey(person, "batches");
  const requests = says.map((content, n) => ({
    custom_id: `r${n}`,
    params: { model: "sandbox-large", max_tokens: 50, messages: [{ role: "user", content }] },
  }));
  const answer = await fetch(`${scene.url}/v1/messages/batches`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json" },
    body: JSON.stringify({ requests }),
  });
  const made = (await answer.json()) as { id: string };
  assert.equal(answer.status, 200, JSON.stringify(made));
  return made.id;
}

const listed = async (person: PanelPerson) =>
  (await person.ask("GET", "batches")).json<PanelBatchList>().data;

const ended = (person: PanelPerson) =>
  until("the end of the batch", async () => {
    const [batch] = await listed(person);
    return batch !== undefined && batch.endedAt !== null && batch;
  });

test("a batch that has ended is shown with its lines and with what the ledger charged for it", async () => {
  const person = await scene.newMember();
  const id = await send(person, ["Hello there", "[[sandbox: status=400]] Hello"]);
  const done = await ended(person);
  const money = await balance(scene.database.db, person.accountId);
  assert.deepEqual(
    [done.id, done.state, done.total, done.succeeded, done.errored, done.unrun, done.url],
    [id, "completed", 2, 1, 1, 0, "/v1/messages"],
  );
  assert.equal(done.charged, formatRoubles(money?.chargedNano ?? assert.fail()));
  assert.ok(Number(done.held) > Number(done.charged) && Number(done.charged) > 0);

  const tab = await scene.openTab(person, { language: "en" });
  await tab.open("/batches");
  const row = tab.page.getByRole("row", { name: id });
  await row.waitFor();
  const text = await row.innerText();
  assert.match(text, /1 of 2/);
  assert.match(text, /1 error/);
  assert.equal(await row.getByRole("button", { name: /Stop/ }).count(), 0);
  await tab.screenshot("batches");
  assert.deepEqual(tab.complaints, []);
  await tab.close();

  const stranger = await scene.newMember();
  assert.deepEqual(await listed(stranger), []);
  assert.equal((await stranger.ask("POST", `batches/${id}/cancel`)).status, 404);
});

test("one that runs is stopped from the page", async () => {
  const person = await scene.newMember();
  const slow = Array.from({ length: 60 }, () => "[[sandbox: delay=2000]] Hello");
  const id = await send(person, slow);
  const tab = await scene.openTab(person, { language: "en" });
  await tab.open("/batches");
  const row = tab.page.getByRole("row", { name: id });
  await row.getByRole("button", { name: `Stop ${id}` }).click();
  await tab.page.getByRole("button", { name: "Stop the batch" }).click();
  await tab.page.getByText("The batch is being stopped").waitFor();
  const done = await ended(person);
  assert.deepEqual([done.state, done.total], ["cancelled", 60]);
  assert.ok(done.unrun > 0);
  assert.equal((await person.ask("POST", `batches/${id}/cancel`)).status, 409);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
