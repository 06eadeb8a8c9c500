/**
 * Guarantee: every request is found by filters that live in the address, and its receipt says where
 * its money went and why, as the ledger does.
 */
import { sayRefusal } from "../../src/contract/sentences/say-refusal.ts";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { formatMoney } from "../../panel/src/i18n/format-money.ts";
import { refusalSentence } from "../../panel/src/i18n/refusal-sentence.ts";
import { requestsEn } from "../../panel/src/i18n/texts/requests.en.ts";
import { requestsRu } from "../../panel/src/i18n/texts/requests.ru.ts";
import { tasksRu } from "../../panel/src/i18n/texts/tasks.ru.ts";
import { wordsEn } from "../../panel/src/i18n/texts/words.en.ts";
import { wordsRu } from "../../panel/src/i18n/texts/words.ru.ts";
import { formatRoubles, nano, parseRoubles } from "../../src/kernel/money.ts";
import type { LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import type { PanelReceipt } from "../../src/contract/panel/panel-request.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelView } from "../support/panel-browser.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

const PAGE = 50;
const MANY = 53;

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

const VIEWS: readonly (readonly [string, PanelView, typeof requestsRu, typeof wordsRu])[] = [
  ["in Russian on a wide screen", { language: "ru" }, requestsRu, wordsRu],
  [
    "in English on a phone in the dark",
    { language: "en", width: 390, theme: "dark" },
    requestsEn,
    wordsEn,
  ],
];

async function receiptOf(person: PanelPerson, id: string): Promise<PanelReceipt> {
  return until(`the receipt of ${id}`, async () => {
    const answer = await person.ask("GET", `requests/${id}`);
    return answer.status === 200 && answer.json<PanelReceipt>().completedAt !== null
      ? answer.json<PanelReceipt>()
      : null;
  });
}

async function orderTask(secret: string, prompt: string): Promise<string> {
  const response = await fetch(`${scene.url}/v1/tasks/nano-banana-2`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt, aspectRatio: "16:9" }),
  });
  const { data } = (await response.json()) as { data: { taskId: string } };
  return data.taskId;
}

const rowsOf = (page: Page) => page.locator("tbody tr");

/** In the row of filters, or, on a phone, in their sheet, which has to be whole too. */
async function choose(
  page: Page,
  { label, value }: { readonly label: string; readonly value: string },
  words: typeof wordsRu,
  view: PanelView,
): Promise<void> {
  if (view.width === undefined) {
    await page.getByLabel(label, { exact: true }).selectOption(value);
    return;
  }
  await page.getByRole("button", { name: words.filters }).click();
  const sheet = page.getByRole("dialog", { name: words.filters });
  await sheet.getByLabel(label, { exact: true }).selectOption(value);
  assert.deepEqual(await pageFaults(page), []);
  await sheet.getByRole("button", { name: words.showFound }).click();
  await sheet.waitFor({ state: "detached" });
}

