/**
 * Guarantee: by the page of money one tops up and sees the truth about it: what is paid is shown
 * credited, what is not is not, to the kopeck of the ledger.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { TopUpList } from "../../src/contract/panel/top-up.ts";
import { openDatabase } from "../../src/db/database.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { adjust } from "../../src/ledger/transfers.store.ts";
import { nano } from "../../src/kernel/money.ts";
import { startGateway } from "../support/gateway-process.ts";
import { pageFaults } from "../support/page-faults.ts";
import { openPanelBrowserScene, type PanelTab } from "../support/panel-browser.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import {
  balanceOf,
  ledgerOf,
  openMoneyPagesScene,
  type MoneyPagesScene,
} from "./money-pages-scene.ts";

let scene: MoneyPagesScene;
before(async () => {
  scene = await openMoneyPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "https://up.example", apiKeyEnv: KEY } }
models:
  small: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: up, model: m } ] }
`;

const WORDS = {
  ru: {
    amount: "Сумма",
    pay: "Перейти к оплате",
    credited: "Зачислено 100,00 ₽",
    balance: "Теперь на балансе 100,00 ₽.",
    canceled: "Пополнение на 100,00 ₽ не оплачено",
    nothing: "На баланс ничего не зачислено.",
    kind: "Пополнение",
    change: "+100,00 ₽",
    sandbox: { pay: "Оплатить", fail: "Не хватает денег на карте", cancel: "Отменить" },
    reasons: { fail: "Банк отклонил оплату.", cancel: "Оплату отменили." },
  },
  en: {
    amount: "Amount",
    pay: "Go to payment",
    credited: "₽100.00 credited",
    balance: "The balance is now ₽100.00.",
    canceled: "The top-up of ₽100.00 was not paid",
    nothing: "Nothing was credited to the balance.",
    kind: "Top-up",
    change: "+₽100.00",
    sandbox: { pay: "Pay", fail: "Not enough money on the card", cancel: "Cancel" },
    reasons: { fail: "The bank declined the payment.", cancel: "The payment was canceled." },
  },
} as const;

const VIEWS = [
  { language: "ru", theme: "light", width: 1280 },
  { language: "en", theme: "dark", width: 390 },
] as const;

/** From the form to the sandbox's page and back, by its button. */
async function payBy(
  tab: PanelTab,
  language: "ru" | "en",
  act: "pay" | "fail" | "cancel",
  amount = "100",
): Promise<void> {
  const { page } = tab;
  const words = WORDS[language];
  await tab.open("/billing");
  await page.getByLabel(words.amount, { exact: true }).fill(amount);
  await page.getByRole("button", { name: words.pay }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/payments/page/"));
  // The page's language is the one of the member's account.
  const { ru, en } = WORDS;
  await page
    .getByRole("button", { name: new RegExp(`^(${ru.sandbox[act]}|${en.sandbox[act]})$`) })
    .click();
  await page.waitForURL(/\/panel\/billing\?topUp=/);
}

for (const view of VIEWS) {
  const words = WORDS[view.language];
  const name = `${view.language}-${view.theme}-${view.width}`;

  test(`100 roubles are paid on the sandbox's page, credited before one's eyes, and in the ledger (${name})`, async () => {
    const member = await scene.newMember();
    const tab = await scene.openTab(member, view);
    const { page } = tab;
    await payBy(tab, view.language, "pay");
    await page.getByText(spaced(words.credited), { exact: true }).waitFor();
    await page.getByText(spaced(words.balance), { exact: true }).waitFor();
    assert.equal(await balanceOf(member), "100");
    const row = page.getByRole("row").filter({ hasText: words.kind });
    await row.getByText(spaced(words.change), { exact: true }).waitFor();
    assert.deepEqual(
      (await ledgerOf(member)).map(({ kind, change, balanceAfter }) => [
        kind,
        change,
        balanceAfter,
      ]),
      [["topup", "100", "100"]],
    );
    await tab.screenshot(`${name}-billing-credited`);
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test(`what is canceled or declined says so, and credits nothing (${name})`, async () => {
    const member = await scene.newMember();
    const tab = await scene.openTab(member, view);
    const { page } = tab;
    for (const act of ["cancel", "fail"] as const) {
      await payBy(tab, view.language, act);
      await page.getByText(spaced(words.canceled), { exact: true }).waitFor();
      await page.getByText(words.reasons[act]).first().waitFor();
      await page.getByText(words.nothing).first().waitFor();
    }
    await tab.open("/billing?tab=top-ups");
    assert.equal(await page.locator("tbody tr").count(), 2);
    await tab.screenshot(`${name}-billing-history`);
    assert.deepEqual(await pageFaults(page), []);
    assert.equal(await balanceOf(member), "0");
    assert.deepEqual(await ledgerOf(member), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

const english = { language: "en" } as const;

test("a payment that waits is followed until it is paid elsewhere, can be gone on with, and has a page of its own", async () => {
  const member = await scene.newMember();
  const begun = await member.ask("POST", "top-ups", { amount: "250.5", method: "sbp" });
  const { topUpId, redirectUrl } = begun.json<{ topUpId: string; redirectUrl: string }>();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open(`/billing?topUp=${topUpId}`);
  await page.getByText("Waiting for the payment of ₽250.50").waitFor();
  assert.equal(
    await page.getByRole("link", { name: "Continue payment" }).getAttribute("href"),
    redirectUrl,
  );
  await tab.screenshot("en-light-1280-billing-waiting");
  assert.deepEqual(await pageFaults(page), []);
  await fetch(redirectUrl, {
    method: "POST",
    body: new URLSearchParams({ do: "pay" }),
    redirect: "manual",
  });
  await page.getByText("₽250.50 credited").waitFor();
  await page.getByText("The balance is now ₽250.50.").waitFor();
  await page.getByRole("link", { name: "Details" }).click();
  await page.getByText(topUpId).waitFor();
  await page.locator(".facts").getByText("SBP (Faster Payments)").waitFor();
  await tab.screenshot("en-light-1280-billing-top-up");
  assert.deepEqual(await pageFaults(page), []);
  await tab.open(`/billing?topUp=${topUpId}`);
  await page.getByRole("button", { name: "Got it" }).click();
  await page.waitForURL(
    (url) => url.pathname === "/panel/billing" && !url.searchParams.has("topUp"),
  );
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("an amount that cannot be is told at its field, a provider that refuses in words, and neither begins twice", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/billing");
  await page.getByLabel("Amount", { exact: true }).fill("9.99");
  await page.getByRole("button", { name: "Go to payment" }).click();
  await page.getByText("An amount from ₽10 to ₽1,000,000 is needed, in whole kopecks.").waitFor();
  await page.getByRole("button", { name: "₽3,000" }).click();
  assert.equal(await page.getByLabel("Amount", { exact: true }).inputValue(), "3000");
  await page.getByLabel("Amount", { exact: true }).fill("300,19");
  await page.getByRole("button", { name: "Go to payment" }).click();
  await page.getByText("The payment service did not answer. No money was taken").waitFor();
  const { data } = (await member.ask("GET", "top-ups")).json<TopUpList>();
  assert.deepEqual(
    data.map(({ amount, state }) => [amount, state]),
    [["300.19", "failed"]],
  );
  await page.getByRole("tab", { name: "Top-ups" }).click();
  await page
    .getByRole("row")
    .filter({ hasText: "The payment service did not take the payment." })
    .waitFor();
  await tab.open("/billing?topUp=00000000-0000-0000-0000-000000000000");
  await page.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("the ledger shows each kind and period by its address, page by page, is a file too, and never runs what a note says", async () => {
  const member = await scene.newMember();
  const db = openDatabase({
    url: scene.shared.databaseUrl,
    poolSize: 1,
    applicationName: "billing page test",
    onError: () => undefined,
  });
  const { accountId } = member;
  const note = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  try {
    for (let one = 1n; one <= 60n; one++)
      await topUp(db, { accountId, amountNano: nano(one * 1_000_000_000n), reference: null });
    await db.transaction((tx) =>
      adjust(tx, { accountId, amountNano: nano(-123_456_789n), reference: "correction-1", note }),
    );
  } finally {
    await db.close();
  }
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/billing");
  await page.getByText(note, { exact: true }).waitFor();
  assert.doesNotMatch(await page.title(), /run/);
  const first = page.locator("tbody tr").first();
  assert.match(await first.innerText(), /−₽0\.123456789[\s\S]*₽1,829\.876543211/);
  const shown = await page.locator("tbody tr").count();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.locator("tbody tr").nth(60).waitFor();
  assert.ok(shown < 61);
  assert.equal(await page.locator("tbody tr").count(), 61);
  await page.getByLabel("What to show").selectOption("adjust");
  await page.waitForURL(/kind=adjust/);
  await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
  assert.match(await first.innerText(), /Correction[\s\S]*₽1,829\.876543211/);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download CSV" }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
  assert.equal(lines.length, 2);
  assert.match(String(lines[1]), /adjust,-0\.123456789,1829\.876543211/);
  // Who closes a month is told what it adds up to; the file is named by its days.
  await page.getByRole("button", { name: "Last month" }).click();
  const turnover = page.locator(".card", {
    has: page.getByRole("heading", { name: "In this period" }),
  });
  const figures = async (): Promise<readonly string[]> => turnover.locator(".stat").allInnerTexts();
  await until("nothing of last month", async () =>
    (await figures()).join().includes("At the end\n₽0.00"),
  );
  await page.getByRole("button", { name: "This month" }).click();
  const closing = "At the end\n₽1,829.876543211";
  await until("all of this month", async () => (await figures()).includes(closing));
  assert.deepEqual(await figures(), [
    "At the beginning\n₽0.00",
    "Top-ups\n₽1,830.00",
    "Corrections and refunds\n−₽0.123456789",
    "Charges\n₽0.00",
    closing,
  ]);
  const month = new Intl.DateTimeFormat("sv-SE", {
    timeZone: "Europe/Moscow",
    year: "numeric",
    month: "2-digit",
  }).format(Date.now());
  const ofMonth = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download CSV" }).click();
  assert.match(
    (await ofMonth).suggestedFilename(),
    new RegExp(`^tollgate-ledger-${month}-01-${month}-(28|29|30|31)\\.csv$`),
  );
  // Folded by day, a day is one row, which leads to its entries.
  await page.getByRole("radio", { name: "By day" }).check({ force: true });
  await page.waitForURL(/fold=days/);
  await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
  assert.match(await first.innerText(), /today[\s\S]*₽1,829\.87[\s\S]*₽0\.00[\s\S]*₽1,829\.87/);
  await first.getByRole("button").click();
  await page.locator("tbody tr").nth(1).waitFor();
  assert.match(page.url(), /from=\d{4}-\d\d-\d\d&to=|to=\d{4}-\d\d-\d\d&from=/);
  await tab.open("/billing?kind=charge");
  await page.getByText("Nothing matches these filters").waitFor();
  await tab.open("/billing?from=2020-01-01&to=2020-01-31");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Reset" }).click();
  await page.locator("tbody tr").first().waitFor();
  assert.doesNotMatch(page.url(), /from=/);
  assert.deepEqual(await pageFaults(page), []);
  await tab.screenshot("en-light-1280-billing-ledger");
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("where customers cannot pay online, the page says what to do instead", async () => {
  const member: PanelPerson = await scene.newMember();
  await using gateway = await startGateway({
    databaseUrl: scene.shared.databaseUrl,
    catalogue: CATALOGUE,
    env: { ...scene.shared.env, KEY: "k" },
  });
  const other = await openPanelBrowserScene(gateway);
  try {
    const tab = await other.openTab(member, { language: "en", width: 390 });
    await tab.open("/billing");
    await tab.page.getByText("Online payment is not connected here").waitFor();
    await tab.page.getByText("Write to whoever runs this service").waitFor();
    assert.equal(await tab.page.getByRole("button", { name: "Go to payment" }).count(), 0);
    await tab.screenshot("en-light-390-billing-closed");
    assert.deepEqual(await pageFaults(tab.page), []);
    assert.deepEqual(tab.complaints, []);
  } finally {
    await other.close();
  }
});

test("a link may say by how much to top up: it stands in the form, and what is no sum does not", async () => {
  const tab = await scene.openTab(await scene.newMember(), { language: "en" });
  const amount = tab.page.getByLabel(WORDS.en.amount, { exact: true });
  for (const [asked, shown] of [
    ["1200.5", "1200.5"],
    ["-7", "500"],
    ["7;8", "500"],
  ] as const) {
    await tab.open(`/billing?amount=${asked}`);
    assert.equal(await amount.inputValue(), shown);
  }
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

/** Figures are written with spaces that do not break. */
function spaced(text: string): RegExp {
  return new RegExp(
    `^${text.replaceAll(/[.+?*^$()[\]{}|\\]/g, String.raw`\$&`).replaceAll(" ", String.raw`\s`)}$`,
  );
}
