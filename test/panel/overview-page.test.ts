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
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import type { LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import type { Usage } from "../../src/contract/panel/usage.ts";
import type { PanelGroup } from "../../src/contract/panel/panel-group.ts";
import type { PanelKey, PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import type { Session } from "../../src/contract/panel/sessions.ts";
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

const VIEWS: readonly (readonly [string, PanelView, typeof overviewRu, typeof wordsRu])[] = [
  ["in Russian on a wide screen", { language: "ru" }, overviewRu, wordsRu],
  [
    "in English on a phone in the dark",
    { language: "en", width: 390, theme: "dark" },
    overviewEn,
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

for (const [name, view, t, words] of VIEWS) {
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
    // The first, of one request, is used in a group; the last, of seven, becomes one's own.
    const group = await person.ask("POST", "groups", { name: "Research" });
    const of = (at: number): string => `keys/${keys.at(at)?.key.hash ?? ""}`;
    await person.ask("POST", of(0), { group: group.json<PanelGroup>().id });
    const { member: self } = (await person.ask("GET", "session")).json<Session>();
    const owned = (await person.ask("POST", of(-1), { owner: self.memberId })).json<PanelKey>();
    for (const [at, { secret }] of keys.entries()) {
      for (let times = 0; times <= at; times++)
        await scene.chat(secret, ["sandbox-large", "sandbox-medium"][times % 2]);
    }
    const reported = await charges(person, 28);
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    await tab.open("/");
    const total = sum(reported);
    const strip = page.locator(".overview-strip .stat");
    const figureOf = (label: string) =>
      strip.filter({ has: page.getByText(label, { exact: true }) }).locator(".stat-value");
    await figureOf(t.figureNames.spent).getByTitle(formatMoney(total, language)).waitFor();
    assert.equal(await figureOf(t.figureNames.requests).innerText(), "28");
    // Nothing was before: nothing is compared, and no line is drawn of one day that is not over.
    assert.equal(await page.getByText(t.compared["30d"]).count(), 0);
    await tab.screenshot(`overview-${language}`);
    assert.deepEqual(await pageFaults(page), []);

    // The table beside the bars is their legend: the dearest keys and the rest add up to all.
    await page.getByRole("radio", { name: t.splits.key }).check({ force: true });
    const sums = page.locator(".chart-sums");
    await sums.getByText(t.more("2"), { exact: true }).waitFor();
    await tab.screenshot(`overview-by-key-${language}`);
    // Today is not over: it is drawn and named so, or it looks like a fall.
    assert.equal(await page.locator(".chart path.chart-partial").count(), 6);
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
      await sums.locator("tbody td").allInnerTexts(),
      [...sorted.slice(0, 5), rest].map((amount) => formatMoneyBrief(amount, language, "up")),
    );
    await page.getByRole("button", { name: words.showTable }).click();
    const last = page.locator(".chart tbody tr").last();
    assert.equal(await last.locator("th").textContent(), language === "ru" ? "сегодня" : "today");
    assert.deepEqual(
      await last.locator("td").evaluateAll((cells) => cells.map(({ title }) => title)),
      [...sorted.slice(0, 5), rest].map((amount) => formatMoney(amount, language)),
    );
    assert.match(page.url(), /by=key/);
    await page.getByRole("radio", { name: t.splits.model }).check({ force: true });
    await page.locator(".chart thead").getByText("sandbox-medium").waitFor();
    await page.getByRole("radio", { name: t.splits.kind }).check({ force: true });
    await page.locator(".chart thead").getByText(t.kinds.chat).waitFor();
    assert.equal(await last.locator("td").getAttribute("title"), formatMoney(total, language));

    // Another figure of the same time, by whose keys they are and by their groups.
    await page.getByRole("button", { name: words.showChart }).click();
    await page.getByRole("combobox", { name: t.figure }).selectOption("requests");
    await page.getByRole("heading", { name: t.chartTitles.requests.day }).waitFor();
    await page.getByRole("radio", { name: t.splits.member }).check({ force: true });
    const member = sums.locator("tbody tr").filter({ hasText: owned.owner?.name ?? "" });
    assert.equal(await member.locator("td").innerText(), "7");
    const ofAccount = sums.locator("tbody tr").filter({ hasText: t.keysOfAccount });
    assert.equal(await ofAccount.locator("td").innerText(), "21");
    await tab.screenshot(`overview-by-member-${language}`);
    await page.getByRole("radio", { name: t.splits.group }).check({ force: true });
    await sums.getByText("Research", { exact: true }).waitFor();
    assert.deepEqual((await sums.locator("tbody td").allInnerTexts()).toSorted(), ["1", "27"]);
    // A mean does not add up: one bar a day, and beside them the mean of each part.
    await page.getByRole("radio", { name: t.ranges["7d"] }).check({ force: true });
    await page.getByRole("combobox", { name: t.figure }).selectOption("firstToken");
    await page.getByRole("heading", { name: t.chartTitles.firstToken.day }).waitFor();
    assert.equal(await page.locator(".chart path.chart-partial").count(), 1);
    await sums.getByText(t.mean, { exact: true }).waitFor();
    assert.equal(await sums.locator("tbody tr").count(), 2);
    await tab.screenshot(`overview-first-token-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    assert.match(page.url(), /figure=firstToken/);
    await page.getByRole("combobox", { name: t.figure }).selectOption("spent");

    // By the hour; the address keeps it, and a reload shows the same.
    await page.getByRole("radio", { name: t.ranges["24h"] }).check({ force: true });
    await page.getByRole("heading", { name: t.chartTitles.spent.hour }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: t.chartTitles.spent.hour }).waitFor();
    assert.match(page.url(), /range=24h/);
    await figureOf(t.figureNames.spent).getByTitle(formatMoney(total, language)).waitFor();
    await figureOf(t.figureNames.firstToken).waitFor();

    // The dearest keys, and the newest requests, lead on.
    const parts = page.locator(".overview-part");
    assert.equal(await parts.first().locator("tbody tr").count(), 5);
    assert.equal(await parts.last().locator("tbody tr").count(), 6);
    assert.deepEqual(await pageFaults(page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("figures of billions are short, whole under the pointer, and fit a narrow phone", async () => {
  const person = await scene.newMember("1000");
  const { secret } = await scene.newKey(person, "first");
  await scene.chat(secret);
  await charges(person, 1);
  const usage = (await person.ask("GET", "usage")).json<Usage>();
  const sums = {
    ...usage.total,
    charged: "1234567.891",
    requests: 2_123_310,
    inputTokens: 87_471_720_123,
    outputTokens: 1_910_790_456,
  };
  const tab = await scene.openTab(person, { language: "ru", width: 360 });
  const { page } = tab;
  await page.route("**/panel/api/usage?*", (route) =>
    route.fulfill({
      json: {
        ...usage,
        total: sums,
        compared: { now: { ...sums, charged: "112" }, before: { ...sums, charged: "100" } },
      },
    }),
  );
  await tab.open("/");
  const tokens = page.locator(".overview-strip .stat-value[title]").filter({ hasText: "млрд" });
  await tokens.waitFor();
  assert.match((await tokens.getAttribute("title")) ?? "", /^89\s382\s510\s579$/);
  await page.getByText("+12\u00A0%", { exact: true }).waitFor();
  await page.getByText(overviewRu.compared["30d"]).waitFor();
  const right = async (of: Locator): Promise<number> =>
    of.evaluate((element) => element.getBoundingClientRect().right);
  for (const stat of await page.locator(".overview-strip .stat").all())
    assert.ok(
      (await right(stat.locator(".stat-value"))) <= (await right(stat)),
      "the end of it is cut off",
    );
  await tab.close();
});

test("a key whose limit is nearly used is the one warning", { timeout: 120_000 }, async () => {
  const person = await scene.newMember("1000");
  const made = await scene.newKey(person, "tight");
  await scene.chat(made.secret);
  const [{ nano: spent }] = (await charges(person, 1)) as [Charge];
  const amount = formatRoubles(nano(spent + spent / 20n));
  const changed = await person.ask("POST", `keys/${made.key.hash}`, {
    limit: { amount, period: "month" },
  });
  assert.equal(changed.status, 200, changed.text);
  const tab = await scene.openTab(person, { language: "en" });
  await tab.open("/");
  const warning = tab.page.locator(".overview-warning");
  await warning.getByText(/The key “tight” has used 95\.\d% of its monthly limit/).waitFor();
  await warning.getByRole("link", { name: overviewEn.changeLimit }).click();
  await tab.page.waitForURL(`**/keys/${made.key.hash}`);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