for (const [name, view, t, words] of VIEWS) {
  const language = view.language ?? "ru";

  test(`requests and receipts, ${name}`, { timeout: 240_000 }, async () => {
    const person = await scene.newMember("1000");
    const tab = await scene.openTab(person, view);
    const { page } = tab;
    await tab.open("/requests");
    await page.getByText(t.emptyText).waitFor();

    const [one, two] = [await scene.newKey(person, "one"), await scene.newKey(person, "two")];
    await Promise.all(Array.from({ length: MANY }, () => scene.chat(one.secret)));
    const { requestId } = await scene.chat(two.secret, "claude-sonnet-9");
    const taskId = await orderTask(two.secret, "a red fox");
    const [receipt, task] = [await receiptOf(person, requestId), await receiptOf(person, taskId)];

    await tab.open("/requests");
    await rowsOf(page).first().waitFor();
    assert.equal(await rowsOf(page).count(), PAGE);
    await page.getByRole("button", { name: words.loadMore }).click();
    await until("all rows", async () => (await rowsOf(page).count()) === MANY + 2);

    // By filters, which survive a reload; the file has the same rows. On a phone they are in a
    // sheet, behind a button that counts them.
    await choose(page, { label: t.key, value: two.key.hash }, words, view);
    await until("rows of one key", async () => (await rowsOf(page).count()) === 2);
    await tab.screenshot(`requests-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    await choose(page, { label: t.kind, value: "chat" }, words, view);
    await until("its chats", async () => (await rowsOf(page).count()) === 1);
    if (view.width !== undefined)
      await page.getByRole("button", { name: words.filtersSet(2), exact: true }).waitFor();
    await page.reload();
    await rowsOf(page).first().waitFor();
    assert.equal(await rowsOf(page).count(), 1);
    // What it cost, to the last digit, is found from and up to that; what costs more is not there.
    const dearer = formatRoubles(nano((parseRoubles(receipt.charged) ?? 0n) + 1n));
    const bounds = `chargedFrom=${receipt.charged}&chargedTo=${receipt.charged}&durationTo=600000`;
    await tab.open(`/requests?keyHash=${two.key.hash}&kind=chat&${bounds}`);
    await rowsOf(page).first().waitFor();
    assert.equal(await rowsOf(page).count(), 1);
    await tab.screenshot(`requests-by-cost-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    await tab.open(`/requests?keyHash=${two.key.hash}&kind=chat&chargedFrom=${dearer}`);
    await page.getByText(t.emptyFilteredTitle).waitFor();
    if (view.width === undefined) {
      await page.getByLabel(t.weights.chargedFrom).fill(language === "ru" ? "0,0001" : "0.0001");
      await rowsOf(page).first().waitFor();
      assert.match(page.url(), /chargedFrom=0\.0001|chargedFrom=%220\.0001%22/);
      await page.getByLabel(t.weights.durationFrom).fill("soon");
      await page.getByText(t.millisecondsExpected).waitFor();
    }
    await tab.open(`/requests?keyHash=${two.key.hash}&kind=chat&${bounds}`);
    await rowsOf(page).first().waitFor();
    const href = String(await page.getByRole("link", { name: t.csv }).getAttribute("href"));
    const csv = (await person.ask("GET", href.replace("/panel/api/", ""))).text.trim().split("\n");
    assert.deepEqual([csv.length, csv[1]?.includes(requestId)], [2, true]);
    // The file is that of the filters, in the reader's language and time; what is refused is told
    // where it was asked for.
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: t.csv }).click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), "tollgate-requests.csv");
    const file = (await readFile(await download.path(), "utf8")).trim().split("\n");
    assert.deepEqual([file.length, file[1]?.includes(requestId)], [2, true]);
    assert.match(file[0] ?? "", /\(Europe\/Moscow\)/);
    // What the list behind it refuses is told where the file was asked for.
    const refused = sayRefusal("no_such_key");
    await page.route("**/panel/api/requests?*limit=1*", (route) =>
      route.fulfill({
        status: 400,
        json: {
          error: {
            code: "invalid_request",
            ...refused,
            errors: [],
            retryAfterSeconds: null,
            requestId: null,
          },
        },
      }),
    );
    await page.getByRole("link", { name: t.csv }).click();
    await page
      .getByRole("alert")
      .getByText(refusalSentence(language, refused) ?? refused.message)
      .waitFor();
    await page.unroute("**/panel/api/requests?*limit=1*");
    await page.getByRole("radio", { name: t.periods.own }).check({ force: true });
    await page.getByLabel(t.from).fill("2020-01-01");
    await page.getByLabel(t.to).fill("2020-01-02");
    await page.getByText(t.emptyFilteredText).waitFor();
    await page.getByRole("button", { name: words.resetFilters }).click();
    await until("all again", async () => (await rowsOf(page).count()) === PAGE);

    // The line above the list follows the filters, and so does the file's name.
    const totals = page.locator(".totals-bar");
    const charge = async (): Promise<string> => {
      const { data } = (
        await person.ask("GET", "ledger?kind=charge&limit=1000")
      ).json<LedgerPage>();
      const nanos = data.map(({ change }) => -(parseRoubles(change) ?? 0n));
      return formatRoubles(nano(nanos.reduce((sum, one) => sum + one, 0n)));
    };
    await totals.getByText(String(MANY + 2), { exact: true }).waitFor();
    await totals.getByTitle(formatMoney(await charge(), language)).waitFor();
    await page.getByRole("radio", { name: t.periods.yesterday }).check({ force: true });
    await page.getByText(t.emptyFilteredText).waitFor();
    await totals.getByText("0", { exact: true }).first().waitFor();
    assert.match(page.url(), /period=yesterday/);

    // Within a day the dearest is first: the task, which costs more than any word.
    await page.getByRole("radio", { name: t.periods.today }).check({ force: true });
    await until("all of today", async () => (await rowsOf(page).count()) === PAGE);
    await choose(page, { label: t.order, value: "charged" }, words, view);
    await rowsOf(page).first().getByText("nano-banana-2").waitFor();
    await page.getByRole("button", { name: words.resetFilters }).click();
    await until("in order of time", async () => (await rowsOf(page).count()) === PAGE);

    // A receipt opens where the list stays, arrow keys walk, Escape closes it.
    const ids = (await person.ask("GET", "requests?limit=2")).json<{ data: { id: string }[] }>()
      .data;
    await rowsOf(page).first().locator("a.row-link").click();
    const slip = page.getByLabel(t.receipt, { exact: true });
    await slip.getByText(ids[0]?.id ?? "", { exact: true }).waitFor();
    assert.match(page.url(), new RegExp(`receipt=${ids[0]?.id ?? "none"}`));
    await page.keyboard.press("ArrowDown");
    await slip.getByText(ids[1]?.id ?? "", { exact: true }).waitFor();
    await page.keyboard.press("ArrowUp");
    await slip.getByText(ids[0]?.id ?? "", { exact: true }).waitFor();
    await slip.locator(".leaders").first().waitFor();
    await tab.screenshot(`requests-receipt-${language}`);
    assert.deepEqual(await pageFaults(page), []);
    await page.keyboard.press("Escape");
    await slip.waitFor({ state: "detached" });
    assert.doesNotMatch(page.url(), /receipt=/);

    // Live, what ends now is there without a press, and counted.
    await page.getByRole("button", { name: t.live, exact: true }).click();
    const { requestId: newest } = await scene.chat(one.secret);
    await page.locator(`tbody a[href$="/requests/${newest}"]`).waitFor();
    await totals.getByText(String(MANY + 3), { exact: true }).waitFor();
    await page.getByRole("button", { name: t.liveOn }).click();

    // A number from an answer leads to its request, with a blank that came along; half of one leads
    // nowhere.
    const number = page.getByLabel(words.requestNumber);
    await number.fill(requestId.slice(0, 20));
    await page.getByText(words.wholeRequestNumber).waitFor();
    await number.fill(` ${requestId.toUpperCase().replace("REQ", "req")} `);
    await page.waitForURL(`**/panel/requests/${requestId}`);
    await page.goBack();
    await until("the list again", async () => (await rowsOf(page).count()) === PAGE);

    // The receipt: its trail ends in what the ledger took, its lines add up to it, and its id can
    // be copied.
    const ledger = (await person.ask("GET", "ledger")).json<LedgerPage>().data;
    for (const { id, charged, trail, price } of [receipt, task]) {
      const entry = ledger.find(({ kind, request }) => kind === "charge" && request?.id === id);
      assert.equal(entry?.change, `-${charged}`);
      await tab.open(`/requests/${id}`);
      const cells = await page
        .locator(".card", { has: page.getByRole("heading", { name: t.trail }) })
        .locator("tbody td.end")
        .allTextContents();
      assert.deepEqual(
        cells,
        trail.flatMap(({ amount, heldAfter }) => [
          formatMoney(amount, language),
          formatMoney(heldAfter, language),
        ]),
      );
      assert.equal(trail.find(({ kind }) => kind === "charge")?.amount, charged);
      assert.equal(trail.at(-1)?.heldAfter, "0");
      const why = page.locator(".card", { has: page.getByRole("heading", { name: t.why }) });
      for (const line of price?.lines ?? [])
        await why.getByText(formatMoney(line.amount, language)).first().waitFor();
      await why.locator(".facts").getByText(formatMoney(charged, language)).first().waitFor();
      await page
        .getByRole("button", { name: new RegExp(`: (${t.requestId}|${t.taskId})$`) })
        .click();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), id);
      await tab.screenshot(`request-${id === taskId ? "task" : "chat"}-${language}`);
      assert.deepEqual(await pageFaults(page), []);
    }
    assert.equal(receipt.modelRequested, "claude-sonnet-9");

    // What is not the account's is not there.
    const stranger = await scene.newMember();
    const strange = await scene.openTab(stranger, view);
    await strange.page.goto(`${scene.url}/panel/requests/${requestId}`);
    await strange.page.getByRole("alert").waitFor();
    assert.equal(
      (await strange.page.locator("body").innerText()).includes(
        formatMoney(receipt.charged, language),
      ),
      false,
    );
    assert.deepEqual([...tab.complaints, ...strange.complaints], []);
    await strange.close();
    await tab.close();
  });
}

