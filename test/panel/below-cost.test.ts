/**
 * Protects: an operator sees what stays of every price before it is in force, and nothing is sold
 * below its cost by one click.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { operatorCatalogueEn } from "../../panel/src/i18n/texts/operator-catalogue.en.ts";
import { operatorCatalogueRu } from "../../panel/src/i18n/texts/operator-catalogue.ru.ts";
import type {
  CatalogueDryRun,
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
  operator = await scene.newOperator("prices@example.test");
});
after(() => scene[Symbol.asyncDispose]());

const inForce = async (): Promise<CatalogueSource> =>
  (await operator.ask("GET", "operator/catalogue")).json<CatalogueSource>();

const VIEWS = [
  {
    language: "ru",
    theme: "light",
    width: 1280,
    t: operatorCatalogueRu,
    price: '"90"',
    figures: /150\s*→\s*90[\s\S]*100[\s\S]*50\s*→\s*−10[\s\S]*33,3\s%\s*→\s*−11,2\s%/,
  },
  {
    language: "en",
    theme: "dark",
    width: 390,
    t: operatorCatalogueEn,
    price: '"80"',
    figures: /90\s*→\s*80[\s\S]*100[\s\S]*−10\s*→\s*−20[\s\S]*−11\.2\s%\s*→\s*−25\.0\s%/,
  },
] as const;

for (const { language, theme, width, t, price, figures } of VIEWS) {
  test(`a price below its cost is marked in words, and applied only when it was typed that it may be (${language}, ${width})`, async () => {
    const { source, version } = await inForce();
    const cheaper = source.replace(/(sandbox-large:[^]*?price: \{ input: )"\d+"/, `$1${price}`);
    assert.notEqual(cheaper, source);
    const tab = await scene.browsers.openTab(operator, { language, theme, width });
    const { page } = tab;
    await tab.open("/operator/catalogue?tab=edit&as=yaml");
    await page.getByLabel(t.source).fill(cheaper);
    await page.getByRole("button", { name: t.check, exact: true }).click();
    const card = page.locator(".card", {
      has: page.getByRole("heading", { name: t.margins, exact: true }),
    });
    await card.getByRole("alert").waitFor();
    const row = card
      .getByRole("row")
      .filter({ hasText: "sandbox-large" })
      .filter({ hasText: t.belowCost })
      .first();
    assert.match(await row.innerText(), figures);
    const shown = await card.locator("tbody tr").count();
    await card.getByLabel(t.marginsAll).click();
    assert.ok((await card.locator("tbody tr").count()) > shown + 15, "every model");
    await card.getByLabel(t.marginsAll).click();
    const apply = page.getByRole("button", { name: t.apply(String(version)), exact: true });
    assert.equal(await apply.isDisabled(), true);
    const confirm = page.getByLabel(new RegExp(t.lossWord));
    await confirm.fill("да, да");
    assert.equal(await apply.isDisabled(), true);
    assert.deepEqual(await pageFaults(page), []);
    await tab.screenshot(`below-cost-${language}-${width}`);
    await confirm.fill(t.lossWord.toUpperCase());
    await apply.click();
    await page
      .getByText(t.applied(String(version + 1)))
      .first()
      .waitFor();
    assert.equal((await inForce()).source, cheaper);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("without the word of an operator no endpoint takes a price below its cost, and nothing is changed", async () => {
  const { source, version } = await inForce();
  const cheaper = source.replace(/(sandbox-small:[^]*?price: \{ input: )"9"/, '$1"5.9"');
  const refused = await operator.ask("POST", "operator/catalogue/apply", {
    source: cheaper,
    expectedVersion: version,
  });
  assert.equal(refused.status, 400);
  const { errors } = refused.json<PanelErrorBody>().error;
  assert.deepEqual(
    errors.map(({ param, code }) => [param, code]),
    [["allowLoss", "below_cost"]],
  );
  assert.equal((await inForce()).version, version);
});

test("the dry run shows what last week earned and cost, and would have, with a total", async () => {
  const { secret } = await scene.tollgate.makeCustomer({ roubles: "100" });
  for (let one = 0; one < 2; one++) assert.equal(await scene.chat(secret), 200);
  const { source } = await inForce();
  const { models, total } = (
    await operator.ask("POST", "operator/catalogue/dry-run", { source })
  ).json<CatalogueDryRun>();
  assert.deepEqual(
    models.map(({ model }) => model),
    ["sandbox-large"],
  );
  assert.equal(total.wouldBe, total.charged, "the same prices make the same sums");
  assert.ok(total.cost !== null && total.margin !== null);
  const tab = await scene.browsers.openTab(operator, { language: "ru" });
  const { page } = tab;
  await tab.open("/operator/catalogue?tab=edit&as=yaml");
  await page.getByLabel(operatorCatalogueRu.source).fill(`${source}\n# a comment\n`);
  await page.getByRole("button", { name: operatorCatalogueRu.check, exact: true }).click();
  await page.getByRole("button", { name: operatorCatalogueRu.dryRun }).click();
  const foot = page.locator("tfoot");
  await foot.waitFor();
  assert.match(await foot.innerText(), /Итого/);
  await tab.screenshot("dry-run-ru-1280");
  assert.deepEqual(await pageFaults(page), []);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
