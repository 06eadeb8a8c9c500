/**
 * Guarantee: what the playground does is a real request of the chosen key: priced before, charged
 * to the last digit, and never run as a script.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import type { PanelModelList } from "../../src/contract/panel/panel-model.ts";
import type { PanelReceipt } from "../../src/contract/panel/panel-request.ts";
import type { PanelTask, PanelTaskList } from "../../src/contract/panel/panel-task.ts";
import { formatMoney } from "../../panel/src/i18n/format-money.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { runInShell } from "../support/start-tollgate.ts";
import { until } from "../support/until.ts";
import { chooseModel } from "./choose-model.ts";
import {
  openPlaygroundScene,
  type PlaygroundMember,
  type PlaygroundScene,
} from "./playground-scene.ts";

const HOSTILE = `<img src=x onerror="window.ran=1"><script>window.ran=1</script> [tap](javascript:window.ran=1) **bold**`;

let scene: PlaygroundScene;
before(async () => {
  scene = await openPlaygroundScene();
});
after(() => scene[Symbol.asyncDispose]());

const english = { language: "en" } as const;
const nanoOf = (roubles: string): bigint => parseRoubles(roubles) ?? -1n;
const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 480, channels: 3, background: "#3366aa" } })
    .png()
    .toBuffer();

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** What stands beside the chat. */
async function openSide(page: Page, name: "Settings" | "Code"): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

/** The receipts of all answers on the page, once there are so many. */
async function receipts(
  page: Page,
  member: PlaygroundMember,
  count: number,
): Promise<readonly PanelReceipt[]> {
  const charges = page.locator(".chat-receipt", { hasText: "Charged:" });
  await until(`${count} receipts`, async () => (await charges.count()) === count);
  const ids = await page.locator(".chat-receipt code").allTextContents();
  const found = await Promise.all(
    ids.map(async (id) => (await member.ask("GET", `requests/${id}`)).json<PanelReceipt>()),
  );
  const reported = await charges.locator("b").allTextContents();
  assert.deepEqual(
    reported,
    found.map(({ charged }) => formatMoney(charged, "en")),
  );
  return found;
}

async function assertBalanceLess(
  member: PlaygroundMember,
  before: string,
  charged: readonly { readonly charged: string }[],
): Promise<void> {
  const now = await member.money();
  const sum = charged.reduce((total, one) => total + nanoOf(one.charged), 0n);
  assert.ok(sum > 0n);
  assert.equal(nanoOf(now.balance), nanoOf(before) - sum);
  assert.equal(nanoOf(now.held), 0n);
}

const answers = (page: Page): Locator => page.getByRole("article", { name: "Model", exact: true });

