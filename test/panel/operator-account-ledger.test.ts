/**
 * Guarantee: an operator sees the movements of an account's money as its owner does, top-ups first;
 * of no account there are none.
 */
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
  assert.equal(
    (
      await operator.ask("POST", `${at}/adjust`, {
        amount: "-50.3",
        reason: "Paid back <b>by hand</b>",
      })
    ).status,
    200,
  );
  const { data } = (await operator.ask("GET", `${at}/ledger`)).json<LedgerPage>();
  assert.deepEqual(
    data.map(({ kind }) => kind),
    ["adjust", "charge", "topup"],
  );
  assert.equal((await operator.ask("GET", `operator/accounts/${newUuid()}/ledger`)).status, 404);

  const { page, open, complaints } = await scene.browsers.openTab(operator, { language: "ru" });
  await open(`/operator/accounts/${accountId}`);
  const ledger = page.locator(".card", {
    has: page.getByRole("heading", { name: "Движения денег" }),
  });
  const rows = ledger.locator("tbody tr");
  await ledger
    .getByRole("row", { name: /750,30\s₽/ })
    .first()
    .waitFor();
  assert.equal(await rows.count(), 1, "top-ups first");
  await rows.getByText("Пополнение", { exact: true }).waitFor({ timeout: 5_000 });
  await ledger.getByLabel("Что показать").selectOption("adjust");
  await ledger.getByText("Paid back <b>by hand</b>", { exact: true }).waitFor();
  assert.equal(await rows.count(), 1);
  await ledger.getByLabel("Что показать").selectOption({ label: "Все движения" });
  await rows.nth(2).waitFor();
  assert.deepEqual(complaints, []);
});

test("an operator credits the sum that the dialog shows: what has two readings is credited in neither", async () => {
  await using scene = await openOperatorScene();
  const operator = await scene.newOperator("pastes-sums@example.test");
  const { accountId } = await scene.tollgate.makeCustomer({ roubles: "1" });
  const { page, open, complaints } = await scene.browsers.openTab(operator, { language: "en" });
  await open(`/operator/accounts/${accountId}`);
  await page.getByRole("button", { name: "Credit money" }).click();
  // Not the message that says it is done, which is a dialog of its own.
  const dialog = page.getByRole("dialog").filter({ has: page.getByLabel("Amount") });
  const send = dialog.locator("button[type=submit]");
  await dialog.getByLabel("Reason").fill("Invoice 8");
  await dialog.getByLabel("Amount").fill("1.234");
  await dialog.getByLabel("Amount").blur();
  await dialog.getByText('"1.234" can be read in two ways. Write 1234 or 1.2340.').waitFor();
  assert.equal(await send.isDisabled(), true);
  await dialog.getByLabel("Amount").fill("1\u00A0234,50 ₽");
  await dialog.getByText("Balance: ₽1.00 now, ₽1,235.50 afterwards.").waitFor();
  await send.click();
  await dialog.waitFor({ state: "detached" });
  const { data } = (
    await operator.ask("GET", `operator/accounts/${accountId}/ledger`)
  ).json<LedgerPage>();
  assert.ok(data.some(({ change }) => change === "1234.5"));
  assert.deepEqual(complaints, []);
});
