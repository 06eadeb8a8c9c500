/**
 * Guarantee: in a browser one comes by the panel's own pages from nothing to a paid answer:
 * account, money, key, API, receipt, playground, task, and the end of the key; every figure is the
 * ledger's, and the key's secret is seen once.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { formatMoney } from "../../panel/src/i18n/format-money.ts";
import type { LedgerEntry, LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import type { PanelModelList } from "../../src/contract/panel/panel-model.ts";
import type { PanelReceipt } from "../../src/contract/panel/panel-request.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { startEmbedded } from "#embedded-postgres/start-embedded.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { dumpDatabase } from "../support/dump-database.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
} from "../support/panel-browser.ts";
import { mailedToken, newEmail, PASSWORD, type PanelGateway } from "../support/panel-session.ts";
import { secretIn, startTollgate } from "../support/start-tollgate.ts";
import { until } from "../support/until.ts";
import { chooseModel } from "./choose-model.ts";
import { PAGE_TEXTS, type PageTexts } from "./page-texts.ts";

const CHAT_MODEL = "sandbox-small";
const TASK_MODEL = "gpt-image-2-image-to-image";
const KEY_NAME = "Сервер · server";
/** Long enough to be seen while it comes. */
const SLOW = "[[sandbox: tokens=60 chunkDelay=60]]";
/** On two busy cores a page may take its time. */
const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), "whole-way-"));
const opened = new AsyncDisposableStack();
let gateway: PanelGateway;
let db: Db;
let scene: PanelBrowserScene;
before(async () => {
  buildPanel();
  const tollgate = await startTollgate(folder, {});
  opened.defer(async () => void (await tollgate.stop()));
  const dataDir = join(folder, "data");
  gateway = { url: tollgate.url, env: { DATA_DIR: dataDir } };
  const embedded = await startEmbedded({ dataDir, purpose: "command", log: () => {} });
  opened.defer(() => embedded.stop());
  db = openDatabase({
    url: embedded.url,
    poolSize: 2,
    applicationName: "whole way",
    onError: () => {},
  });
  opened.defer(() => db.close());
  scene = await openPanelBrowserScene(gateway);
  opened.defer(() => scene.close());
});
after(async () => {
  await opened.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

interface Traveller {
  readonly page: Page;
  readonly t: PageTexts;
  readonly language: "ru" | "en";
  /** By the sections at the side, or on a phone by those at the bottom edge and in the menu. */
  goTo(section: keyof PageTexts["shell"]["sections"]): Promise<void>;
  heading(name: string): Promise<void>;
  press(name: string): Promise<void>;
}

function travel(page: Page, language: "ru" | "en", onPhone: boolean): Traveller {
  const t = PAGE_TEXTS[language];
  return {
    page,
    t,
    language,
    async goTo(section) {
      if (onPhone) {
        const bar = page.getByRole("navigation", { name: t.shell.menu, exact: true });
        await bar.getByRole("button", { name: t.words.more }).click();
      }
      const sections = page.getByRole("navigation", { name: t.shell.navigation, exact: true });
      await sections.getByRole("link", { name: t.shell.sections[section], exact: true }).click();
    },
    heading: (name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor(),
    press: (name) => page.getByRole("button", { name, exact: true }).click(),
  };
}

async function signUpAndLogIn({ page, t, heading, press }: Traveller): Promise<void> {
  const email = newEmail();
  await page.goto(`${gateway.url}/panel/`);
  await page.getByRole("link", { name: t.auth.signUpLink }).click();
  await page.getByLabel(t.auth.accountName).fill("ООО «Дорога»");
  await page.getByLabel(t.auth.email).fill(email);
  await page.getByLabel(t.auth.password, { exact: true }).fill(PASSWORD);
  await press(t.auth.signUp);
  await heading(t.auth.checkMailTitle);
  // As in another browser: the one that signed up is logged in by it (own-brand-pages.test.ts).
  await page.context().clearCookies();
  await page.goto(`${gateway.url}/panel/verify#token=${await mailedToken(gateway, email)}`);
  await press(t.auth.verify);
  await page.getByRole("link", { name: t.auth.toLogIn }).click();
  await page.getByLabel(t.auth.email).fill(email);
  await page.getByLabel(t.auth.password, { exact: true }).fill(PASSWORD);
  await press(t.auth.logIn);
  await heading(t.overview.title);
}

async function topUp(
  { page, t, language, goTo, heading, press }: Traveller,
  roubles: string,
): Promise<void> {
  await goTo("billing");
  await heading(t.billing.title);
  await page.getByLabel(t.billing.amount, { exact: true }).fill(roubles);
  await press(t.billing.pay);
  // The payment page has words of its own.
  await page.getByRole("button", { name: /^(Оплатить|Pay)$/ }).click();
  await page.getByText(t.billing.creditedTitle(formatMoney(roubles, language))).waitFor();
}

/** Its secret. */
async function createKey({ page, t, goTo, press }: Traveller): Promise<string> {
  await goTo("keys");
  await press(t.keys.create);
  const form = page.getByRole("dialog", { name: t.keys.createTitle });
  await form.getByLabel(t.keys.name).fill(KEY_NAME);
  await form.getByRole("button", { name: t.keys.create }).click();
  const dialog = page.getByRole("dialog", { name: t.keys.secretTitle });
  await dialog.getByText(t.keys.secretText).waitFor();
  await dialog
    .getByRole("button", { name: `${t.words.copy}: ${t.keys.secret}` })
    .first()
    .click();
  const secret = await until("the secret is copied", async () =>
    secretIn(await page.evaluate<string>("navigator.clipboard.readText()")),
  );
  assert.equal(secretIn(String(await dialog.textContent())), secret);
  await dialog.getByRole("button", { name: t.keys.secretSaved }).click();
  await dialog.waitFor({ state: "detached" });
  await page.evaluate("navigator.clipboard.writeText('')");
  return secret;
}

/** As the session of the page, so that it is one of the panel's answers too. */
async function ask<T>(page: Page, path: string): Promise<T> {
  return (await page.evaluate(`fetch("/panel/api/${path}").then((answer) => answer.json())`)) as T;
}

/** The charge of a request or task in the ledger, as soon as it is there. */
async function chargeOf(page: Page, id: string): Promise<LedgerEntry> {
  return until(`the charge of ${id}`, async () => {
    const { data } = await ask<LedgerPage>(page, "ledger");
    return data.find(({ kind, request }) => kind === "charge" && request?.id === id) ?? null;
  });
}

async function lookAtReceipt(
  { page, t, language, goTo, heading }: Traveller,
  requestId: string,
): Promise<void> {
  await goTo("requests");
  await heading(t.requests.title);
  await page.locator(`tbody a[href$="/requests/${requestId}"]`).click();
  await page.getByRole("link", { name: t.requests.openReceipt }).click();
  await heading(CHAT_MODEL);
  const { change } = await chargeOf(page, requestId);
  const charged = change.replace("-", "");
  const trail = page.getByRole("table", { name: t.requests.trailCaption });
  const shown = await trail.getByRole("row").allInnerTexts();
  const amount = formatMoney(charged, language);
  assert.ok(
    shown.some((row) => row.includes(t.requests.steps.charge) && row.includes(amount)),
    `${amount} is not in ${shown.join(" | ")}`,
  );
  assert.equal((await ask<PanelReceipt>(page, `requests/${requestId}`)).charged, charged);
}

async function chatInPlayground({
  page,
  t,
  language,
  goTo,
  heading,
  press,
}: Traveller): Promise<void> {
  await goTo("playground");
  await heading(t.playground.title);
  await chooseModel(page, t.playground.model, CHAT_MODEL);
  await page.getByLabel(t.playground.message, { exact: true }).fill(SLOW);
  await page.getByTitle(t.playground.estimateNote, { exact: true }).waitFor();
  await press(t.playground.send);
  const answer = page.getByRole("article", { name: t.playground.assistant, exact: true });
  const reported = async (): Promise<string> =>
    String(await answer.locator(".markdown").first().textContent());
  await answer.locator(".markdown").first().waitFor();
  const first = await reported();
  assert.equal(
    await page.getByRole("button", { name: t.playground.stopAnswer, exact: true }).count(),
    1,
    "it comes piece by piece",
  );
  await answer.getByText(`${t.playground.cost}:`).waitFor();
  const last = await reported();
  assert.ok(
    last.length > first.length && last.startsWith(first.trimEnd().slice(0, 20)),
    `${first} | ${last}`,
  );
  const id = String(await answer.locator("code", { hasText: /^req_/ }).textContent());
  const { change, key } = await chargeOf(page, id);
  assert.equal(key?.name, KEY_NAME);
  await answer.getByText(formatMoney(change.replace("-", ""), language), { exact: true }).waitFor();
}

async function runTask({ page, t, language }: Traveller): Promise<void> {
  await page.getByRole("tab", { name: t.playground.tabs.tasks }).click();
  await page.getByLabel(t.playground.model, { exact: true }).selectOption(TASK_MODEL);
  const { data } = await ask<PanelModelList>(page, "models");
  const fields = data.find(({ id }) => id === TASK_MODEL)?.form?.fields ?? [];
  const prompt = fields.find(({ name }) => name === "prompt")?.title[language] ?? "";
  await page.getByLabel(prompt, { exact: true }).fill("Ворота у дороги. A gate by the road.");
  const picture = sharp({
    create: { width: 320, height: 240, channels: 3, background: "#3366aa" },
  });
  await page.getByLabel(t.words.dropFile).setInputFiles({
    name: "дверь.png",
    mimeType: "image/png",
    buffer: await picture.png().toBuffer(),
  });
  await page.getByText("дверь.png").waitFor();
  await page
    .getByRole("button", { name: t.playground.orderFor(formatMoney("4", language)), exact: true })
    .click();
  const result = page.getByRole("img", { name: t.tasks.resultOf(1), exact: true });
  await result.waitFor();
  await until("the result is seen", () =>
    result.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0),
  );
  await page.getByRole("link", { name: t.playground.openTask }).click();
  const taskId = await until(
    "the page of the task",
    async () => /\/tasks\/([\w-]+)$/.exec(new URL(page.url()).pathname)?.[1] ?? null,
  );
  assert.equal((await chargeOf(page, taskId)).change, "-4");
  await page.getByText(t.tasks.moments.completed, { exact: true }).first().waitFor();
}

async function deleteKey({ page, t, goTo, heading, press }: Traveller): Promise<void> {
  await goTo("keys");
  await page.getByRole("link", { name: KEY_NAME, exact: true }).click();
  await heading(KEY_NAME);
  await press(t.keys.remove);
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel(t.keys.removeTyped).fill(KEY_NAME);
  await dialog.getByRole("button", { name: t.keys.removeAction }).click();
  await page.getByText(t.keys.removed).waitFor();
}

for (const { language, width } of [
  { language: "ru", width: 1280 },
  { language: "en", width: 390 },
] as const) {
  test(
    `from the sign-up to a deleted key, ${language}, ${width} px wide`,
    { timeout: 400_000 },
    async () => {
      const tab = await scene.openTab(null, { language, width });
      const { page } = tab;
      page.setDefaultTimeout(PATIENCE_MS);
      const answers: Promise<readonly [request: string, text: string]>[] = [];
      page.on("response", (response) => {
        if (!response.url().includes("/panel/api/")) return;
        const request = `${response.request().method()} ${response.url()}`;
        answers.push(
          response.text().then(
            (text) => [request, text] as const,
            () => [request, ""] as const,
          ),
        );
      });
      const traveller = travel(page, language, width < 600);

      await signUpAndLogIn(traveller);
      await topUp(traveller, "150.5");
      const secret = await createKey(traveller);

      const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
      const chat = () =>
        client.chat.completions
          .create({ model: CHAT_MODEL, messages: [{ role: "user", content: "Hello!" }] })
          .withResponse();
      const { data, response } = await chat();
      assert.ok((data.choices[0]?.message.content ?? "").length > 0);
      await lookAtReceipt(traveller, String(response.headers.get("x-request-id")));
      await chatInPlayground(traveller);
      await runTask(traveller);

      const { data: entries } = await ask<LedgerPage>(page, "ledger");
      assert.deepEqual(entries.map(({ kind }) => kind).toSorted(), [
        "charge",
        "charge",
        "charge",
        "topup",
      ]);
      const sum = entries.reduce(
        (total, { change }) => total + (parseRoubles(change) ?? assert.fail(change)),
        0n,
      );
      assert.equal(parseRoubles(entries[0]?.balanceAfter ?? ""), sum);

      await deleteKey(traveller);
      await until(
        "the API refuses the key",
        async () =>
          (await chat().catch((error: unknown) => error)) instanceof OpenAI.AuthenticationError,
      );

      await page.reload();
      await traveller.heading(traveller.t.keys.title);
      const kept = (await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])",
      )) as string;
      const seen = (await Promise.all(answers)).filter(([, text]) => text.includes(secret));
      assert.deepEqual(
        seen.map(([request]) => request),
        [`POST ${gateway.url}/panel/api/keys`],
      );
      for (const [where, text] of [
        ["the page", await page.content()],
        ["the browser's storage", kept],
        ["the database", await dumpDatabase(db)],
      ] as const) {
        for (const form of [
          secret,
          Buffer.from(secret).toString("hex"),
          Buffer.from(secret).toString("base64"),
        ])
          assert.ok(text.length > 0 && !text.includes(form), `the secret is in ${where}`);
      }
      assert.deepEqual((await verifyLedger(db)).mismatches, []);
      assert.deepEqual(tab.complaints, []);
      await tab.close();
    },
  );
}