for (const [protocol, name] of [
  ["openai", "OpenAI Chat Completions"],
  ["anthropic", "Anthropic Messages"],
] as const) {
  test(`${name}: a chat of several turns streams, and costs exactly what the balance shows less`, async () => {
    const member = await scene.newMember();
    const tab = await scene.openTab(member, english);
    const { page } = tab;
    await tab.open(`/playground?protocol=${protocol}`);
    const { balance } = await member.money();
    await page.getByLabel("Message").fill("What is a toll?");
    await page.getByText("input tokens").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const [first] = await receipts(page, member, 1);
    assert.equal(first?.stream, true);
    assert.equal(first.key?.hash, member.keyHash);
    await say(page, "And a gate?");
    const charged = await receipts(page, member, 2);
    assert.match(String(await answers(page).nth(1).textContent()), /And a gate\?/);
    assert.ok(
      (charged[1]?.usage?.inputTokens ?? 0) > (first.usage?.inputTokens ?? 0),
      "the first turn was sent again",
    );
    await assertBalanceLess(member, balance, charged);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test(`${name}: a tool is called, its result typed in, and answered; thoughts and a picture are shown`, async () => {
    const member = await scene.newMember();
    const tab = await scene.openTab(member, english);
    const { page } = tab;
    await tab.open(`/playground?protocol=${protocol}`);
    const { balance } = await member.money();
    await openSide(page, "Settings");
    await page.getByLabel("Most tokens of the answer").fill("3000");
    await page.locator("summary", { hasText: "Thinking" }).click();
    if (protocol === "openai") await page.getByLabel("Thinking").selectOption("high");
    else await page.getByLabel("Tokens for thinking").fill("1024");
    await page
      .getByLabel("Attach an image")
      .setInputFiles({ name: "blue.png", mimeType: "image/png", buffer: await picture() });
    await say(page, "What do you see?");
    await receipts(page, member, 1);
    assert.match(String(await answers(page).first().textContent()), /image/i);
    await page.getByText("What the model thought").waitFor();
    assert.equal(
      await page
        .getByRole("img", { name: "blue.png" })
        .evaluate((img: { naturalWidth: number }) => img.naturalWidth),
      640,
    );

    await page.locator("summary", { hasText: "Tools" }).click();
    await page.getByRole("button", { name: "Put in an example" }).click();
    await say(page, "Use get_weather.");
    await page.getByLabel("Result of get_weather").fill('{"temperature": -7}');
    await page.getByRole("button", { name: "Send the results" }).click();
    await until("the answer to the result", async () =>
      /-7/.test(String(await answers(page).nth(2).textContent())),
    );
    await assertBalanceLess(member, balance, await receipts(page, member, 3));

    await page.getByRole("button", { name: "Request and response" }).last().click();
    const dialog = page.getByRole("dialog");
    assert.match(String(await dialog.textContent()), /get_weather/);
    assert.doesNotMatch(String(await dialog.textContent()), /[A-Za-z0-9+/]{400}/);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });
}

test("an answer is stopped and only what came is paid; a refusal says why and names its request", async () => {
  const member = await scene.newMember("0.05");
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground?model=sandbox-small");
  const { balance } = await member.money();
  await say(page, "[[sandbox: tokens=400 chunkDelay=100]]");
  await answers(page).locator(".markdown").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped by you").waitFor();
  await assertBalanceLess(member, balance, await receipts(page, member, 1));
  await chooseModel(page, "Model", "sandbox-large");
  await page.getByRole("button", { name: "New chat", exact: true }).click();
  await say(page, "Dear. ".repeat(400));
  await page.getByText("The balance cannot cover this request: it needs").first().waitFor();
  await page.locator(".chat-turn code", { hasText: /^req_/ }).waitFor();
  assert.deepEqual(tab.complaints, []);
  await tab.close();
  const russian = await scene.openTab(member, { language: "ru" });
  for (const protocol of ["openai", "anthropic"]) {
    await russian.open(`/playground?model=sandbox-large&protocol=${protocol}`);
    await russian.page.locator("form textarea").first().fill("Dear. ".repeat(400));
    await russian.page.getByRole("button", { name: "Отправить" }).click();
    const refusal = russian.page.locator(".chat-turn .banner-danger");
    await refusal.getByText("На балансе не хватает денег: нужно").waitFor();
    assert.doesNotMatch(
      await refusal.innerText(),
      /balance|RUB/,
      "nothing of it in the API's own language",
    );
  }
  await russian.close();
});

test(
  "each of the nineteen forms shows all its parameters, and its smallest example can be priced and ordered",
  { timeout: 300_000 },
  async () => {
    const member = await scene.newMember();
    const { data } = (await member.ask("GET", "models")).json<PanelModelList>();
    const models = data.flatMap(({ id, form }) => (form === null ? [] : [{ id, form }]));
    assert.equal(new Set(models.map(({ form }) => form.table)).size, 19);
    const tab = await scene.openTab(member, english);
    const { page } = tab;
    let orders = 0;
    for (const { id, form } of models) {
      await tab.open(`/playground?tab=tasks&model=${encodeURIComponent(id)}`);
      const shown = (
        await page.locator("form .field-label, form .checkbox label").allTextContents()
      ).map((label) => label.replace(/ \(optional\)$/, ""));
      for (const { title } of form.fields)
        assert.ok(
          shown.includes(title.en),
          `${form.table} shows '${title.en}'; it shows ${shown.join(", ")}`,
        );
      await page.getByRole("button", { name: "Fill in an example" }).click();
      await page.getByRole("button", { name: /^Order for/ }).click();
      await page.getByRole("heading", { name: "Your task" }).waitFor();
      orders++;
      const list = (await member.ask("GET", "tasks")).json<PanelTaskList>();
      assert.deepEqual([list.data.length, list.data[0]?.model], [orders, id]);
    }
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  },
);

test("a picture and a film are made in front of one's eyes, from a file that was uploaded there, for the price that was told", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  const { balance } = await member.money();
  await tab.open("/playground?tab=tasks&model=gpt-image-2-image-to-image");
  await page.getByRole("button", { name: "Order", exact: true }).click();
  await page.locator(".field-error").first().waitFor();
  await page.getByLabel("Prompt").fill("A endpoint.");
  await page
    .locator("form input[type=file]")
    .setInputFiles({ name: "blue.png", mimeType: "image/png", buffer: await picture() });
  await page.locator(".playground-media img").waitFor();
  await page.getByRole("button", { name: "Order for ₽4.00" }).click();
  const image = page.locator(".result img");
  await image.waitFor();
  await until("the picture", () =>
    image.evaluate((img: { naturalWidth: number }) => img.naturalWidth > 0),
  );

  await tab.open("/playground?tab=tasks&model=seedance-2");
  await page.getByLabel("Prompt").fill("A gate opens.");
  await page.getByLabel("Resolution").selectOption("480p");
  await page.getByLabel("Duration").first().fill("4");
  await page.getByRole("button", { name: "Order for ₽16.00" }).click();
  const film = page.locator(".result video");
  await film.waitFor();
  await until("the film", () =>
    film.evaluate(
      (video: { readyState: number; videoWidth: number }) =>
        video.readyState >= 1 && video.videoWidth > 0,
    ),
  );
  await until(
    "all is charged",
    async () => nanoOf((await member.money()).balance) === nanoOf(balance) - nanoOf("20"),
  );
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("what is wrong with an order is told at its field in the language of the page, with the figures", async () => {
  const member = await scene.newMember();
  const wishes = [
    {
      language: "ru",
      example: "Подставить пример",
      length: "Длительность",
      sharp: "Разрешение",
      most: "Не больше 15.",
      rule: "С разрешением 1080P длительность может быть только 6.",
    },
    {
      language: "en",
      example: "Fill in an example",
      length: "Duration",
      sharp: "Resolution",
      most: "'duration' must be at most 15.",
      rule: `'duration' must be "6" when resolution is "1080P".`,
    },
  ] as const;
  for (const { language, example, length, sharp: resolution, most, rule } of wishes) {
    const tab = await scene.openTab(member, { language });
    const { page } = tab;
    await tab.open("/playground?tab=tasks&model=seedance-2");
    await page.getByRole("button", { name: example, exact: true }).click();
    await page.getByLabel(length).first().fill("99");
    await page.locator(".field-error", { hasText: most }).waitFor();
    await tab.open("/playground?tab=tasks&model=hailuo%2F2-3-image-to-video");
    await page.getByRole("button", { name: example, exact: true }).click();
    await page.getByLabel(length).selectOption("10");
    await page.getByLabel(resolution).selectOption("1080P");
    await page.locator(".field-error", { hasText: rule }).waitFor();
    await tab.close();
  }
});

test("an empty form and a half-filled one ask for no price, and say what they lack without being refused by the API", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, { language: "en" });
  const { page } = tab;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") asked.push(new URL(request.url()).pathname);
  });
  await tab.open("/playground?tab=tasks&model=hailuo%2F2-3-image-to-video");
  await page.getByText("Fill in the required fields to see the price.").waitFor();
  await page.getByRole("button", { name: "Order", exact: true }).click();
  await page.locator(".field-error, .playground-group .field-error").first().waitFor();
  await page.getByLabel("Prompt").fill("A gate opens.");
  await until(
    "the prompt to be no mistake",
    async () => (await page.locator(".field-error").count()) === 1,
  );
  // The image is still missing, and a price would have been asked for by now.
  await page.getByLabel("Duration").selectOption("10");
  await page.waitForTimeout(1_000);
  assert.deepEqual(asked, []);
  await page.getByRole("button", { name: "Fill in an example", exact: true }).click();
  await page.getByRole("button", { name: /^Order for/ }).waitFor();
  assert.deepEqual(asked, ["/panel/api/playground/quote/tasks/hailuo/2-3-image-to-video"]);
  await tab.close();
});

