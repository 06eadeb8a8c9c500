/**
 * Guarantee: each form of the playground makes a real request of the chosen key: priced before, its
 * answer to be seen or heard, charged no more than was quoted, and the same as the code beside it.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import sharp from "sharp";
import {
  CALL_ENDPOINTS_OF,
  CALL_TYPES,
  type CallType,
} from "../../src/contract/enums/call-endpoint.ts";
import type { PanelReceipt } from "../../src/contract/panel/panel-request.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { faultsRu } from "../../panel/src/i18n/texts/faults.ru.ts";
import { modelsRu } from "../../panel/src/i18n/texts/models.ru.ts";
import { playgroundCallsEn as own } from "../../panel/src/i18n/texts/playground-calls.en.ts";
import { playgroundCallsRu as ownRu } from "../../panel/src/i18n/texts/playground-calls.ru.ts";
import { playgroundEn as t } from "../../panel/src/i18n/texts/playground.en.ts";
import { playgroundRu } from "../../panel/src/i18n/texts/playground.ru.ts";
import { makeMedia } from "../support/media-maker.ts";
import { pageFaults } from "../support/page-faults.ts";
import { until } from "../support/until.ts";
import { openPlaygroundScene, type PlaygroundScene } from "./playground-scene.ts";

let scene: PlaygroundScene;
let folder: string;
let files: { readonly sound: string; readonly picture: string };
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "playground-forms-"));
  files = { sound: join(folder, "a.mp3"), picture: join(folder, "blue.png") };
  await makeMedia(files.sound, { sound: { codec: "mp3", seconds: 2 } });
  await sharp({ create: { width: 64, height: 48, channels: 3, background: "#3366aa" } })
    .png()
    .toFile(files.picture);
  scene = await openPlaygroundScene();
});
after(async () => {
  await scene[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const nanoOf = (roubles: string): bigint => parseRoubles(roubles) ?? -1n;
const fillIn = (page: Page): Promise<void> =>
  page.getByRole("button", { name: t.example, exact: true }).click();
const answer = (page: Page) =>
  page.locator(".playground-ordered .card", { has: page.locator(".chat-receipt b") });

/** What is filled in, and what is seen of the answer, by the kind of call. */
const FORMS: Readonly<
  Record<
    CallType,
    readonly [fill: (page: Page) => Promise<void>, see: (page: Page) => Promise<void>]
  >
> = {
  image: [
    async (page) => {
      await fillIn(page);
      await page.getByLabel(own.labels.quality).selectOption("high");
      await page.locator("summary", { hasText: t.advanced }).click();
      await page.locator("form input[type=file]").setInputFiles(files.picture);
    },
    async (page) => {
      const image = answer(page).getByRole("img", { name: own.imageNumber(1) });
      await until("the image", () =>
        image.evaluate((img: { naturalWidth: number }) => img.naturalWidth === 1024),
      );
      const link = answer(page).getByRole("link", { name: own.download });
      assert.match(String(await link.getAttribute("download")), /\.png$/);
    },
  ],
  speech: [
    fillIn,
    async (page) => {
      const sound = answer(page).locator("audio");
      await until("the sound", () =>
        sound.evaluate((audio: { duration: number }) => audio.duration > 0),
      );
      assert.match(String(await sound.getAttribute("src")), /^blob:/);
    },
  ],
  transcription: [
    async (page) => {
      await page.locator("form input[type=file]").setInputFiles(files.sound);
      await page.getByLabel(own.labels.translate).check();
    },
    async (page) => assert.match(await answer(page).locator(".chat-said").innerText(), /\p{L}+/u),
  ],
  embedding: [
    fillIn,
    async (page) => {
      const list = answer(page).locator(".call-scores li");
      assert.equal(await list.count(), 2, "each other text beside the first");
      assert.match(await answer(page).locator(".call-vectors").innerText(), /1,536 numbers/);
    },
  ],
  rerank: [
    fillIn,
    async (page) => {
      const ranked = await answer(page).locator(".call-scores li").allInnerTexts();
      assert.equal(ranked.length, 3);
      assert.match(String(ranked[0]), /Pay the toll by card/);
    },
  ],
  moderation: [
    (page) => page.getByLabel(own.labels.judgedText).fill("I will kill you."),
    async (page) => {
      await answer(page).getByText(own.flagged("violence"), { exact: true }).waitFor();
      assert.match(await answer(page).locator(".call-score-marked").innerText(), /violence.*found/);
    },
  ],
  completion: [
    fillIn,
    async (page) =>
      assert.match(await answer(page).locator(".chat-said").innerText(), /^One night .* so on/),
  ],
};

/** Where it is not the first of its kind. */
const ENDPOINTS: Readonly<Partial<Record<CallType, string>>> = {
  image: "images.edits",
  transcription: "audio.translations",
};

async function codeIn(page: Page, language: string): Promise<string> {
  await page.getByRole("tab", { name: language, exact: true }).click();
  return String(await page.getByLabel(language, { exact: true }).locator("code").textContent());
}

const SDK = import.meta.resolve("openai");
const BETWEEN = "-- the next --";

