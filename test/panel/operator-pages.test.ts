/**
 * Guarantee: what an operator does in the pages is in ledger, keys and audit log once, however
 * often pressed; only operators find them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { AuditList } from "../../src/contract/panel/operator-audit.ts";
import type { CatalogueSource } from "../../src/contract/panel/operator-catalogue.ts";
import type {
  OperatorAccountDetail,
  OperatorAccountList,
} from "../../src/contract/panel/operator-accounts.ts";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import { currentUserName } from "#embedded-postgres/server-user.ts";
import { pageFaults } from "../support/page-faults.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import type { PanelTab } from "../support/panel-browser.ts";
import type { Customer } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { openOperatorScene, OPERATOR_EMAIL, type OperatorScene } from "./operator-scene.ts";

const HOSTILE = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
const OWN_PASSWORD = "a password of the operator's own";
const english = { language: "en" } as const;

let scene: OperatorScene;
let operator: PanelPerson;
let customer: Customer;
before(async () => {
  scene = await openOperatorScene();
  operator = await scene.newOperator("second@example.test");
  customer = await scene.tollgate.makeCustomer();
});
after(() => scene[Symbol.asyncDispose]());

const detailOf = async (accountId: string): Promise<OperatorAccountDetail> =>
  (await operator.ask("GET", `operator/accounts/${accountId}`)).json<OperatorAccountDetail>();
const auditOf = async (accountId: string): Promise<AuditList["data"]> =>
  (await operator.ask("GET", `operator/audit?account=${accountId}`)).json<AuditList>().data;
const button = (within: Page | Locator, name: string): Locator =>
  within.getByRole("button", { name, exact: true });

/** Notes at the edge of the screen are dialogs too. */
const dialogOf = (page: Page): Locator => page.locator(".dialog");

/** Nothing of what people wrote ran, and the page's policy had nothing to refuse. */
async function assertCalm(tab: PanelTab): Promise<void> {
  assert.equal(await tab.page.evaluate("window.ran"), undefined);
  assert.deepEqual(tab.complaints, []);
}

