/**
 * Protects: prices are edited in a table without a look at the YAML, which keeps every other
 * character; what changes is told with its percent before it is in force, and a big change is never
 * one click.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { operatorCatalogueEn } from "../../panel/src/i18n/texts/operator-catalogue.en.ts";
import { operatorCatalogueRu } from "../../panel/src/i18n/texts/operator-catalogue.ru.ts";
import type {
  CatalogueCheck,
  CataloguePrices,
  CatalogueSource,
} from "../../src/contract/panel/operator-catalogue.ts";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { openOperatorScene, type OperatorScene } from "./operator-scene.ts";

let scene: OperatorScene;
let operator: PanelPerson;
before(async () => {
  scene = await openOperatorScene();
  operator = await scene.newOperator("table@example.test");
});
after(() => scene[Symbol.asyncDispose]());

const inForce = async (): Promise<CatalogueSource> =>
  (await operator.ask("GET", "operator/catalogue")).json<CatalogueSource>();
const button = (page: Page, name: string): Locator =>
  page.getByRole("button", { name, exact: true });
const viewOf = (page: Page, name: string): Locator =>
  page.getByRole("radio", { name, exact: true });
/** The label of the field that has the cursor. */
const focused = (page: Page): Promise<unknown> =>
  page.evaluate("document.activeElement?.labels?.[0]?.textContent");
const rowOf = (page: Page, field: Locator): Locator => page.getByRole("row").filter({ has: field });

function once(source: string, from: string, to: string): string {
  assert.equal(source.split(from).length, 2, `${from} stands once`);
  return source.replace(from, to);
}