/** All in one process, beside the files that they name. Returns what each prints. */
async function run(codes: readonly string[], secret: string): Promise<readonly string[]> {
  const names = codes.map((_, at) => join(folder, `code-${at}.mts`));
  await Promise.all(
    codes.map((code, at) =>
      writeFile(String(names[at]), code.replace(`from "openai"`, `from ${JSON.stringify(SDK)}`)),
    ),
  );
  const program = `for (const name of ${JSON.stringify(names)}) { await import(name); console.log(${JSON.stringify(BETWEEN)}); }`;
  const args = ["--no-warnings", "--input-type=module", "-e", program];
  const env = { PATH: process.env["PATH"], TOLLGATE_KEY: secret };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: folder });
  return stdout.split(`${BETWEEN}\n`).slice(0, -1);
}

test("every kind of call is filled in, priced, made, shown and charged, and its code does the same", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, { language: "en" });
  const { page } = tab;
  await tab.open("/playground");
  const { balance } = await member.money();
  const codes: string[] = [];
  let charged = 0n;
  for (const type of CALL_TYPES) {
    const [fill, see] = FORMS[type];
    await page.getByRole("tab", { name: t.tabs[type], exact: true }).click();
    await fill(page);
    const send = page.getByRole("button", { name: /^Send for at most ₽/ });
    await send.waitFor();
    const quoted = /₽([\d.,]+)$/.exec(await send.innerText())?.[1]?.replaceAll(",", "") ?? "";
    codes.push(await codeIn(page, "TypeScript"));
    await send.dblclick();
    await answer(page).waitFor();
    await see(page);
    const id = String(await answer(page).locator(".chat-receipt code").textContent());
    const receipt = (await member.ask("GET", `requests/${id}`)).json<PanelReceipt>();
    const where = ENDPOINTS[type] ?? CALL_ENDPOINTS_OF[type][0];
    assert.deepEqual(
      [receipt.kind, receipt.protocol, receipt.key?.hash],
      [type, where, member.keyHash],
    );
    assert.deepEqual(await pageFaults(page), [], type);
    assert.ok(nanoOf(receipt.charged) > 0n && nanoOf(receipt.charged) <= nanoOf(quoted), type);
    charged += nanoOf(receipt.charged);
  }
  const now = await member.money();
  assert.equal(nanoOf(now.balance), nanoOf(balance) - charged);
  assert.equal(nanoOf(now.held), 0n);
  await page.getByRole("button", { name: t.inspect }).click();
  await page.getByRole("dialog").getByText("max_tokens").waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();

  const outputs = await run(codes, member.secret);
  assert.deepEqual(
    outputs.map((text, at) => [CALL_TYPES[at], text.trim() === ""]),
    [...CALL_TYPES.map((type) => [type, type === "speech"])],
  );
  assert.ok((await readFile(join(folder, "speech.mp3"))).length > 1000);
  const after = await member.money();
  assert.equal(nanoOf(after.balance), nanoOf(balance) - 2n * charged, "the code does the same");
});

test("on a phone, in Russian, each form is whole, says what it lacks, and why it is refused", async () => {
  const member = await scene.newMember("0.005");
  const tab = await scene.openTab(member, { language: "ru", width: 390 });
  const { page } = tab;
  await tab.open("/models?tab=calls");
  for (const unit of ["1 млн токенов", "1000 документов", "изображение", "секунду"])
    await page
      .getByText(new RegExp(`за ${unit}$`))
      .first()
      .waitFor();
  await tab.screenshot("models-calls");
  assert.deepEqual(await pageFaults(page), []);
  await page.getByRole("link", { name: "Sandbox Image" }).click();
  await page.getByText("изображения, размер 1536x1024, качество high").first().waitFor();
  await tab.screenshot("model-image");
  assert.deepEqual(await pageFaults(page), []);
  await page.goBack();
  await page.getByRole("link", { name: "Sandbox Moderation" }).click();
  await page.getByRole("link", { name: modelsRu.tryIt }).click();
  await page.waitForURL(/tab=moderation&model=sandbox-moderation/);
  for (const type of CALL_TYPES) {
    await page.getByRole("tab", { name: playgroundRu.tabs[type], exact: true }).click();
    // The one before it is still there for a moment.
    const form = page.getByRole("tabpanel", { name: playgroundRu.tabs[type], exact: true });
    await form.getByText(playgroundRu.priceMissing).waitFor();
    await form.getByRole("button", { name: playgroundRu.send, exact: true }).click();
    await form.getByText(faultsRu.byMistake.required({})).first().waitFor();
    assert.deepEqual(await pageFaults(page), [], type);
    await tab.screenshot(`form-${type}`);
  }
  await page.getByRole("tab", { name: playgroundRu.tabs.moderation, exact: true }).click();
  await page.getByRole("button", { name: playgroundRu.example, exact: true }).click();
  const refusal = page.locator(".playground-price .banner-warn");
  await refusal.getByText("На балансе не хватает денег: нужно").waitFor();
  await page.getByRole("button", { name: /^Отправить, не дороже/ }).click();
  const banner = page.locator(".playground-price .banner-danger");
  await banner.getByText("На балансе не хватает денег: нужно").waitFor();
  assert.doesNotMatch(await banner.innerText(), /balance|RUB/);
  await page.getByRole("tab", { name: playgroundRu.tabs.transcription, exact: true }).click();
  await page
    .locator("form input[type=file]")
    .setInputFiles({ name: "a.mp3", mimeType: "audio/mpeg", buffer: Buffer.from("no sound") });
  await page.locator(".field-error").getByText(ownRu.notMedia).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
