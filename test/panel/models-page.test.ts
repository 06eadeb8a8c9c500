/**
 * Guarantee: the prices that the panel shows are those of the catalogue, and its calculators count
 * what the gateway would charge, to the last digit.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { formatMoney } from "../../panel/src/i18n/format-money.ts";
import { formatDecimal } from "../../panel/src/i18n/format-number.ts";
import { modelsEn } from "../../panel/src/i18n/texts/models.en.ts";
import { modelsRu } from "../../panel/src/i18n/texts/models.ru.ts";
import { chatCost } from "../../panel/src/pages/models/chat-cost.ts";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { describeTariff } from "../../src/contract/price/compile-tariff.ts";
import { priceChat } from "../../src/contract/price/price-chat.ts";
import type { PanelModelList, PanelTaskQuote } from "../../src/contract/panel/panel-model.ts";
import { formatRoubles, nano } from "../../src/kernel/money.ts";
import { NO_USAGE } from "../../src/kernel/token-usage.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelView } from "../support/panel-browser.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

test("a chat request is priced in the panel as it is by the gateway, for any number of tokens", () => {
  const source = readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8");
  const odd = source.replace(
    'price: { input: "9",',
    'price: { request: "0.000000007", input: "9.000000001",',
  );
  assert.notEqual(odd, source);
  const reading = parseCatalogue(odd, { SANDBOX_URL: "http://127.0.0.1:1", SANDBOX_API_KEY: "x" });
  assert.ok(reading.ok);
  let seed = 7;
  const upTo = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % (most + 1);
  };
  for (const model of reading.catalogue.models.values()) {
    if (model.type !== "chat") continue;
    const price = { kind: "chat" as const, ...describeTariff(model) };
    for (let times = 0; times < 500; times++) {
      const [inputTokens, cachedInputTokens, outputTokens, requests] = [
        upTo(300_000),
        upTo(9_999),
        upTo(70_000),
        upTo(50),
      ];
      const once = priceChat(model, { ...NO_USAGE, inputTokens, cachedInputTokens, outputTokens });
      const tokens = {
        input: BigInt(inputTokens),
        cachedInput: BigInt(cachedInputTokens),
        output: BigInt(outputTokens),
      };
      assert.equal(
        chatCost(price, { ...tokens, requests: BigInt(requests) }).amount,
        formatRoubles(nano(once * BigInt(requests))),
      );
    }
  }
});

test("the panel prices variants as the gateway does, and says which tier counts", () => {
  const reading = parseCatalogue(
    readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8"),
    {
      SANDBOX_URL: "http://127.0.0.1:1",
      SANDBOX_API_KEY: "x",
    },
  );
  const model = reading.ok ? reading.catalogue.models.get("sandbox-large") : undefined;
  assert.ok(model?.type === "chat");
  const price = { kind: "chat" as const, ...describeTariff(model) };
  for (const [inputTokens, tier] of [
    [128_000, null],
    [128_001, 128_000],
  ] as const) {
    for (const variants of [
      {},
      { serviceTier: "priority" },
      { speed: "fast" },
      { serviceTier: "flex", inferenceGeo: "us" },
    ]) {
      const once = priceChat(
        model,
        { ...NO_USAGE, inputTokens, outputTokens: 777 },
        { variants, tools: {} },
      );
      const asked = {
        input: BigInt(inputTokens),
        cachedInput: 0n,
        output: 777n,
        requests: 3n,
        variants,
      };
      // A price of its own has its own tiers: `fast` has none.
      const expected = "speed" in variants ? null : tier;
      assert.deepEqual(chatCost(price, asked), {
        amount: formatRoubles(nano(once * 3n)),
        tier: expected,
      });
    }
  }
});

const VIEWS: readonly (readonly [string, PanelView, typeof modelsRu])[] = [
  ["in Russian on a wide screen", { language: "ru" }, modelsRu],
  ["in English on a phone in the dark", { language: "en", width: 390, theme: "dark" }, modelsEn],
];

for (const [name, view, t] of VIEWS) {
  test(`models, prices and calculators, ${name}`, { timeout: 240_000 }, async () => {
    const language = view.language ?? "ru";
    const person = await scene.newMember("1000");
    const { data: models } = (await person.ask("GET", "models")).json<PanelModelList>();
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    const cost = page.locator(".models-cost b");

    await tab.open("/models");
    for (const { displayName, price } of models) {
      if (price.kind !== "chat") continue;
      const cell = page
        .locator("tr", { has: page.getByRole("link", { name: displayName, exact: true }) })
        .locator(`td[data-label="${t.listPrices.output}"]`);
      assert.equal(await cell.textContent(), formatDecimal(price.output, language));
    }
    await tab.screenshot(`models-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    // What is looked for may be of another kind: its tab says how many there are.
    const search = page.getByPlaceholder(t.searchHint);
    await search.fill("dance SEED");
    await page.getByRole("tab", { name: `${t.tabs.chat} · 0` }).waitFor();
    await page.getByRole("tab", { name: t.tabs.tasks }).click();
    await page.getByRole("link", { name: "Seedance 2.0", exact: true }).waitFor();
    assert.match(page.url(), /search=dance\+SEED/);
    await tab.screenshot(`models-search-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    await search.fill("");
    await page.getByRole("tab", { name: t.tabs.tasks, exact: true }).waitFor();
    await tab.screenshot(`models-tasks-${language}`);
    if (view.width === undefined) await sortByHeading(page, t.model);
    assert.deepEqual(await pageFaults(page), []);
    assert.match(page.url(), /tab=tasks/);

    await tab.open("/models/sandbox-large");
    await page.getByLabel(t.inputTokens).fill("123456");
    await page.getByLabel(t.cachedTokens).fill("23456");
    await page.getByLabel(t.outputTokens).fill("789");
    await page.getByLabel(t.requests).fill("3");
    // 100,000 at 150, 23,456 at 15 and 789 at 600 roubles a million, three times.
    assert.equal(await cost.textContent(), formatMoney("47.47572", language));
    await page.getByLabel(t.cachedTokens).fill("999999");
    await page.getByText(t.cachedTooMany).waitFor();
    await tab.screenshot(`model-chat-${language}`);
    assert.deepEqual(await pageFaults(page), []);

    // Every task model: the calculator says what the gateway's quote of its smallest example says.
    for (const { id, form } of models) {
      if (form === null) continue;
      const quoted = await person.ask("POST", `quote/tasks/${id}`, form.examples.minimal);
      assert.equal(quoted.status, 200, `${id}: ${quoted.text}`);
      await tab.open(`/models/${id}`);
      await page
        .locator(".models-cost")
        .getByText(formatMoney(quoted.json<PanelTaskQuote>().amount, language))
        .waitFor();
      const parameters = page.locator(".card", {
        has: page.getByRole("heading", { name: t.parameters, exact: true }),
      });
      assert.deepEqual(
        await parameters.locator("td.leads code").allTextContents(),
        form.fields.map((field) => field.name),
        id,
      );
    }
    await tab.open("/models/seedance-2");
    const before = await cost.textContent();
    const resolution = page.locator(".models-fields select").first();
    const [, , last = ""] = await resolution.locator("option").allTextContents();
    await resolution.selectOption(last);
    await cost.filter({ hasNotText: String(before) }).waitFor();
    await tab.screenshot(`model-task-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    // The price follows the length, and what cannot be ordered is told in the page's language.
    await page.getByLabel(language === "ru" ? "Длительность" : "Duration").fill("99");
    await page
      .getByText(
        `${t.notPriced} ${language === "ru" ? "Не больше 15." : "'duration' must be at most 15."}`,
      )
      .waitFor();
    await page.getByRole("link", { name: t.tryIt }).click();
    await page.waitForURL(/playground\?tab=tasks&model=seedance-2/);
    await tab.open("/models/nothing/like/that");
    await page.getByText(t.gone).waitFor();
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

/**
 * Presses a heading three times: from A, from Z, and as it was. On phones there are cards without
 * headings.
 */
