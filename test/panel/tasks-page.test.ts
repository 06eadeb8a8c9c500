/**
 * Guarantee: the pages of tasks and files show what is so, as it happens: states, results, money,
 * webhooks; a secret once; and nothing is lost by a slip.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import sharp from "sharp";
import type { PlaygroundTaskOrdered } from "../../src/contract/panel/playground.ts";
import type { PanelTask } from "../../src/contract/panel/panel-task.ts";
import type { PanelFileList } from "../../src/contract/panel/panel-file.ts";
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

async function order(
  member: PlaygroundMember,
  prompt: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await member.ask(
    "POST",
    "playground/tasks/flux-2",
    { prompt },
    { "x-tollgate-key": member.keyHash, ...headers },
  );
  assert.equal(answer.status, 202, answer.text);
  return answer.json<PlaygroundTaskOrdered>().taskId;
}

async function ended(member: PlaygroundMember, taskId: string): Promise<PanelTask> {
  return until(`the end of ${taskId}`, async () => {
    const task = (await member.ask("GET", `tasks/${taskId}`)).json<PanelTask>();
    return task.completedAt === null ? null : task;
  });
}

test("the list follows its tasks without a reload, shows what they made, and keeps its filters in the address", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/tasks");
  await page.getByText("No tasks yet").waitFor();
  const taskId = await order(member, "[[sandbox: delay=4000]] A gate.");
  await tab.open("/tasks");
  const row = page.getByRole("row", { name: /flux-2/ });
  await row.getByText("held").waitFor();
  await row.getByText("charged").waitFor();
  const thumbnail = row.locator("img");
  await until("the thumbnail", () =>
    thumbnail.evaluate((img: { naturalWidth: number }) => img.naturalWidth > 0),
  );
  await page.getByLabel("State").selectOption("failed");
  await page.getByText("Nothing matches these filters").waitFor();
  assert.match(page.url(), /state=failed/);
  await page.getByLabel("State").selectOption("completed");
  await page.getByRole("link", { name: "flux-2" }).click();
  await page.getByText(taskId).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a task's page tells its parameters, money, receipt and history, and its parameters are ordered again from the playground", async () => {
  const member = await scene.newMember();
  const taskId = await order(member, "A very particular gate.");
  const task = await ended(member, taskId);
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open(`/tasks/${taskId}`);
  await until("the result", () =>
    page.locator(".result img").evaluate((img: { naturalWidth: number }) => img.naturalWidth > 0),
  );
  for (const text of [
    task.requestId,
    "A very particular gate.",
    "Accepted, the money is held",
    "Nobody was told of its end",
  ]) {
    await page.getByText(text).first().waitFor();
  }
  assert.match(
    String(await page.locator(".facts", { hasText: "Charged" }).first().textContent()),
    /Charged₽3\.50/,
  );
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  assert.match((await download).suggestedFilename(), /\.png$/);
  await page.getByRole("link", { name: "Open in the playground" }).click();
  await until(
    "the parameters",
    async () => (await page.getByLabel("Prompt").inputValue()) === "A very particular gate.",
  );
  await page.getByRole("button", { name: "Order for ₽3.50" }).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a failure says why, what to do, and that nothing was charged; a task that runs is asked to stop only after a second word", async () => {
  const member = await scene.newMember();
  const before = await member.money();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  const blocked = await order(member, "[[sandbox: fail=blocked]] A gate.");
  await ended(member, blocked);
  await tab.open(`/tasks/${blocked}`);
  await page.getByText("Moderation stopped the request or its result.").waitFor();
  await page.getByText("Nothing was charged for it").waitFor();
  assert.deepEqual(await member.money(), before);
  const stuck = await order(member, "[[sandbox: stuck]] A gate.");
  await tab.open(`/tasks/${stuck}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel the task" }).click();
  // An upstream makes it already and takes nothing back: what is known is told.
  await page.getByText("Cancellation asked for").waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("every try of a webhook is in its log, and what did not arrive is sent again", async () => {
  const member = await scene.newMember();
  let status = 500;
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    request.resume();
    received.push(request.headers["webhook-id"]);
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  try {
    const taskId = await order(member, "A gate.", { "x-callback-url": url });
    await ended(member, taskId);
    const tab = await scene.openTab(member, english);
    const { page } = tab;
    await tab.open(`/tasks/${taskId}`);
    await page.getByRole("cell", { name: /^500/ }).first().waitFor();
    status = 204;
    const resent = page.waitForResponse((response) =>
      response.url().endsWith(`/tasks/${taskId}/deliveries/retry`),
    );
    await page.getByRole("button", { name: "Send again" }).click();
    assert.equal((await resent).status(), 202);
    await page.getByText("delivered", { exact: true }).waitFor();
    await page.getByRole("cell", { name: "204" }).waitFor();
    assert.ok(received.length >= 2);
    assert.equal(new Set(received).size, 1);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("the webhook secret is shown once, to the owner who made it, and is kept nowhere in the browser", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/tasks?tab=webhooks");
  await page.getByRole("button", { name: "Make a secret" }).click();
  const dialog = page.getByRole("dialog", { name: "The new webhook secret" });
  const secret = String(await dialog.locator("code").textContent());
  assert.match(secret, /^whsec_/);
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await page.getByText(`${secret.slice(0, 10)}…${secret.slice(-4)}`).waitFor();
  assert.ok(!(await page.content()).includes(secret));
  const kept = (await page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])",
  )) as string;
  assert.ok(!kept.includes(secret));
  await page.getByRole("button", { name: "Replace the secret" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Replace the secret" }).click();
  await page
    .getByRole("dialog", { name: "The new webhook secret" })
    .getByRole("button", { name: "I have saved it" })
    .click();
  await page.getByText("The one before holds until").waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a file is uploaded by dropping it, its address copied, and deleted only after its name was asked for", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/files");
  await page.getByText("No files yet").waitFor();
  const bytes = await sharp({
    create: { width: 64, height: 48, channels: 3, background: "#aa3366" },
  })
    .png()
    .toBuffer();
  const dropped = await page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(new File([Uint8Array.from(atob("${bytes.toString("base64")}"), (c) => c.charCodeAt(0))], "дверь.png", { type: "image/png" })); return data; })()`,
  );
  await page.locator(".file-drop").dispatchEvent("drop", { dataTransfer: dropped });
  const row = page.getByRole("row", { name: /дверь\.png/ });
  await until("the thumbnail", () =>
    row.locator("img").evaluate((img: { naturalWidth: number }) => img.naturalWidth === 64),
  );
  const list = async (): Promise<PanelFileList> =>
    (await member.ask("GET", "files")).json<PanelFileList>();
  const [file] = (await list()).data;
  await row.getByRole("button", { name: "Copy: address of дверь.png" }).click();
  await until(
    "the address is copied",
    async () => (await page.evaluate("navigator.clipboard.readText()")) === file?.url,
  );
  await row.getByRole("button", { name: "Delete дверь.png" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Delete the file “дверь.png”?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await list()).data.length, 1);
  await row.getByRole("button", { name: "Delete дверь.png" }).click();
  await dialog.getByRole("button", { name: "Delete the file" }).click();
  await page.getByText("No files yet").waitFor();
  assert.equal((await list()).data.length, 0);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test(
  "no page has a fault that a checker of accessibility finds, or is wider than its screen, in either theme",
  { timeout: 240_000 },
  async () => {
    const member = await scene.newMember();
    const done = await order(member, "A gate.");
    const failed = await order(member, "[[sandbox: fail=blocked]] A gate.");
    await ended(member, done);
    await ended(member, failed);
    for (const view of [
      { language: "ru", theme: "light", width: 1280 },
      { language: "en", theme: "dark", width: 390 },
      { language: "en", theme: "dark", width: 1280 },
      { language: "ru", theme: "light", width: 390 },
    ] as const) {
      const tab = await scene.openTab(member, view);
      const name = `${view.language}-${view.theme}-${view.width}`;
      for (const [page, path] of [
        ["tasks", "/tasks"],
        ["webhooks", "/tasks?tab=webhooks"],
        ["task", `/tasks/${done}`],
        ["failed", `/tasks/${failed}`],
        ["files", "/files"],
        ["chat", "/playground"],
        ["form", `/playground?tab=tasks&model=kling-3.0/video&ordered=${done}`],
      ] as const) {
        await tab.open(path);
        if (page === "chat") {
          await tab.page.locator("textarea[placeholder]").fill("A gate?");
          await tab.page.keyboard.press("Enter");
          await tab.page.locator(".chat-receipt b").waitFor();
        }
        if (page === "form") {
          await tab.page.locator(".card-head button").nth(1).click();
          await tab.page.locator("summary").first().click();
          await tab.page.locator(".playground-price b").waitFor();
        }
        await tab.screenshot(`${name}-${page}`);
        assert.deepEqual(await pageFaults(tab.page), [], `${name} ${page}`);
      }
      assert.deepEqual(tab.complaints, []);
      await tab.close();
    }
  },
);
