/**
 * Guarantee: operators filter by the names that they know, and links keep the numbers: account,
 * key, model, upstream and operator are picked from lists.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageFaults } from "../support/page-faults.ts";
import { signUpAtPanel } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { openOperatorScene } from "./operator-scene.ts";

const NAME = "Daisy & <b>sons</b>";

test("an account is found by e-mail or name, its key by name, a model and an upstream by a part of theirs; a link shows names for its numbers", async () => {
  await using scene = await openOperatorScene();
  const operator = await scene.newOperator("finds-by-name@example.test");
  const { accountId, secret, hash } = await scene.tollgate.makeCustomer();
  const other = await signUpAtPanel(scene.gateway, NAME);
  assert.equal(await scene.chat(secret), 200);
  const { page, open, screenshot, complaints } = await scene.browsers.openTab(operator, {
    language: "en",
  });
  const box = (name: string) => page.getByRole("combobox", { name, exact: true });
  const rows = page.locator("tbody tr");
  const nothing = page.getByText("Nothing matches these filters", { exact: true });
  const addressed = (name: string, value: string | null) =>
    page.waitForURL(({ searchParams }) => searchParams.get(name) === value);

  await open("/operator/requests");
  await rows.getByRole("link", { name: "customer" }).waitFor();
  await box("Account").fill(other.email.slice(0, 14).toUpperCase());
  const found = page.getByRole("option");
  await found.filter({ hasText: NAME }).waitFor();
  await found.nth(1).waitFor({ state: "detached" });
  await screenshot("operator-filters-open");
  await found.click();
  await addressed("account", other.accountId);
  assert.equal(await box("Account").inputValue(), NAME);
  await nothing.waitFor();
  assert.deepEqual(await pageFaults(page), []);

  await box("Account").fill("custom");
  await found.filter({ hasText: "customer" }).click();
  await addressed("account", accountId);
  await rows.getByRole("link", { name: "customer" }).waitFor();
  await box("Key").click();
  await found.filter({ hasText: "…" }).click();
  await addressed("key", hash);
  await box("Model").fill("large");
  await found.filter({ hasText: "sandbox-large" }).waitFor();
  await box("Model").press("Enter");
  await addressed("model", "sandbox-large");
  await rows.first().waitFor();

  // What is in force no more has requests all the same.
  await box("Upstream").fill("of-last-year");
  await found.filter({ hasText: "of-last-year" }).waitFor();
  await box("Upstream").press("Enter");
  await addressed("upstream", "of-last-year");
  await nothing.waitFor();
  await page.getByRole("button", { name: "Clear: Upstream" }).click();
  await addressed("upstream", null);
  await rows.first().waitFor();

  const shows = (name: string, text: string): Promise<unknown> =>
    until(`${name} shows ${text}`, async () => (await box(name).inputValue()) === text);
  await page.reload();
  await shows("Account", "customer");
  await shows("Key", "key");
  await open(`/operator/requests?key=${hash}`);
  await shows("Key", "key");
  await open(`/operator/tasks?account=${other.accountId}`);
  await shows("Account", NAME);
  await box("Account").fill("nobody is called so");
  await page.getByRole("status").getByText("Nothing matches these filters").waitFor();
  await box("Account").press("Escape");
  assert.equal(await box("Account").inputValue(), NAME, "what was not picked changes nothing");

  const reason = "by name";
  assert.equal(
    (
      await operator.ask("POST", `operator/accounts/${accountId}/limits`, {
        requestsPerMinute: 60,
        reason,
      })
    ).status,
    200,
  );
  await open(`/operator/audit?account=${accountId}`);
  await rows.getByText(reason).waitFor();
  await box("Who").click();
  await found.filter({ hasText: operator.email }).click();
  await addressed("member", operator.memberId);
  await page.reload();
  await shows("Who", operator.email);
  assert.deepEqual(complaints, []);
});