async function sortByHeading(page: Page, heading: string): Promise<void> {
  const column = page.getByRole("columnheader", { name: heading });
  const names = (): Promise<string[]> => page.locator("td.leads a").allTextContents();
  const given = await names();
  const sorted = given.toSorted((a, b) => a.localeCompare(b));
  assert.notDeepEqual(given, sorted);
  for (const [reported, expected] of [
    ["ascending", sorted],
    ["descending", sorted.toReversed()],
    [null, given],
  ] as const) {
    await column.getByRole("button").click();
    assert.equal(await column.getAttribute("aria-sort"), reported);
    assert.deepEqual(await names(), expected);
  }
}

test("chat models are compared beside each other, as the address names them", async () => {
  const person = await scene.newMember("0");
  const tab = await scene.openTab(person, { language: "ru" });
  const { page } = tab;
  await tab.open("/models");
  const boxOf = (name: string) => page.getByRole("checkbox", { name: modelsRu.compareOne(name) });
  await boxOf("Sandbox Large").check();
  await page.getByText(modelsRu.compareMore).waitFor();
  await boxOf("Sandbox Small").check();
  const comparison = page.getByRole("region", { name: modelsRu.comparison });
  const cellsOf = (name: string) =>
    comparison.locator("tr", { hasText: name }).locator("td.end").allTextContents();
  // 10,000 tokens at 150 and 1,000 at 600 roubles a million; at 9 and 36.
  assert.deepEqual(await cellsOf(modelsRu.compareRequest("10\u00A0000", "1\u00A0000")), [
    "2,1",
    "0,126",
  ]);
  assert.deepEqual(await cellsOf(modelsRu.listPrices.output), ["600", "36"]);
  assert.match(page.url(), /compare=sandbox-large%2Csandbox-small/);
  await boxOf("Sandbox Medium").check();
  assert.deepEqual(await cellsOf(modelsRu.listPrices.output), ["600", "180", "36"]);
  await tab.screenshot("models-compared");
  assert.deepEqual(await pageFaults(page), []);
  await boxOf("Sandbox Medium").uncheck();
  await page.getByRole("link", { name: modelsRu.compareTalk }).click();
  await page.waitForURL(/playground\?model=sandbox-large&with=sandbox-small/);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("how a model fares is on its page, without what is not known", async () => {
  const person = await scene.newMember("0");
  const tab = await scene.openTab(person, { language: "ru" });
  const { page } = tab;
  const unknown = { health: null, share: null, firstTokenMs: null, tokensPerSecond: null };
  const days = Array.from({ length: 30 }, (_, day) => (day < 20 ? null : 1 - (day % 3) / 100));
  await page.route("**/panel/api/models/status", (route) =>
    route.fulfill({
      json: {
        data: [
          {
            id: "sandbox-large",
            health: "works",
            days,
            share: 0.99999,
            firstTokenMs: 640,
            tokensPerSecond: 56.7,
          },
          { ...unknown, id: "sandbox-small", health: "impaired", days: [] },
          { ...unknown, id: "sandbox-medium", days: [] },
        ],
      },
    }),
  );
  await tab.open("/models/sandbox-large");
  const card = page.locator(".card").filter({ hasText: modelsRu.fares });
  await card.getByText(modelsRu.tokensPerSecond("56,7")).waitFor();
  await card.getByText("640 мс").waitFor();
  await card.getByText(/^99,9\s%$/).waitFor();
  await tab.screenshot("model-fares");
  assert.deepEqual(await pageFaults(page), []);
  await tab.open("/models/sandbox-small");
  await card.getByText(modelsRu.health.impaired).waitFor();
  assert.equal(await card.getByText(modelsRu.speed).count(), 0);
  await tab.open("/models/sandbox-medium");
  await page.getByRole("heading", { name: modelsRu.about }).waitFor();
  assert.equal(await card.count(), 0);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
