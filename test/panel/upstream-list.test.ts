/**
 * Protects: an operator sees what is left with providers, holds the catalogue against an upstream's list,
 * and takes rows over as a draft that is checked and confirmed as any other; nothing changes by itself,
 * and no one else may ask.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { operatorCatalogueEn } from "../../panel/src/i18n/texts/operator-catalogue.en.ts";
import { operatorCatalogueRu } from "../../panel/src/i18n/texts/operator-catalogue.ru.ts";
import { operatorListsEn } from "../../panel/src/i18n/texts/operator-lists.en.ts";
import { operatorListsRu } from "../../panel/src/i18n/texts/operator-lists.ru.ts";
import { operatorUpstreamsEn } from "../../panel/src/i18n/texts/operator-upstreams.en.ts";
import { operatorUpstreamsRu } from "../../panel/src/i18n/texts/operator-upstreams.ru.ts";
import type { CatalogueSource } from "../../src/contract/panel/operator-catalogue.ts";
import type { UpstreamListed, UpstreamLists } from "../../src/contract/panel/upstream-list.ts";
import { pageFaults } from "../support/page-faults.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { openOperatorScene, type OperatorScene } from "./operator-scene.ts";

const SHIPPED = join(import.meta.dirname, "../../catalogue.yaml");
const LISTS = ["priced", "absurd", "huge", "wrong-json", "no-list", "refused"] as const;

let scene: OperatorScene;
let operator: PanelPerson;
before(async () => {
  scene = await openOperatorScene();
  operator = await scene.newOperator("lists@example.test");
  const { version } = await inForce();
  const source = (await readFile(SHIPPED, "utf8"))
    .replace(
      "upstream: sandbox-chat\n        model: echo-large",
      "upstream: told-priced\n        model: echo-large",
    )
    .replace(
      "{ upstream: sandbox-chat, model: echo-small",
      "{ upstream: told-priced, model: echo-small",
    )
    .replace("  sandbox-messages:\n", `${LISTS.map(upstreamOf).join("")}  sandbox-messages:\n`);
  const applied = await operator.ask("POST", "operator/catalogue/apply", {
    source,
    expectedVersion: version,
  });
  assert.equal(applied.status, 200, applied.text);
});
after(() => scene[Symbol.asyncDispose]());

/** Two of them tell what is left, one of these less than is asked to be. */
function upstreamOf(word: string): string {
  const balance =
    word === "priced"
      ? "balance: { kind: openrouter-key, alertBelow: 20 }, reportedCost: 100, "
      : word === "absurd"
        ? 'balance: { kind: deepseek, baseUrl: "${SANDBOX_URL}/figures/low", alertBelow: 20 }, '
        : "";
  return `  told-${word}: { protocol: openai, ${balance}baseUrl: "\${SANDBOX_URL}/figures/${word}/v1", apiKeyEnv: SANDBOX_API_KEY } # told\n`;
}

async function inForce(): Promise<CatalogueSource> {
  return (await operator.ask("GET", "operator/catalogue")).json<CatalogueSource>();
}

