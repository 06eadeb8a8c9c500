/**
 * Guarantee: a chat of the playground is edited, repeated and compared for what its receipts say and
 * no more, and what was said stays in the member's browser until the member deletes it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { playgroundChatEn as own } from "../../panel/src/i18n/texts/playground-chat.en.ts";
import { playgroundEn as t } from "../../panel/src/i18n/texts/playground.en.ts";
import type { PanelReceipt } from "../../src/contract/panel/panel-request.ts";
import type { PlaygroundChatQuote } from "../../src/contract/panel/playground.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { pageFaults } from "../support/page-faults.ts";
import { until } from "../support/until.ts";
import { chooseModel } from "./choose-model.ts";
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
const nanoOf = (roubles: string): bigint => parseRoubles(roubles) ?? -1n;

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole("button", { name, exact: true }).click();
const message = (page: Page): Locator => page.getByLabel(t.message, { exact: true });
const lane = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
const ownTurns = (page: Page): Locator => page.getByRole("article", { name: t.you, exact: true });
const answers = (page: Page): Locator =>
  page.getByRole("article", { name: t.assistant, exact: true });
const chats = (page: Page): Locator => page.getByRole("complementary", { name: own.chats });

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await press(page, t.send);
}

/** The ids of the requests of all answers that are shown, once each is charged. */
async function charged(page: Page, count: number): Promise<readonly string[]> {
  const receipts = page.locator(".chat-receipt", { hasText: `${t.cost}:` });
  await until(`${count} receipts`, async () => (await receipts.count()) === count);
  return page.locator(".chat-receipt code").allTextContents();
}

/** Of the last of each model. */
function sumOfQuotes(quoted: ReadonlyMap<string, string>): bigint {
  return [...quoted.values()].reduce((sum, estimate) => sum + nanoOf(estimate), 0n);
}

async function assertPaid(
  member: PlaygroundMember,
  before: string,
  ids: Iterable<string>,
): Promise<readonly PanelReceipt[]> {
  const receipts = await Promise.all(
    [...new Set(ids)].map(async (id) =>
      (await member.ask("GET", `requests/${id}`)).json<PanelReceipt>(),
    ),
  );
  const sum = receipts.reduce((total, receipt) => total + nanoOf(receipt.charged), 0n);
  const { balance, held } = await member.money();
  assert.deepEqual([nanoOf(before) - nanoOf(balance), nanoOf(held)], [sum, 0n]);
  return receipts;
}