test("the receipt of a line of a batch names it", { timeout: 120_000 }, async () => {
  const person = await scene.newMember("1000");
  const { secret } = await scene.newKey(person, "one");
  const authorization = `Bearer ${secret}`;
  const messages = [{ role: "user", content: "A word." }];
  const body = { model: "sandbox-large", max_tokens: 20, messages };
  const line = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body };
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([JSON.stringify(line)]), "lines.jsonl");
  const sent = await fetch(`${scene.url}/v1/files`, {
    method: "POST",
    headers: { authorization },
    body: form,
  });
  const { id: input } = (await sent.json()) as { id: string };
  const taken = await fetch(`${scene.url}/v1/batches`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({
      input_file_id: input,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    }),
  });
  const { id: batch } = (await taken.json()) as { id: string };
  const id = await until(
    "its line has a receipt",
    async () =>
      (await person.ask("GET", "requests")).json<{ data: { id: string }[] }>().data[0]?.id ?? null,
    60_000,
  );
  assert.equal((await receiptOf(person, id)).batch, batch);
  const tab = await scene.openTab(person);
  await tab.open(`/requests/${id}`);
  await tab.page.getByText(batch, { exact: true }).waitFor();
  await tab.page.getByText(requestsRu.batch, { exact: true }).waitFor();
  assert.deepEqual(await pageFaults(tab.page), []);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("what went wrong is told in words, and costs nothing", { timeout: 120_000 }, async () => {
  const person = await scene.newMember("1000");
  const { secret } = await scene.newKey(person, "one");
  const taskId = await orderTask(secret, "A red fox. [[sandbox: fail=501]]");
  const receipt = await receiptOf(person, taskId);
  const tab = await scene.openTab(person);
  await tab.open(`/requests/${taskId}`);
  assert.deepEqual([receipt.state, receipt.charged], ["failed", "0"]);
  await tab.page.getByText(requestsRu.noPrice).waitFor();
  await tab.page
    .getByText(tasksRu.failures.provider_error)
    .or(tab.page.getByText(tasksRu.failures.provider_rejected))
    .waitFor();
  await tab.screenshot("request-failed");
  await tab.close();
});