async function compare(word: string, more: object = {}): Promise<UpstreamListed> {
  const { source } = await inForce();
  const answer = await operator.ask("POST", "operator/catalogue/upstream-list", {
    source,
    upstream: `told-${word}`,
    ...more,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<UpstreamListed>();
}

const button = (page: Page, name: string): Locator =>
  page.getByRole("button", { name, exact: true });

test("an upstream's list is held against the catalogue, at the rate of the upstream or of the question", async () => {
  const { data } = (
    await operator.ask("GET", "operator/catalogue/upstream-lists")
  ).json<UpstreamLists>();
  assert.deepEqual(
    data.filter(({ rate }) => rate !== null),
    [{ upstream: "told-priced", protocol: "openai", rate: "100" }],
  );
  assert.ok(data.every(({ upstream }) => upstream !== "sandbox-media"));
  const { costs, fresh, gone, odd, rate, listed } = await compare("priced");
  assert.deepEqual(
    [rate, listed, costs.map(({ model, kind, after: is, big }) => `${model} ${kind} ${is} ${big}`)],
    ["100", 4, ["sandbox-large input 150 true", "sandbox-large output 600 true"]],
  );
  assert.deepEqual(
    fresh.map(({ id, text }) => [id, text !== null]),
    [
      ["echo-next", true],
      ["echo/router", false],
    ],
  );
  assert.deepEqual([gone, odd.map(({ id }) => id)], [[], ["echo/router"]]);
  const cheaper = await compare("priced", { rate: "66.666667" });
  assert.ok(
    cheaper.costs.some(({ model, percent }) => model === "sandbox-small" && percent === "-33.3"),
  );
});

test("lists that are wrong, huge, refused or absurd are told so, and propose nothing", async () => {
  const failures: unknown[] = [];
  for (const word of ["huge", "wrong-json", "no-list", "refused"]) {
    const { failure, costs, fresh, gone } = await compare(word);
    assert.deepEqual([costs, fresh, gone], [[], [], []], word);
    failures.push(failure);
  }
  assert.deepEqual(failures, [
    { why: "no_answer", status: null },
    { why: "not_understood", status: 200 },
    { why: "not_understood", status: 200 },
    { why: "refused", status: 403 },
  ]);
  const absurd = await compare("absurd", { rate: "100" });
  assert.deepEqual([absurd.costs, absurd.fresh.map(({ text }) => text)], [[], [null, null]]);
  assert.deepEqual(absurd.odd, [
    { id: "echo-large", fields: ["prompt", "output"] },
    { id: "echo-small", fields: ["prompt", "completion"] },
  ]);
});

test("only operators ask, only upstreams in force are asked, and no key goes where a draft would send it", async () => {
  const { source } = await inForce();
  const body = { source, upstream: "told-priced" };
  const member = await signUpAtPanel(scene.gateway);
  for (const [method, path] of [
    ["GET", "operator/catalogue/upstream-lists"],
    ["POST", "operator/catalogue/upstream-list"],
  ] as const)
    assert.equal(
      (await member.ask(method, path, method === "POST" ? body : undefined)).status,
      404,
    );
  const seen = await operator.ask("POST", `operator/accounts/${member.accountId}/see-as`, {});
  assert.equal(seen.status, 200, seen.text);
  assert.notEqual(
    (await operator.ask("POST", "operator/catalogue/upstream-list", body)).status,
    200,
  );
  await operator.ask("POST", "see-as/leave", {});
  for (const upstream of ["nobody", "sandbox-media"])
    assert.equal(
      (await operator.ask("POST", "operator/catalogue/upstream-list", { source, upstream })).status,
      404,
    );
  const elsewhere = source.replaceAll("${SANDBOX_URL}/figures/priced/v1", "http://127.0.0.1:9/v1");
  const asked = await operator.ask("POST", "operator/catalogue/upstream-list", {
    ...body,
    source: elsewhere,
  });
  assert.equal(asked.json<UpstreamListed>().failure, null, "the one in force was asked");
});

const VIEWS = [
  {
    language: "ru",
    theme: "light",
    width: 1280,
    t: operatorListsRu,
    c: operatorCatalogueRu,
    u: operatorUpstreamsRu,
    amount: "74,5\u00A0USD",
    low: "1,25\u00A0CNY",
  },
  {
    language: "en",
    theme: "dark",
    width: 390,
    t: operatorListsEn,
    c: operatorCatalogueEn,
    u: operatorUpstreamsEn,
    amount: "74.5\u00A0USD",
    low: "1.25\u00A0CNY",
  },
] as const;

for (const { language, theme, width, u, amount, low } of VIEWS)
  test(`the page of upstreams shows what is left with each provider (${language}, ${width})`, async () => {
    await until("both were asked", async () => {
      const rows = (await operator.ask("GET", "operator/upstreams")).text;
      return rows.includes('"amount":"74.5"') && rows.includes('"amount":"1.25"');
    });
    const tab = await scene.browsers.openTab(operator, { language, theme, width });
    await tab.open("/operator/upstreams");
    await tab.page.getByText(amount).first().waitFor();
    await tab.page.getByText(low).first().waitFor();
    await tab.page.getByText(u.balanceLow("20")).first().waitFor();
    await tab.screenshot(`upstream-balances-${language}-${width}`);
    assert.deepEqual(await pageFaults(tab.page), []);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

for (const { language, theme, width, t, c } of VIEWS)
  test(`rows of the list become a draft that is confirmed as any other change (${language}, ${width})`, async () => {
    const { source, version } = await inForce();
    const tab = await scene.browsers.openTab(operator, { language, theme, width });
    const { page } = tab;
    await tab.open("/operator/catalogue?tab=list");
    await page.getByLabel(t.upstream, { exact: true }).selectOption("told-priced");
    await page.getByLabel(t.markup).fill("50");
    await button(page, t.compare).click();
    await page.getByText(t.listed(4, "4")).waitFor();
    await tab.screenshot(`upstream-list-${language}-${width}`);
    assert.deepEqual(await pageFaults(page), []);
    assert.equal(await button(page, t.take(0)).isDisabled(), true);
    if (language === "ru") {
      await page.getByLabel(t.takeCost("sandbox-large, input")).check();
      await page.getByLabel(t.takeModel("echo-next")).check();
      await button(page, t.take(2)).click();
      const field = page.getByLabel(c.source);
      await field.waitFor();
      const draft = await field.inputValue();
      assert.ok(
        draft.includes('cost: { input: "150", cachedInput: "10"'),
        "the cost is taken over",
      );
      assert.ok(draft.includes('price: { input: "300", output: "1200" }'), "with the markup");
      assert.equal(draft.split("#").length, source.split("#").length, "comments stay");
      assert.equal((await inForce()).source, source, "nothing changed by itself");
      await button(page, c.check).click();
      const apply = button(page, c.apply(String(version)));
      await apply.waitFor();
      await apply.click();
      await page
        .getByText(c.applied(String(version + 1)))
        .first()
        .waitFor();
      assert.equal((await inForce()).source, draft);
    }
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
