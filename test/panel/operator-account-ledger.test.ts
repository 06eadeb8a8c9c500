/** Guarantee: an operator sees the movements of an account's money as its owner does, top-ups first; of no account there are none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { openOperatorScene } from "./operator-scene.ts";

test("who asks where a payment went is told by the account's own page", async () => {
  await using scene = await openOperatorScene();
  const operator = await scene.newOperator("on-the-phone@example.test");
  const { accountId, secret } = await scene.tollgate.makeCustomer({ roubles: "750.3" });
  assert.equal(await scene.chat(secret), 200);
  const at = `operator/accounts/${accountId}`;
  assert.equal((await operator.ask("POST", `${at}/adjust`, { amount: "-50.3", reason: "Paid back <b>by hand</b>" })).status, 200);
  const { data } = (await operator.ask("GET", `${at}/ledger`)).json<LedgerPage>();
  assert.deepEqual(
    data.map(({ kind }) => kind),
    ["adjust", "charge", "topup"],
  );
  assert.equal((await operator.ask("GET", `operator/accounts/${newUuid()}/ledger`)).status, 404);

  const { page, open, complaints } = await scene.browsers.openTab(operator, { language: "ru" });
  await open(`/operator/accounts/${accountId}`);
  const ledger = page.locator(".card", { has: page.getByRole("heading", { name: "Движения денег" }) });
  const rows = ledger.locator("tbody tr");
  await ledger
    .getByRole("row", { name: /750,30\s₽/ })
    .first()
    .waitFor();
  assert.equal(await rows.count(), 1, "top-ups first");
  await ledger.getByLabel("Что показать").selectOption("adjust");
  await ledger.getByText("Paid back <b>by hand</b>", { exact: true }).waitFor();
  assert.equal(await rows.count(), 1);
  await ledger.getByLabel("Что показать").selectOption({ label: "Все движения" });
  await rows.nth(2).waitFor();
  assert.deepEqual(complaints, []);
});