test("the first operator sets a password, finds an account, credits it once, blocks it at once, and lets it go", async () => {
  const { accountId } = (await scene.tollgate.json(
    "accounts",
    "create",
    "--name",
    `Daisy ${HOSTILE}`,
  )) as { accountId: string };
  const { secret } = (await scene.tollgate.json(
    "keys",
    "create",
    accountId,
    "--name",
    HOSTILE,
  )) as { secret: string };
  const tab = await scene.browsers.openTab(null, english);
  const { page } = tab;

  await tab.open("/operator/accounts");
  await page.getByLabel("E-mail").fill(OPERATOR_EMAIL);
  await page.getByLabel("Password", { exact: true }).fill(scene.oneTimePassword);
  await button(page, "Log in").click();
  await page.getByLabel("New password").fill(OWN_PASSWORD);
  await button(page, "Set the password").click();

  // The address that was asked for first.
  await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
  await page.getByLabel("Name, e-mail or id").fill("daisy");
  await page.waitForURL(/search=daisy/);
  await page.getByRole("link", { name: /Daisy/ }).click();
  await page.getByRole("heading", { level: 1, name: `Daisy ${HOSTILE}` }).waitFor();

  await button(page, "Credit money").click();
  const credit = dialogOf(page);
  await credit.getByLabel("Amount").fill("1\u00A0234,50 ₽");
  await credit.getByText("Balance: ₽0.00 now, ₽1,234.50 afterwards.").waitFor();
  assert.equal(await button(credit, "Credit ₽1,234.50").isDisabled(), true, "a reason is due");
  await credit.getByLabel("Reason").fill(`Invoice 7 ${HOSTILE}`);
  assert.equal((await detailOf(accountId)).balance, "0");
  // As fast as a hand that presses twice, and Enter besides.
  await page.evaluate(
    "((send) => (send.click(), send.form.requestSubmit(), send.click()))(document.querySelector('.dialog button[type=submit]'))",
  );
  await credit.waitFor({ state: "detached" });
  await page.getByText("₽1,234.50").first().waitFor();
  assert.equal((await detailOf(accountId)).balance, "1234.5");
  assert.equal(
    await page.evaluate("document.activeElement?.textContent"),
    "Credit money",
    "the focus is back",
  );

  await button(page, "Correct the balance").click();
  const adjust = dialogOf(page);
  await adjust.getByLabel("Amount").fill("-2000");
  await adjust.getByText("At most ₽1,234.50 can be taken").waitFor();
  await adjust.getByLabel("Amount").fill("−34,5");
  await adjust.getByLabel("Reason").fill("A mistake");
  await adjust.getByText("Balance: ₽1,234.50 now, ₽1,200.00 afterwards.").waitFor();
  await button(adjust, "Take ₽34.50").click();
  await adjust.waitFor({ state: "detached" });
  assert.equal((await detailOf(accountId)).balance, "1200");

  assert.equal(await scene.chat(secret), 200);
  await button(page, "Block").click();
  const block = dialogOf(page);
  await block.getByText("1 key stops working.").waitFor();
  await block.getByLabel("Reason").fill(`Complaints ${HOSTILE}`);
  await button(block, "Block").click();
  await page.getByText("Blocked since").waitFor();
  await block.waitFor({ state: "detached" });
  assert.equal(await scene.chat(secret), 403);
  await button(page, "Unblock").click();
  await button(dialogOf(page), "Unblock").click();
  await page.getByText("Blocked since").waitFor({ state: "detached" });
  assert.equal(await scene.chat(secret), 200);

  await button(page, "Change limits").click();
  const limits = dialogOf(page);
  await limits.getByLabel("Requests per minute").fill("60");
  await limits.getByText("Requests per minute: no limit → 60").waitFor();
  await button(limits, "Change limits").click();
  await limits.waitFor({ state: "detached" });
  assert.equal((await detailOf(accountId)).limits.requestsPerMinute, 60);

  await page.getByRole("link", { name: "Audit log" }).last().click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  await page.getByText(`Invoice 7 ${HOSTILE}`).first().waitFor();
  assert.deepEqual(
    (await auditOf(accountId))
      .map(({ action, actor, reason }) => [action, actor, reason])
      .toReversed(),
    [
      ["account.create", `cli:${currentUserName()}`, null],
      ["key.create", `cli:${currentUserName()}`, null],
      ["account.credit", OPERATOR_EMAIL, `Invoice 7 ${HOSTILE}`],
      ["account.adjust", OPERATOR_EMAIL, "A mistake"],
      ["account.block", OPERATOR_EMAIL, `Complaints ${HOSTILE}`],
      ["account.unblock", OPERATOR_EMAIL, null],
      ["account.limits", OPERATOR_EMAIL, null],
    ],
  );
  await page.getByLabel("Action").selectOption("account.block");
  await page.waitForURL(/action=account\.block/);
  await until("one row", async () => (await page.locator("tbody tr").count()) === 1);
  await assertCalm(tab);
  await tab.close();
});

