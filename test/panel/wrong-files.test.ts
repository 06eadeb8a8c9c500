/**
 * Protects: a file that is empty, or of another kind than its place takes, is named at once and
 * attached nowhere.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { playgroundRu as t } from "../../panel/src/i18n/texts/playground.ru.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import { pageFaults } from "../support/page-faults.ts";
import { openPlaygroundScene, type PlaygroundScene } from "./playground-scene.ts";

let scene: PlaygroundScene;
before(async () => {
  scene = await openPlaygroundScene();
});
after(() => scene[Symbol.asyncDispose]());

const FAKE = { name: "fake.png", mimeType: "image/png", buffer: Buffer.from("no picture at all") };
const EMPTY = { name: "empty.png", mimeType: "image/png", buffer: Buffer.alloc(0) };
const picture = async () => ({
  name: "blue.png",
  mimeType: "image/png",
  buffer: await sharp({ create: { width: 640, height: 480, channels: 3, background: "#3a7" } })
    .png()
    .toBuffer(),
});

test("a chat takes no picture that cannot be drawn, and says of each what it is", async () => {
  const tab = await scene.openTab(await scene.newMember());
  const { page } = tab;
  await tab.open("/playground");
  const input = page.getByLabel(t.attach);
  await input.setInputFiles(FAKE);
  await page.getByText(t.imageBroken("fake.png"), { exact: true }).waitFor();
  await input.setInputFiles(EMPTY);
  await page.getByText(t.imageEmpty("empty.png"), { exact: true }).waitFor();
  assert.equal(await page.locator(".chat-picture").count(), 0);
  await input.setInputFiles(await picture());
  await page.locator(".chat-picture").waitFor();
  assert.deepEqual(await pageFaults(page), []);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a task's field of images takes no other file, whatever its name, and no empty one, and says so beside it", async () => {
  const tab = await scene.openTab(await scene.newMember());
  const { page } = tab;
  await tab.open("/playground?tab=tasks&model=gpt-image-2-image-to-image");
  await page.getByRole("button", { name: t.clear }).click();
  const input = page.locator("form input[type=file]").first();
  await input.setInputFiles(FAKE);
  await page
    .getByText(wordsRu.notOfKind(wordsRu.fileKinds.image, "application/octet-stream"), {
      exact: true,
    })
    .waitFor();
  await input.setInputFiles(EMPTY);
  await page.getByText(wordsRu.emptyFile, { exact: true }).waitFor();
  assert.equal(await page.locator(".playground-media").count(), 0);
  await tab.screenshot("ru-light-1280-wrong-files");
  await input.setInputFiles(await picture());
  await page.locator(".playground-media").waitFor();
  assert.deepEqual(await pageFaults(page), []);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