test("a price is edited in its row and stands in the YAML, alone changed; Enter leads on, a button leads back", async () => {
  const t = operatorCatalogueRu;
  const { source } = await inForce();
  const tab = await scene.browsers.openTab(operator, { language: "ru" });
  const { page } = tab;
  await tab.open("/operator/catalogue?tab=edit");
  await page.getByLabel(t.findPrice).fill("sandbox-large");
  const input = page.getByLabel(t.priceOf("sandbox-large, input"), { exact: true });
  await input.fill("175,5 ₽");
  assert.match(await rowOf(page, input).innerText(), /изменена/);
  assert.match(
    await rowOf(page, input).innerText(),
    /было 150[\s\S]*\+17,0\s%[\s\S]*100[\s\S]*43,0\s%/,
  );
  await input.press("Enter");
  const next = page.getByLabel(t.priceOf("sandbox-large, cachedInput"), { exact: true });
  assert.equal(await focused(page), t.priceOf("sandbox-large, cachedInput"));
  await next.press("ArrowUp");
  assert.equal(await focused(page), t.priceOf("sandbox-large, input"));
  await page.getByLabel(t.onlyChanged).click();
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.getByLabel(t.onlyChanged).click();
  await tab.screenshot("price-table-ru-1280");
  assert.deepEqual(await pageFaults(page), []);

  await viewOf(page, t.asYaml).check();
  const edited = once(
    source,
    'price: { input: "150", cachedInput',
    'price: { input: "175.5", cachedInput',
  );
  assert.equal(await page.getByLabel(t.source).inputValue(), edited);
  await viewOf(page, t.asPrices).check();
  await page.getByLabel(t.findPrice).fill("sandbox-large");
  assert.equal(await input.inputValue(), "175,5");
  await button(page, t.restore("sandbox-large, input", "150")).click();
  assert.equal(await focused(page), t.priceOf("sandbox-large, input"));
  assert.equal(await rowOf(page, input).getByText(t.changed, { exact: true }).count(), 0);

  await input.fill("много");
  await input.blur();
  await page.getByText(t.unreadPrices(1)).waitFor();
  assert.equal(await button(page, t.check).isDisabled(), true);
  await input.fill("20 000 000");
  await page.getByText(t.priceTooHigh).waitFor();
  assert.equal(await button(page, t.check).isDisabled(), true);
  await input.fill("150");
  assert.equal(await button(page, t.check).isDisabled(), false);
  await viewOf(page, t.asYaml).check();
  assert.equal(await page.getByLabel(t.source).inputValue(), source);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

const VIEWS = [
  {
    language: "ru",
    theme: "light",
    width: 1280,
    t: operatorCatalogueRu,
    typed: "15",
    edit: ['price: { input: "150", cachedInput', 'price: { input: "15", cachedInput'],
    figures: /150\s*15\s*−90,0\s%\s*сильно/,
    loss: true,
  },
  {
    language: "en",
    theme: "dark",
    width: 390,
    t: operatorCatalogueEn,
    typed: "1,500.25",
    edit: ['price: { input: "15", cachedInput', 'price: { input: "1500.25", cachedInput'],
    figures: /15\s[\s\S]*1,500\.25[\s\S]*\+9,901\.6\s%\s*big/,
    loss: false,
  },
] as const;

for (const { language, theme, width, t, typed, edit, figures, loss } of VIEWS) {
  test(`a big change is listed with its percent and applied only when it was typed that it is meant (${language}, ${width})`, async () => {
    const { source, version } = await inForce();
    const tab = await scene.browsers.openTab(operator, { language, theme, width });
    const { page } = tab;
    await tab.open("/operator/catalogue?tab=edit");
    await page.getByLabel(t.findPrice).fill("sandbox-large");
    await page.getByLabel(t.priceOf("sandbox-large, input"), { exact: true }).fill(typed);
    await tab.screenshot(`price-table-edited-${language}-${width}`);
    await button(page, t.check).click();
    const listed = page.getByRole("region", { name: t.pricesCaption });
    await listed.waitFor();
    assert.equal(await listed.locator("tbody tr").count(), 1);
    assert.match(await listed.locator("tbody tr").innerText(), figures);
    await page.getByText(t.bigSteps(1, "50")).waitFor();
    assert.deepEqual(await pageFaults(page), []);
    await tab.screenshot(`big-change-${language}-${width}`);
    const apply = button(page, t.apply(String(version)));
    assert.equal(await apply.isDisabled(), true);
    const confirm = page.getByLabel(t.confirmBig(1, t.bigWord));
    if (loss) {
      await page.getByLabel(new RegExp(t.lossWord)).fill(t.lossWord);
      assert.equal(await apply.isDisabled(), true, "one word is not the other");
    }
    await confirm.fill(t.lossWord);
    assert.equal(await apply.isDisabled(), true);
    await confirm.fill(` ${t.bigWord.toUpperCase()} `);
    await apply.click();
    await page
      .getByText(t.applied(String(version + 1)))
      .first()
      .waitFor();
    assert.equal((await inForce()).source, once(source, edit[0], edit[1]));
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("without the word of an operator no endpoint takes a big change, and all that is to be confirmed is told at once", async () => {
  const { source, version } = await inForce();
  const slipped = once(source, 'price: { input: "9", cached', 'price: { input: "0.9", cached');
  const apply = (words: object) =>
    operator.ask("POST", "operator/catalogue/apply", {
      source: slipped,
      expectedVersion: version,
      ...words,
    });
  const codes = async (words: object): Promise<unknown> => {
    const refused = await apply(words);
    assert.equal(refused.status, 400, refused.text);
    return refused
      .json<PanelErrorBody>()
      .error.errors.map(({ param, code }) => `${param} ${code}`)
      .toSorted();
  };
  assert.deepEqual(await codes({}), ["allowBigChange big_change", "allowLoss below_cost"]);
  assert.deepEqual(await codes({ allowLoss: true }), ["allowBigChange big_change"]);
  assert.deepEqual(await codes({ allowBigChange: true }), ["allowLoss below_cost"]);
  assert.equal((await inForce()).version, version);
  const check = (
    await operator.ask("POST", "operator/catalogue/check", { source: slipped })
  ).json<CatalogueCheck>();
  assert.equal(check.bigChange, true);
  assert.deepEqual(
    check.priceSteps.map(({ model, kind, before: was, after: is, percent, big }) =>
      [model, kind, was, is, percent, big].join(" "),
    ),
    ["sandbox-small input 9 0.9 -90.0 true"],
  );
  const { prices } = (
    await operator.ask("POST", "operator/catalogue/prices", { source: slipped })
  ).json<CataloguePrices>();
  const cell = prices.find(({ model, kind }) => model === "sandbox-small" && kind === "input");
  assert.deepEqual(
    [cell?.amount, cell?.before, cell?.cost, slipped.slice(cell?.from, cell?.to)],
    ["0.9", "9", "6", '"0.9"'],
  );
  assert.equal((await apply({ allowLoss: true, allowBigChange: true })).status, 200);
});

test("a text with mistakes has no table: each mistake leads to its line of the YAML", async () => {
  const t = operatorCatalogueEn;
  const { source } = await inForce();
  const tab = await scene.browsers.openTab(operator, { language: "en" });
  const { page } = tab;
  await tab.open("/operator/catalogue?tab=edit&as=yaml");
  await page
    .getByLabel(t.source)
    .fill(once(source, "maxOutputTokens: 16000", "maxOutputTokens: 16k"));
  await viewOf(page, t.asPrices).check();
  await page.getByText(t.tableNeedsOrder).waitFor();
  const line = source.split("\n").findIndex((text) => text.includes("maxOutputTokens: 16000")) + 1;
  await button(page, t.line(String(line))).click();
  await page.getByLabel(t.source).waitFor();
  assert.match(
    await page.evaluate(
      "((area) => area.value.slice(area.selectionStart, area.selectionEnd))(document.activeElement)",
    ),
    /16k/,
  );
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