test("script in messages, answers, prompts and names of files is text", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground");
  await say(page, `[[sandbox: text=${Buffer.from(HOSTILE).toString("base64")}]] ${HOSTILE}`);
  await receipts(page, member, 1);
  assert.equal(await answers(page).locator("strong").textContent(), "bold");
  const links = await answers(page)
    .locator("a")
    .evaluateAll((all: { href: string }[]) => all.map(({ href }) => href));
  assert.ok(
    links.every((href) => /^https?:/.test(href) || href === ""),
    links.join(", "),
  );

  await tab.open("/playground?tab=tasks&model=flux-2");
  await page.getByLabel("Prompt").fill(HOSTILE);
  const name = `<img src=x onerror=window.ran=1>.png`;
  await page
    .locator("form input[type=file]")
    .setInputFiles({ name, mimeType: "image/png", buffer: await picture() });
  await page.locator(".playground-media img").waitFor();
  await page.getByRole("button", { name: /^Order for/ }).click();
  await page.locator(".result img").waitFor();
  const [task] = (await member.ask("GET", "tasks")).json<PanelTaskList>().data;
  await tab.open(`/tasks/${task?.taskId}`);
  await page.getByText("window.ran").first().waitFor();
  assert.equal(
    (await member.ask("GET", `tasks/${task?.taskId}`)).json<PanelTask>().input["prompt"],
    HOSTILE,
  );
  await tab.open("/files");
  await page.getByText(name).waitFor();
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  assert.equal(await page.evaluate("window.ran"), undefined);
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});

