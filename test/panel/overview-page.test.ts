/**
 * Guarantee: the overview's figures are those of the ledger, to the last digit, in every chart and
 * table; and a newcomer is told what to do.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { formatMoney, formatMoneyBrief } from "../../panel/src/i18n/format-money.ts";
import { overviewEn } from "../../panel/src/i18n/texts/overview.en.ts";
import { overviewRu } from "../../panel/src/i18n/texts/overview.ru.ts";
import { spendEn } from "../../panel/src/i18n/texts/spend.en.ts";
import { spendRu } from "../../panel/src/i18n/texts/spend.ru.ts";
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import type { LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import type { Overview } from "../../src/contract/panel/overview.ts";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import type { PanelKeyName } from "../../src/contract/panel/spend.ts";
import { formatRoubles, nano, parseRoubles } from "../../src/kernel/money.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelView } from "../support/panel-browser.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const VIEWS: readonly (readonly [
  string,
  PanelView,
  typeof overviewRu,
  typeof spendRu,
  typeof wordsRu,
])[] = [
  ["in Russian on a wide screen", { language: "ru" }, overviewRu, spendRu, wordsRu],
  [
    "in English on a phone in the dark",
    { language: "en", width: 390, theme: "dark" },
    overviewEn,
    spendEn,
    wordsEn,
  ],
];

interface Charge {
  readonly key: PanelKeyName | null;
  readonly nano: bigint;
}

async function charges(person: PanelPerson, count: number): Promise<readonly Charge[]> {
  return until(`${count} charges`, async () => {
    const { data } = (await person.ask("GET", "ledger")).json<LedgerPage>();
    const found = data
      .filter(({ kind }) => kind === "charge")
      .map(({ key, change }) => ({ key, nano: -(parseRoubles(change) ?? 0n) }));
    return found.length === count ? found : null;
  });
}

const sum = (of: readonly Charge[]): string =>
  formatRoubles(nano(of.reduce((total, one) => total + one.nano, 0n)));

for (const [name, view, t, spend, words] of VIEWS) {
  const language = view.language ?? "ru";

  test(`a new account, ${name}`, { timeout: 120_000 }, async () => {
    const person = await scene.newMember("0");
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    await tab.open("/");
    for (const step of [t.stepTopUp, t.stepKey, t.stepTry, t.stepCall])
      await page.getByRole("heading", { name: step }).waitFor();
    await page.getByText(`curl ${scene.url}/v1/chat/completions`).waitFor();
    assert.equal(await page.getByText(t.done, { exact: true }).count(), 0);
    await scene.newKey(person, "first");
    await tab.open("/");
    await page.getByText(t.done, { exact: true }).waitFor();
    await tab.screenshot(`overview-new-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test(`an account at work, ${name}`, { timeout: 180_000 }, async () => {
    const person = await scene.newMember("1000");
    const keys: PanelKeyMade[] = [];
    for (const keyName of ["one", "two", "three", "four", "five", "six", "seven"])
      keys.push(await scene.newKey(person, keyName));
    for (const [at, { secret }] of keys.entries()) {
      for (let times = 0; times <= at; times++)
        await scene.chat(secret, ["sandbox-large", "sandbox-medium"][times % 2]);
    }
    const reported = await charges(person, 28);
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    await tab.open("/");
    const total = sum(reported);
    const balance = formatRoubles(nano((parseRoubles("1000") ?? 0n) - (parseRoubles(total) ?? 0n)));
    for (const [exact, rounding] of [
      [balance, "down"],
      [total, "up"],
    ] as const) {
      await page
        .getByTitle(formatMoney(exact, language))
        .filter({ visible: true })
        .first()
        .waitFor();
      await page
        .getByText(formatMoneyBrief(exact, language, rounding))
        .filter({ visible: true })
        .first()
        .waitFor();
    }
    const stats = await page.locator(".stats .stat-value").allTextContents();
    assert.deepEqual(
      [stats[0], stats[2]],
      Array(2).fill(formatMoneyBrief(balance, language, "down")),
      "balance and what is free of it",
    );
    // Today, 7 days and 30 days are the same for who began today.
    const activity = page.locator(".card", {
      has: page.getByRole("heading", { name: t.activity }),
    });
    const rows = await activity.locator("tbody tr").allTextContents();
    assert.equal(rows.length, 3);
    for (const row of rows)
      assert.ok(row.includes(formatMoneyBrief(total, language, "up")) && row.includes("28"), row);
    await tab.screenshot(`overview-${language}`);
    assert.deepEqual(await pageFaults(page), []);

    // The chart is a table too: each of the dearest keys, and the rest, add up to the day.
    await page.getByLabel(spend.split).selectOption("key");
    await page.getByText(spend.rest, { exact: true }).waitFor();
    await tab.screenshot(`overview-by-key-${language}`);
    // Today is not over: it is drawn and named so, or it looks like a fall.
    assert.equal(await page.locator(".chart path.chart-partial").count(), 6);
    await page.getByRole("button", { name: words.showTable }).click();
    const last = page.locator(".chart tbody tr").last();
    assert.equal(await last.locator("th").textContent(), language === "ru" ? "сегодня" : "today");
    const perKey = keys.map(({ key }) =>
      sum(reported.filter((charge) => charge.key?.hash === key.hash)),
    );
    const sorted = perKey.toSorted((a, b) =>
      Number((parseRoubles(b) ?? 0n) - (parseRoubles(a) ?? 0n)),
    );
    const rest = formatRoubles(
      nano(sorted.slice(5).reduce((left, amount) => left + (parseRoubles(amount) ?? 0n), 0n)),
    );
    assert.deepEqual(
      await last.locator("td").evaluateAll((cells) => cells.map(({ title }) => title)),
      [...sorted.slice(0, 5), rest].map((amount) => formatMoney(amount, language)),
    );
    assert.match(page.url(), /split=key/);
    await page.getByLabel(spend.split).selectOption("model");
    await page.locator(".chart thead").getByText("sandbox-medium").waitFor();
    await page.getByLabel(spend.split).selectOption("none");
    await page.locator(".chart thead").getByText(spend.all).waitFor();
    assert.equal(await last.locator("td").getAttribute("title"), formatMoney(total, language));
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("figures of billions are whole on a narrow phone", async () => {
  const person = await scene.newMember("1000");
  await scene.newKey(person, "first");
  const overview = (await person.ask("GET", "overview")).json<Overview>();
  const last30Days = {
    ...overview.last30Days,
    charged: "1234567.891",
    requests: 2_123_310,
    inputTokens: 87_471_720_123,
    outputTokens: 1_910_790_456,
  };
  const tab = await scene.openTab(person, { language: "ru", width: 360 });
  const { page } = tab;
  await page.route("**/panel/api/overview", (route) =>
    route.fulfill({ json: { ...overview, last30Days } }),
  );
  await tab.open("/");
  const figure = page.getByText(/^87\s471\s720\s123 \/ 1\s910\s790\s456$/);
  const right = async (of: Locator): Promise<number> =>
    of.evaluate((element) => element.getBoundingClientRect().right);
  assert.ok(
    (await right(figure)) <= (await right(page.locator("td", { has: figure }))),
    "the end of it is cut off",
  );
  await tab.close();
});