test("two models answer the same side by side, priced together before, and paid each by itself", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?model=sandbox-small");
  const { balance } = await member.money();
  const quoted = new Map<string, string>();
  page.on("response", async (response) => {
    if (!response.url().includes("/playground/quote/")) return;
    const { model } = response.request().postDataJSON() as { readonly model: string };
    quoted.set(model, ((await response.json()) as PlaygroundChatQuote).estimate);
  });
  await press(page, own.compare);
  await chooseModel(page, own.secondModel, "sandbox-medium");
  await message(page).fill("What is a toll?");
  await page.getByText(own.estimateOfTwo).waitFor();
  const together = String(await page.locator(".chat-quote b").textContent());
  assert.equal(nanoOf(together.replace("₽", "")), sumOfQuotes(quoted), together);
  await press(page, t.send);
  const ids = await charged(page, 2);
  const receipts = await assertPaid(member, balance, ids);
  assert.deepEqual(receipts.map(({ model }) => model).toSorted(), [
    "sandbox-medium",
    "sandbox-small",
  ]);
  for (const name of [own.lane("Sandbox Small"), own.secondLane("Sandbox Medium")]) {
    const text = String(await lane(page, name).locator(".chat-receipt").textContent());
    assert.match(text, /tokens/, "what it was counted by");
    assert.match(text, /\d\s?(ms|s)/, "how long it took");
  }
  assert.deepEqual(await pageFaults(page), []);
  await press(page, own.leaveModel("Sandbox Small"));
  assert.equal(await answers(page).count(), 1);
  await lane(page, own.lane("Sandbox Medium")).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a turn is edited and an answer asked for again; every request is paid, the replaced ones too", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?model=sandbox-small");
  const { balance } = await member.money();
  const all: string[] = [];
  await say(page, "The first wording.");
  all.push(...(await charged(page, 1)));
  await say(page, "And more.");
  all.push(...(await charged(page, 2)));

  await ownTurns(page).first().getByRole("button", { name: own.edit }).click();
  await page.getByLabel(own.editText).fill("The second wording.");
  await press(page, own.sendEdited);
  await until("only the edited turn", async () => (await ownTurns(page).count()) === 1);
  await until("its answer", async () =>
    String(await answers(page).first().textContent()).includes("The second wording."),
  );
  const [edited = ""] = await charged(page, 1);
  all.push(edited);

  await press(page, own.repeat);
  await until(
    "another receipt",
    async () => (await page.locator(".chat-receipt code").allTextContents())[0] !== edited,
  );
  all.push(...(await charged(page, 1)));
  assert.equal(new Set(all).size, 4);
  await assertPaid(member, balance, all);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a chat is found again after a reload, of all that was said the server was sent only the requests, and deleting takes it away", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.postData()?.includes("Remember the barrier") === true)
      sent.push(new URL(request.url()).pathname.replace("/panel/api", ""));
  });
  await tab.open("/playground?model=sandbox-small");
  await press(page, t.settings);
  await page.getByLabel(t.system).fill("Be brief.");
  await press(page, own.keepPrompt);
  // At this width what stands beside the chat takes the room of the list.
  await press(page, t.settings);
  await say(page, "Remember the barrier.");
  await charged(page, 1);
  const title = chats(page).getByRole("button", { name: "Remember the barrier.", exact: true });
  await title.waitFor();

  await page.reload();
  await until("what was said", async () => (await ownTurns(page).count()) === 1);
  assert.equal((await charged(page, 1)).length, 1, "its receipt is asked for anew");
  assert.deepEqual(
    sent.toSorted().filter((path) => !path.includes("/quote/")),
    ["/playground/chat/completions"],
  );

  await press(page, t.newTalk);
  await until("an empty chat", async () => (await ownTurns(page).count()) === 0);
  await title.click();
  await until("the old one", async () => (await ownTurns(page).count()) === 1);
  await press(page, t.settings);
  assert.equal(await page.getByLabel(t.system).inputValue(), "Be brief.");
  assert.equal(await page.getByLabel(own.prompts).locator("option").count(), 2);
  await press(page, t.settings);

  await press(page, own.deleteAll);
  await press(page, own.deleteAllAction);
  await chats(page).getByText(own.noChats).waitFor();
  await until("an empty chat", async () => (await ownTurns(page).count()) === 0);
  await page.reload();
  await chats(page).getByText(own.noChats).waitFor();
  await press(page, t.settings);
  assert.equal(await page.getByLabel(own.prompts).count(), 0);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("Shift and Enter break the line, Enter sends, Escape stops, and listeners hear of an answer twice", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?model=sandbox-small");
  await page.evaluate(`
    window.heard = [];
    new MutationObserver(() => {
      const text = document.querySelector(".chat-main > [role=status].unseen").textContent;
      if (text !== window.heard.at(-1)) window.heard.push(text);
    }).observe(document.querySelector(".chat-main"), { subtree: true, childList: true, characterData: true });
  `);
  await message(page).focus();
  await page.keyboard.type("[[sandbox: tokens=400 chunkDelay=50]]");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("A second line.");
  assert.match(await message(page).inputValue(), /\nA second line\.$/);
  await page.keyboard.press("Enter");
  await answers(page).locator(".markdown").waitFor();
  assert.equal(await message(page).inputValue(), "");
  await page.keyboard.press("Escape");
  await page.getByText(t.stopped).waitFor();
  await charged(page, 1);
  const heard = (await page.evaluate("window.heard")) as readonly string[];
  assert.deepEqual(
    heard.filter((text) => text !== ""),
    [own.tellsWriting, own.tellsStopped],
  );
  assert.equal(await page.locator(".chat-scroll [aria-live]:has(.markdown)").count(), 0);
  await tab.close();
});

test("an answer keeps to a schema that is typed in, and a schema that cannot be read is not sent", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?model=sandbox-small");
  await press(page, t.settings);
  await page.getByLabel(own.format).selectOption("schema");
  await message(page).fill("A title, please.");
  await page.getByLabel(own.schema, { exact: true }).fill("{");
  await page.locator(".chat-side .field-error").waitFor();
  assert.equal(
    await page.getByRole("button", { name: t.send, exact: true }).isDisabled(),
    true,
    "nothing is sent without the schema that was meant",
  );
  await press(page, t.toolsExample);
  await press(page, t.send);
  await charged(page, 1);
  await press(page, t.inspect);
  assert.match(
    String(await page.getByRole("dialog").textContent()),
    /"response_format": \{\s*"type": "json_schema"/,
  );
  await tab.close();
});

test("on a phone a chat is written and answered without anything beyond its screen", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, { ...english, width: 390 });
  const { page } = tab;
  await tab.open("/playground?model=sandbox-small");
  await say(page, "What is a toll?");
  await charged(page, 1);
  await say(page, "[[sandbox: tokens=400]]");
  await charged(page, 2);
  // It grows before the page hears that it was scrolled to where the end was.
  await page.evaluate(`{
    const box = document.querySelector(".chat-scroll");
    const more = document.createElement("p");
    more.textContent = "A word more. ".repeat(100);
    box.firstElementChild.append(more);
    box.dispatchEvent(new Event("scroll"));
  }`);
  await until(
    "the end of what grew",
    async () =>
      (await page.evaluate(`{
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector(".chat-scroll");
        scrollHeight - scrollTop - clientHeight < 2;
      }`)) === true,
  );
  assert.deepEqual(await pageFaults(page), []);
  await press(page, own.showChats);
  await chats(page).getByRole("button", { name: "What is a toll?", exact: true }).waitFor();
  await press(page, t.settings);
  await page.getByLabel(t.system).waitFor();
  assert.deepEqual(await pageFaults(page), []);
  await tab.close();
});
