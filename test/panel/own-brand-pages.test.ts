/**
 * Guarantee: an operator gives the installation a name, a colour, a picture, rules and an
 * announcement by its page, and the next visitor meets them: from the form with its code, consent and
 * robot check to a first key with credit to try with, in the browser that signed up.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { pageFaults } from "../support/page-faults.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
} from "../support/panel-browser.ts";
import {
  logInAtPanel,
  mailedToken,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  type PanelGateway,
} from "../support/panel-session.ts";
import { secretIn, startTollgate } from "../support/start-tollgate.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

const folder = mkdtempSync(join(tmpdir(), "own-brand-"));
const opened = new AsyncDisposableStack();
let gateway: PanelGateway;
let scene: PanelBrowserScene;
let oneTimePassword: string;
before(async () => {
  buildPanel();
  const tollgate = await startTollgate(folder, {});
  opened.defer(async () => void (await tollgate.stop()));
  gateway = { url: tollgate.url, env: { DATA_DIR: join(folder, "data") } };
  const command = createTollgateCommand({ DATA_DIR: join(folder, "data") });
  ({ oneTimePassword } = (await command.json(
    ...["accounts", "create", "--name", "Staff", "--email", "staff@example.test", "--operator"],
  )) as { oneTimePassword: string });
  scene = await openPanelBrowserScene(gateway);
  opened.defer(() => scene.close());
});
after(async () => {
  await opened.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

test(
  "what the operator's page says the next visitor meets, up to a first key",
  { timeout: 300_000 },
  async () => {
    const browser = openPanelBrowser(gateway.url);
    await browser.ask("POST", "log-in", { email: "staff@example.test", password: oneTimePassword });
    await browser.ask("POST", "password", { current: oneTimePassword, next: PASSWORD });
    const staff = await logInAtPanel(browser, "staff@example.test", PASSWORD);
    const desk = await scene.openTab(staff);
    const { page } = desk;
    const saved = async (press: () => Promise<void>): Promise<void> => {
      await Promise.all([
        page.waitForResponse(
          (response) =>
            response.url().endsWith("/operator/settings") &&
            response.request().method() === "GET" &&
            response.ok(),
        ),
        press(),
      ]);
    };
    await desk.open("/operator/settings");
    const card = (title: string) =>
      page.locator("section.card", {
        has: page.getByRole("heading", { level: 2, name: title, exact: true }),
      });
    const brand = card("Бренд");
    await brand.getByLabel("Название сервиса").fill("Ромашка AI");
    await brand.getByLabel("Цвет", { exact: false }).first().fill("#7c3aed");
    await brand.getByLabel("Поддержка").fill("help@romashka.test");
    await brand.getByLabel("Условия использования").fill("https://romashka.test/terms");
    const picture = await sharp({
      create: { width: 64, height: 64, channels: 4, background: "#7c3aed" },
    })
      .png()
      .toBuffer();
    await brand
      .locator('input[type="file"]')
      .first()
      .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: picture });
    await brand.getByRole("img", { name: "Логотип" }).waitFor();
    await saved(() => brand.getByRole("button", { name: "Сохранить" }).click());
    await page.locator(".layout-side .brand-name", { hasText: "Ромашка AI" }).waitFor();
    assert.equal(await page.title(), "Бренд и регистрация · Ромашка AI");

    const rules = card("Регистрация");
    await rules.getByLabel("Кто может зарегистрироваться").selectOption("code");
    await rules.getByLabel("Проверка на робота").check();
    await rules.getByLabel("Деньги на пробу").fill("50");
    await rules.getByRole("button", { name: "Добавить согласие" }).click();
    await rules
      .getByLabel("Текст по-русски")
      .fill("Принимаю [условия](https://romashka.test/terms)");
    await rules
      .getByLabel("Текст по-английски")
      .fill("I accept the [terms](https://romashka.test/terms)");
    await saved(() => rules.getByRole("button", { name: "Сохранить" }).click());
    const codes = card("Коды приглашения");
    await codes.getByRole("button", { name: "Создать код" }).click();
    const made = page.getByRole("dialog", { name: "Код создан" });
    const link = /http\S+#code=\S+/.exec(await made.innerText())?.[0] ?? "";
    await made.getByRole("button", { name: "Сохранил" }).click();
    const news = card("Объявление");
    await news.getByLabel("Текст по-русски").fill("Завтра новые модели");
    await news.getByLabel("Текст по-английски").fill("New models tomorrow");
    await news.getByLabel("Показывать до").fill("2100-01-01T00:00");
    await saved(() => news.getByRole("button", { name: "Сохранить" }).click());
    await page.getByRole("status").getByText("Завтра новые модели").waitFor();
    assert.deepEqual(await pageFaults(page), []);
    await desk.screenshot("operator-settings-1280");
    await page.setViewportSize({ width: 390, height: 844 });
    await desk.screenshot("operator-settings-390");

    const visitor = await scene.openTab(null, { width: 390 });
    const outside = visitor.page;
    const email = newEmail();
    await outside.goto(link);
    const hue = `getComputedStyle(document.documentElement).getPropertyValue("--brand-h")`;
    assert.match(await outside.evaluate<string>(hue), /^2\d\d/);
    await outside.getByRole("heading", { name: "Регистрация", level: 1 }).waitFor();
    assert.equal(await outside.title(), "Регистрация · Ромашка AI");
    await outside.getByRole("link", { name: "Поддержка" }).waitFor();
    await outside.getByText("50").first().waitFor();
    await outside.getByLabel("Название аккаунта").fill("Гость");
    await outside.getByLabel("Почта").fill(email);
    await outside.getByLabel("Пароль", { exact: true }).fill(PASSWORD);
    const send = outside.getByRole("button", { name: "Создать аккаунт" });
    assert.ok(await send.isDisabled(), "nobody agreed yet");
    await outside.getByLabel("Принимаю").check();
    assert.deepEqual(await pageFaults(outside), []);
    await visitor.screenshot("sign-up-390");
    await send.click();
    await outside.getByRole("heading", { name: "Проверьте почту" }).waitFor();

    await outside.goto(`${gateway.url}/panel/verify#token=${await mailedToken(gateway, email)}`);
    await outside.getByRole("button", { name: "Подтвердить почту" }).click();
    const secret = outside.getByRole("dialog", { name: "Ваш новый ключ" });
    const keep = secret.getByRole("button", { name: "Я сохранил ключ" });
    await keep.waitFor();
    assert.ok(secretIn(String(await secret.textContent())) !== null, "the first key is shown");
    await visitor.screenshot("first-key-390");
    await keep.click();
    await outside.goto(`${gateway.url}/panel/keys`);
    await outside.getByText("default").first().waitFor();
    assert.equal(await outside.getByText("default").count(), 1, "it is made once");
    await outside.goto(`${gateway.url}/panel/`);
    await outside.getByText("Завтра новые модели").waitFor();
    await outside.getByText(/50,00/).first().waitFor();
    assert.deepEqual([...desk.complaints, ...visitor.complaints], []);
    await desk.close();
    await visitor.close();
  },
);
