/**
 * Guarantee: what was made in the playground is asked for again with exactly what it was asked with,
 * and nothing that a form folds away is out of sight once it is filled in.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { playgroundCallsEn as own } from "../../panel/src/i18n/texts/playground-calls.en.ts";
import { playgroundEn as t } from "../../panel/src/i18n/texts/playground.en.ts";
import type { PanelTask } from "../../src/contract/panel/panel-task.ts";
import type { PlaygroundTaskOrdered } from "../../src/contract/panel/playground.ts";
import { pageFaults } from "../support/page-faults.ts";
import { until } from "../support/until.ts";
import {
  openPlaygroundScene,
  type PlaygroundMember,
  type PlaygroundScene,
} from "./playground-scene.ts";

let scene: PlaygroundScene;
before(async () => {
  scene = await openPlaygroundScene();
});
after(() => scene[Symbol.asyncDispose]());

const english = { language: "en" } as const;

/** Ordered by the API, and completed. */
async function made(member: PlaygroundMember, prompt: string): Promise<string> {
  const answer = await member.ask(
    "POST",
    "playground/tasks/flux-2",
    { prompt },
    { "x-tollgate-key": member.keyHash },
  );
  assert.equal(answer.status, 202, answer.text);
  const { taskId } = answer.json<PlaygroundTaskOrdered>();
  await until(`the end of ${taskId}`, async () => {
    const { state } = (await member.ask("GET", `tasks/${taskId}`)).json<PanelTask>();
    return state === "completed";
  });
  return taskId;
}

const send = (page: Page): Promise<void> =>
  page.getByRole("button", { name: /^Send for at most ₽/ }).click();

test("a result of the gallery fills in its form again, the same for the same price", async () => {
  const member = await scene.newMember();
  await made(member, "A particular gate.");
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?tab=tasks&model=seedance-2");
  const gallery = page.getByRole("region", { name: t.gallery });
  const picture = gallery.locator("img");
  await until("the picture", () =>
    picture.evaluate((img: { naturalWidth: number }) => img.naturalWidth > 0),
  );
  assert.deepEqual(await pageFaults(page), []);
  await gallery.getByRole("button", { name: t.withChanges }).click();
  await until(
    "what it was ordered with",
    async () => (await page.getByLabel("Prompt").inputValue()) === "A particular gate.",
  );
  await page.getByRole("button", { name: "Order for ₽3.50" }).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("files and lists that may be left out are folded away, and open with what is filled in", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?tab=tasks&model=flux-2");
  const folded = page.locator("details", { hasText: t.optionalPart });
  await folded.waitFor();
  assert.equal(await folded.locator("fieldset").first().isVisible(), false);
  await page.getByRole("button", { name: t.fullExample }).click();
  await folded.locator("fieldset").first().waitFor();
  await page.getByRole("button", { name: /^Order for/ }).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("an earlier answer of a form is still there, and is asked for again with changes", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?tab=moderation");
  const text = page.getByLabel(own.labels.judgedText);
  const receipt = page.locator(".chat-receipt", { hasText: `${t.cost}:` });
  await text.fill("The first text.");
  await send(page);
  await until("its receipt", async () => (await receipt.count()) === 1);
  await text.fill("The second text.");
  await send(page);
  const earlier = page.locator(".call-earlier-one", { hasText: "The first text." });
  await earlier.waitFor();
  await earlier.locator("summary").click();
  await until("both receipts", async () => (await receipt.count()) === 2);
  await earlier.getByRole("button", { name: t.withChanges }).click();
  assert.equal(await text.inputValue(), "The first text.");
  assert.deepEqual(await pageFaults(page), []);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