test("a key that may call one model is offered that one only", async () => {
  const member = await scene.newMember();
  await member.ask("POST", "keys", { name: "Narrow", models: ["sandbox-small"] });
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  await tab.open("/playground");
  const narrow = await page
    .getByLabel("Key")
    .locator("option", { hasText: "Narrow" })
    .getAttribute("value");
  await page.getByLabel("Key").selectOption(narrow);
  await page.getByRole("combobox", { name: "Model", exact: true }).click();
  const offered = page.getByRole("option");
  await offered.filter({ hasText: "Sandbox Small" }).waitFor();
  assert.equal(await offered.count(), 1);
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.getByText("This key has nothing to call here").waitFor();
  assert.match(page.url(), new RegExp(`key=${String(narrow)}`));
  await tab.close();
});

const ROOT = join(import.meta.dirname, "../..");

async function codeIn(page: Page, language: string): Promise<string> {
  await page.getByRole("tab", { name: language, exact: true }).click();
  return String(await page.getByLabel(language, { exact: true }).locator("code").textContent());
}

async function runTypeScript(code: string, secret: string): Promise<string> {
  const args = ["--no-warnings", "--input-type=module-typescript", "-e", code];
  const env = { PATH: process.env["PATH"], TOLLGATE_KEY: secret };
  return (await promisify(execFile)(process.execPath, args, { env, cwd: ROOT })).stdout;
}

test("the code beside the form runs as it is shown, with the key from the environment", async () => {
  const member = await scene.newMember();
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  for (const protocol of ["openai", "anthropic"]) {
    await tab.open(`/playground?protocol=${protocol}`);
    await openSide(page, "Settings");
    await page.getByLabel("System prompt").fill("Be 'brief', \"please\" $HOME.");
    await page.getByLabel("Message").fill("Don't say `gate`.");
    await openSide(page, "Code");
    const env = { TOLLGATE_KEY: member.secret };
    assert.match(await runInShell(await codeIn(page, "curl"), env), /Don't/);
    assert.match(
      await runTypeScript(await codeIn(page, "TypeScript"), member.secret),
      /Don't say `gate`/,
    );
    assert.match(
      await codeIn(page, "Python"),
      /api_key=os\.environ\["TOLLGATE_KEY"\][^]+stream=True,/,
    );
  }
  await tab.open("/playground?tab=tasks&model=flux-2");
  await page.getByLabel("Prompt").fill("Don't 'open' $HOME.");
  assert.match(
    await runInShell(await codeIn(page, "curl"), { TOLLGATE_KEY: member.secret }),
    /"taskId"/,
  );
  assert.match(await runTypeScript(await codeIn(page, "TypeScript"), member.secret), /image\/png/);
  const { data } = (await member.ask("GET", "tasks")).json<PanelTaskList>();
  assert.equal(data.length, 2);
  const made = (await member.ask("GET", `tasks/${data[0]?.taskId}`)).json<PanelTask>();
  assert.equal(made.input["prompt"], "Don't 'open' $HOME.");
  await tab.close();
});

test("who comes from a model's page pays by a key that may call it, and by the same when choosing another model", async () => {
  const member = await scene.newMember();
  await member.ask("POST", "keys", { name: "chat only", models: ["sandbox-small"] });
  const tab = await scene.openTab(member, english);
  const { page } = tab;
  const payer = async (): Promise<string> => page.getByLabel("Key", { exact: true }).inputValue();
  await tab.open("/playground?tab=tasks&model=flux-2");
  await page.getByLabel("Prompt").waitFor();
  assert.equal(await payer(), member.keyHash);
  await page.getByLabel("Model", { exact: true }).selectOption("seedance-2");
  assert.equal(await payer(), member.keyHash);
  await tab.open("/playground?model=sandbox-small");
  await page.getByLabel("Message").waitFor();
  assert.notEqual(await payer(), member.keyHash, "the newest that may");
  await tab.close();
});
