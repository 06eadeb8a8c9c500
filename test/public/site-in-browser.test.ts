/**
 * Guarantee: the public pages are whole in a real browser, on a phone and on a wide screen, light
 * and dark: no fault of accessibility, nothing to scroll sideways, nothing that the policy refuses;
 * and their script does what it adds.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pageFaults } from "../support/page-faults.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
} from "../support/panel-browser.ts";
import { signUpAtPanel, type PanelGateway } from "../support/panel-session.ts";
import { startTollgate } from "../support/start-tollgate.ts";

const PAGES = [
  "",
  "/models",
  "/models?kind=video",
  "/models/sandbox-large",
  "/models/seedance-2",
  "/docs",
  "/docs/money",
  "/docs/errors",
  "/docs/limits",
  "/docs/chat",
  "/docs/tasks",
  "/docs/tasks/t9",
  "/docs/webhooks",
  "/docs/api",
  "/docs/api/messages",
  "/docs/api/tasks",
  "/docs/changelog",
  "/status",
];
const WIDTHS = [390, 1280];
const THEMES = ["light", "dark"] as const;

const folder = mkdtempSync(join(tmpdir(), "site-"));
const opened = new AsyncDisposableStack();
let gateway: PanelGateway;
let scene: PanelBrowserScene;
before(async () => {
  buildPanel();
  const tollgate = await startTollgate(folder, {});
  opened.defer(async () => void (await tollgate.stop()));
  gateway = { url: tollgate.url, env: { DATA_DIR: join(folder, "data") } };
  scene = await openPanelBrowserScene(gateway);
  opened.defer(() => scene.close());
});
after(async () => {
  await opened.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

for (const width of WIDTHS) {
  test(`every page is whole at ${width} px in both themes`, { timeout: 600_000 }, async () => {
    const tab = await scene.openTab(null, { width });
    const found: string[] = [];
    for (const language of ["ru", "en"]) {
      for (const page of PAGES) {
        const path = `/${language}${page}`;
        await tab.page.goto(`${gateway.url}${path}`);
        for (const theme of THEMES) {
          await tab.page.emulateMedia({ colorScheme: theme });
          // The menu is looked at folded in one theme and open in the other.
          await tab.page.evaluate(
            `document.querySelectorAll(".docs-menu, .toc").forEach((one) => { one.open = ${theme === "dark"}; })`,
          );
          found.push(...(await pageFaults(tab.page)).map((fault) => `${path} ${theme}: ${fault}`));
          const name = `site-${language}-${width}-${theme}${page.replaceAll(/[^a-z0-9]+/gi, "-")}`;
          await tab.screenshot(name);
        }
      }
    }
    assert.deepEqual([...found, ...tab.complaints], []);
    await tab.close();
  });
}

test("a sample is copied, a search finds while one types, the calculator counts anew", async () => {
  const { page, complaints, close } = await scene.openTab(null);
  await page.goto(`${gateway.url}/ru`);
  await page.locator("details[open]").getByRole("button", { name: "Скопировать" }).click();
  await page.getByRole("button", { name: "Скопировано" }).waitFor();
  const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
  assert.match(copied, new RegExp(`^curl ${gateway.url}/v1/chat/completions `));

  await page.goto(`${gateway.url}/ru/models`);
  const rows = page.locator("tr[data-find]:visible");
  const all = await rows.count();
  await page.getByLabel("Найти модель").fill("kling video");
  assert.ok((await rows.count()) > 0 && (await rows.count()) < all);
  await page.getByLabel("Найти модель").fill("no such model");
  await page.getByText("Такой модели нет").waitFor();

  const costs = page.locator("[data-costs]");
  const before = await costs.locator(".num").first().innerText();
  await page.getByLabel("Запросов в день").fill("2000");
  await costs.filter({ hasNotText: before }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("the menu of the documentation stands open where there is room, and unfolds on a phone", async () => {
  const wide = await scene.browser.newContext({ javaScriptEnabled: false, locale: "ru-RU" });
  const page = await wide.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${gateway.url}/ru/docs`);
  const menu = page.getByRole("navigation", { name: "Документация" });
  await menu.getByRole("link", { name: "Вебхуки" }).click();
  await page.getByRole("heading", { level: 1, name: "Вебхуки" }).waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  await menu.getByRole("link", { name: "Вебхуки" }).waitFor({ state: "hidden" });
  await page.locator("summary", { hasText: "Документация" }).click();
  await menu.getByRole("link", { name: "Справочник API" }).click();
  await page.getByRole("link", { name: "POST /v1/messages", exact: true }).click();
  await page.getByRole("heading", { level: 2, name: "Сообщение, целиком или потоком" }).waitFor();
  await wide.close();
});

test("without scripts all of it is there", async () => {
  const context = await scene.browser.newContext({ javaScriptEnabled: false, locale: "ru-RU" });
  const page = await context.newPage();
  await page.goto(gateway.url);
  await page.getByRole("heading", { level: 1, name: "Один ключ." }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Скопировать" }).count(), 0);
  await page.getByRole("link", { name: "Модели и цены" }).first().click();
  await page.getByLabel("Найти модель").fill("sandbox-large");
  await page.getByRole("button", { name: "Найти" }).click();
  assert.equal(await page.locator("tr[data-find]").count(), 1);
  await page.getByRole("link", { name: "Sandbox Large" }).first().click();
  await page.getByRole("heading", { level: 2, name: "Пример запроса" }).waitFor();
  await context.close();
});

test("who is logged in is offered the panel, and sees the mask of the own key in samples", async () => {
  const person = await signUpAtPanel(gateway);
  await person.ask("POST", "keys", { name: "default" });
  const { data } = (await person.ask("GET", "keys")).json<{ data: readonly { mask: string }[] }>();
  const { page, complaints, close } = await scene.openTab(person);
  await page.goto(`${gateway.url}/ru`);
  await page.getByRole("link", { name: "Панель" }).first().waitFor();
  await page.locator("details[open] [data-key]", { hasText: data[0]?.mask ?? "no key" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Войти" }).count(), 0);
  await page.getByText("В примерах маска вашего ключа").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});