test("an answer that was lost books nothing twice when the button is pressed again", async () => {
  const { accountId } = (await scene.tollgate.json("accounts", "create", "--name", "Unlucky")) as {
    accountId: string;
  };
  const tab = await scene.browsers.openTab(operator, english);
  const { page } = tab;
  await tab.open(`/operator/accounts/${accountId}`);
  let lost = 0;
  await page.route("**/credit", async (route) => {
    if (lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  await button(page, "Credit money").click();
  const dialog = dialogOf(page);
  await dialog.getByLabel("Amount").fill("10");
  await dialog.getByLabel("Reason").fill("once");
  await button(dialog, "Credit ₽10.00").click();
  await dialog.getByRole("alert").waitFor();
  await button(dialog, "Credit ₽10.00").click();
  await page.getByText("This was done before.").waitFor();
  assert.equal((await detailOf(accountId)).balance, "10");
  await tab.close();
});

test("a catalogue is checked, compared and applied; who began with an older one is told before anything is overwritten", async () => {
  const [tab, other] = [
    await scene.browsers.openTab(operator, english),
    await scene.browsers.openTab(operator, english),
  ];
  const { source, version } = (
    await operator.ask("GET", "operator/catalogue")
  ).json<CatalogueSource>();
  const dearer = source.replace(`input: "150"`, `input: "175"`);
  assert.notEqual(dearer, source);
  const editor = (within: PanelTab): Locator => within.page.getByLabel("The catalogue's text");

  await other.open("/operator/catalogue?tab=edit&as=yaml");
  await editor(other).fill(source.replace(`output: "600"`, `output: "650"`));

  await tab.open("/operator/catalogue?tab=edit&as=yaml");
  await editor(tab).fill(source.replace(`input: "150"`, `input: "-1"`));
  await button(tab.page, "Check").click();
  await tab.page.getByText(/^\d+ mistakes?: it cannot be applied/).waitFor();
  const wrongLine = source.split("\n").findIndex((line) => line.includes(`input: "150"`)) + 1;
  await tab.page
    .getByRole("button", { name: `Line ${wrongLine}` })
    .first()
    .click();
  assert.match(
    await tab.page.evaluate(
      "((area) => area.value.slice(area.selectionStart, area.selectionEnd))(document.activeElement)",
    ),
    /input: "-1"/,
  );
  assert.equal(await tab.page.getByRole("button", { name: /^Apply over/ }).count(), 0);

  await editor(tab).fill(dearer);
  await tab.page.getByText("The text has changed since the check.").waitFor();
  await button(tab.page, "Check").click();
  const row = tab.page.locator("tr", { hasText: "sandbox-large" }).first();
  await row.waitFor();
  assert.match(await row.innerText(), /150\s+175/);
  await button(tab.page, "Try on last week").click();
  await tab.page
    .getByRole("region", { name: "Last week at the new prices" })
    .or(tab.page.getByText("no chat requests"))
    .waitFor();
  await tab.page.getByLabel("Note").fill(`Dearer ${HOSTILE}`);
  await button(tab.page, `Apply over version ${version}`).click();
  await tab.page.getByText(`Version ${version + 1} is in force`).waitFor();
  const now = (await operator.ask("GET", "operator/catalogue")).json<CatalogueSource>();
  assert.deepEqual([now.version, now.source, now.note], [version + 1, dearer, `Dearer ${HOSTILE}`]);

  await button(other.page, "Check").click();
  await other.page
    .getByText(`You edited version ${version}, but version ${version + 1} is in force by now.`)
    .waitFor();
  assert.equal(await button(other.page, `Apply over version ${version}`).count(), 0);
  // Its text undoes the other's change, and says so.
  assert.match(await other.page.locator("tr", { hasText: "175" }).first().innerText(), /175\s+150/);

  // Between the check and the press: refused, and nothing is lost.
  await button(other.page, `Apply over version ${version + 1} all the same`).click();
  const between = await operator.ask("POST", "operator/catalogue/apply", {
    source: `${dearer}\n`,
    expectedVersion: version + 1,
  });
  assert.equal(between.status, 200);
  await button(other.page, `Apply over version ${version + 1}`).click();
  await other.page.getByText("another version was applied").waitFor();
  assert.match(await editor(other).inputValue(), /output: "650"/);
  await button(other.page, "Compare with the one in force").click();
  await other.page.getByText(`version ${version + 2} is in force by now`).waitFor();

  await other.page.getByRole("link", { name: "Accounts" }).first().click();
  await other.page.getByRole("alertdialog").getByText("is not applied and will be lost").waitFor();
  await button(other.page.getByRole("alertdialog"), "Cancel").click();

  await tab.page.getByRole("tab", { name: "History" }).click();
  await button(tab.page, `Version ${version}`).click();
  await tab.page.getByRole("region", { name: `Text of version ${version}` }).waitFor();
  await tab.page.getByText(`Dearer ${HOSTILE}`).first().waitFor();
  await assertCalm(tab);
  await tab.close();
  await other.close();
});

test("a task that runs is ended as failed with a reason, and its money goes back", async () => {
  const taskId = await orderTask();
  const before = await detailOf(customer.accountId);
  assert.notEqual(before.held, "0");
  const tab = await scene.browsers.openTab(operator, english);
  const { page } = tab;
  await tab.open("/operator/tasks");
  await page.getByRole("link", { name: "flux-2" }).first().click();
  await page.waitForURL(new RegExp(taskId));
  await page.getByRole("heading", { level: 1, name: "flux-2" }).waitFor();
  await button(page, "Repeat the step").click();
  await button(dialogOf(page), "Repeat the step").click();
  await page.getByText("The step is due now").waitFor();
  await button(page, "End as failed").click();
  const dialog = dialogOf(page);
  await dialog.getByText(/Up to ₽[\d.]+ goes back/).waitFor();
  assert.equal(await button(dialog, "End as failed").isDisabled(), true, "a reason is due");
  await dialog.getByLabel("Reason").fill(`Forgotten ${HOSTILE}`);
  await button(dialog, "End as failed").click();
  await page.getByText("The task has failed, its money went back").waitFor();
  const now = await detailOf(customer.accountId);
  assert.deepEqual([now.held, now.balance], ["0", before.balance]);
  const [failed] = await auditOf(customer.accountId);
  assert.deepEqual(
    [failed?.action, failed?.subject, failed?.reason],
    ["task.fail", taskId, `Forgotten ${HOSTILE}`],
  );
  await button(page, "End as failed").waitFor({ state: "detached" });
  await assertCalm(tab);
  await tab.close();
});

test("a Russian page tells in Russian what became of a task and why an upstream failed, and keeps the words that are searched for", async () => {
  const taskId = await orderTask();
  assert.equal(
    (await operator.ask("POST", `operator/tasks/${taskId}/fail`, { reason: "Forgotten" })).status,
    200,
  );
  assert.equal(await scene.chat(customer.secret, "[[sandbox: status=503]]"), 502);
  const tab = await scene.browsers.openTab(operator, { language: "ru" });
  const { page } = tab;
  await tab.open(`/operator/tasks/${taskId}`);
  for (const [reported, word] of [
    ["заказана", "created"],
    ["закончилась ошибкой", "failed"],
  ] as const) {
    await page
      .getByRole("listitem")
      .filter({ hasText: reported })
      .getByText(word, { exact: true })
      .waitFor();
  }
  // What has no code, as a row from before there were any, is shown as it was written.
  const byHand = page.getByRole("listitem").filter({ hasText: "Forgotten" }).first();
  await byHand.locator("summary").click();
  assert.equal(await byHand.getByText(/: Forgotten$/).getAttribute("title"), null);
  const refusedId = await orderTask("A cat [[sandbox: createStatus=422]]");
  await until("the task to be refused", async () => {
    const { state } = (await operator.ask("GET", `operator/tasks/${refusedId}`)).json<{
      readonly state: string;
    }>();
    return state === "failed";
  });
  await tab.open(`/operator/tasks/${refusedId}`);
  const refusal = page.getByRole("listitem").filter({ hasText: /ответ 422: / });
  await refusal.locator("summary").click();
  const worded = refusal.getByText(/^ответ 422: /);
  assert.match((await worded.getAttribute("title")) ?? "", /^status 422: /);
  await tab.open("/operator/upstreams");
  await page
    .getByRole("button", { name: /^ошибок: / })
    .first()
    .click();
  const failure = dialogOf(page)
    .getByText(/ответ 503: /)
    .first();
  await failure.waitFor();
  assert.match((await failure.getAttribute("title")) ?? "", /^status 503: /);
  const { data } = (await operator.ask("GET", "operator/requests?state=failed")).json<{
    data: { id: string }[];
  }>();
  await tab.open(`/operator/requests/${data[0]?.id ?? ""}`);
  await page
    .getByRole("cell", { name: /ответ 503: / })
    .first()
    .waitFor();
  await assertCalm(tab);
  await tab.close();
});

test("who is no operator finds neither the pages nor the API", async () => {
  const stranger = await signUpAtPanel(scene.gateway);
  const tab = await scene.browsers.openTab(stranger, english);
  const missing = (await stranger.ask("GET", "no-such-path")).json<PanelErrorBody>().error;
  for (const path of [
    "overview",
    "accounts",
    `accounts/${customer.accountId}`,
    "requests",
    "tasks",
    "catalogue",
    "upstreams",
    "payments",
    "ledger",
    "audit",
  ]) {
    const answer = await stranger.ask("GET", `operator/${path}`);
    const { error } = answer.json<PanelErrorBody>();
    assert.deepEqual(
      [answer.status, error.code, error.message],
      [404, missing.code, missing.message],
      path,
    );
  }
  const credit = { amount: "1000", reason: "me", ref: "me" };
  assert.equal(
    (await stranger.ask("POST", `operator/accounts/${stranger.accountId}/credit`, credit)).status,
    404,
  );
  for (const path of [
    "",
    "/accounts",
    `/accounts/${customer.accountId}`,
    "/catalogue",
    "/ledger",
    "/audit",
  ]) {
    await tab.open(`/operator${path}`);
    await tab.page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();
    assert.equal(await tab.page.getByRole("link", { name: "Audit log" }).count(), 0);
  }
  await tab.close();
});

test("the log tells what commands and the start did: on the server instead of by a member, found by action, and by no member", async () => {
  const tab = await scene.browsers.openTab(operator, english);
  const { page } = tab;
  await tab.open(`/operator/audit?account=${customer.accountId}&action=key.create`);
  const row = page
    .getByRole("row")
    .filter({ hasText: `a command on the server, user ${currentUserName()}` });
  await row.getByText("made a key", { exact: true }).waitFor();
  assert.equal(await row.count(), 1);
  const links = await row
    .getByRole("link")
    .evaluateAll((found) => found.map((link) => link.getAttribute("href")));
  assert.deepEqual(links, [`/panel/operator/accounts/${customer.accountId}`]);
  await page.getByLabel("Action").selectOption("opened an account");
  await row.getByText("opened an account", { exact: true }).waitFor();
  await tab.open("/operator/audit?action=catalogue.apply");
  await page
    .locator(`[title="start:${currentUserName()}"]`, { hasText: "the server at a start, user" })
    .first()
    .waitFor();
  const byMember = async (memberId: string): Promise<AuditList["data"]> =>
    (await operator.ask("GET", `operator/audit?member=${memberId}&limit=100`)).json<AuditList>()
      .data;
  assert.deepEqual(
    [...new Set((await byMember(operator.memberId)).map(({ actor }) => actor))],
    [operator.email],
  );
  await assertCalm(tab);
  await tab.close();
});

test(
  "every page is readable and in its place: both languages, both themes, wide and on a phone",
  { timeout: 300_000 },
  async () => {
    for (let at = 0; at < 3; at += 1) assert.equal(await scene.chat(customer.secret), 200);
    const requestId =
      (await operator.ask("GET", "operator/requests")).json<{ data: { id: string }[] }>().data[0]
        ?.id ?? "";
    const taskId = await orderTask();
    const named =
      (await operator.ask("GET", "operator/accounts?search=daisy")).json<OperatorAccountList>()
        .data[0]?.accountId ?? "";
    assert.equal((await operator.ask("POST", "operator/ledger/verify")).status, 202);
    const pages: Readonly<Record<string, string>> = {
      overview: "",
      accounts: "/accounts",
      account: `/accounts/${customer.accountId}`,
      named: `/accounts/${named}`,
      requests: "/requests",
      request: `/requests/${requestId}`,
      tasks: "/tasks",
      stuck: "/tasks?tab=stuck",
      task: `/tasks/${taskId}`,
      catalogue: "/catalogue",
      editor: "/catalogue?tab=edit",
      yaml: "/catalogue?tab=edit&as=yaml",
      history: "/catalogue?tab=history&version=1",
      upstreams: "/upstreams?window=24h",
      margin: "/margin",
      days: "/margin?by=day",
      ledger: "/ledger",
      audit: "/audit",
    };
    for (const [language, theme, width] of [
      ["ru", "light", 1280],
      ["en", "dark", 390],
      ["ru", "dark", 390],
      ["en", "light", 1280],
    ] as const) {
      const tab = await scene.browsers.openTab(operator, { language, theme, width });
      for (const [name, path] of Object.entries(pages)) {
        await tab.open(`/operator${path}`);
        await tab.screenshot(`operator-${name}-${language}-${theme}-${width}`);
        assert.deepEqual(await pageFaults(tab.page), [], `${name} ${language} ${theme} ${width}`);
      }
      await assertCalm(tab);
      await tab.close();
    }
  },
);

/** One that its upstream does not finish within this test. */
async function orderTask(prompt = `A cat ${HOSTILE}`): Promise<string> {
  const answer = await fetch(`${scene.url}/v1/tasks/flux-2`, {
    method: "POST",
    headers: { authorization: `Bearer ${customer.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt, aspectRatio: "1:1", resolution: "1K" }),
  });
  const text = await answer.text();
  const taskId = (JSON.parse(text) as { data?: { taskId?: string } | null }).data?.taskId;
  assert.ok(taskId !== undefined, text);
  return taskId;
}

test("members of a blocked account read why on every page, and are not told to ask their owner for a role", async () => {
  const owner = await signUpAtPanel(scene.gateway);
  await operator.ask("POST", `operator/accounts/${owner.accountId}/block`, {
    reason: `An unpaid bill ${HOSTILE}`,
  });
  const tab = await scene.browsers.openTab(owner, english);
  const { page } = tab;
  for (const path of ["/", "/playground", "/billing"]) {
    await tab.open(path);
    await page.getByText(`The reason: “An unpaid bill ${HOSTILE}”.`).waitFor();
    assert.equal(await page.getByText(/Ask the owner|owner or a manager/i).count(), 0, path);
  }
  await tab.open("/settings/profile");
  await page.getByText("Owner", { exact: true }).waitFor();
  await assertCalm(tab);
  await tab.close();
});
