/**
 * Protects: operators read what is known and no more, in the language of the page: of upstreams,
 * and of what was kept of an action.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { CatalogueSource } from "../../src/contract/panel/operator-catalogue.ts";
import type { OperatorTaskDetail } from "../../src/contract/panel/operator-tasks.ts";
import type { UpstreamsReport } from "../../src/contract/panel/operator-upstreams.ts";
import { currentUserName } from "#embedded-postgres/server-user.ts";
import { pageFaults } from "../support/page-faults.ts";
import type { PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { openOperatorScene, type OperatorScene } from "./operator-scene.ts";

let scene: OperatorScene;
let operator: PanelPerson;
before(async () => {
  scene = await openOperatorScene();
  operator = await scene.newOperator("second@example.test");
});
after(() => scene[Symbol.asyncDispose]());

test("upstreams of tasks are shown as their circuits are, and a name that was filled in is still the catalogue's", async () => {
  const customer = await scene.tollgate.makeCustomer();
  const ordered = await fetch(`${scene.url}/v1/tasks/flux-2`, {
    method: "POST",
    headers: { "x-api-key": customer.secret, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "A gate by the road." }),
  });
  const { data } = (await ordered.json()) as { readonly data: { readonly taskId: string } };
  const { taskId } = data;
  await until("the task to be at its upstream", async () => {
    const { upstreamModel } = (
      await operator.ask("GET", `operator/tasks/${taskId}`)
    ).json<OperatorTaskDetail>();
    return upstreamModel === "flux-2/pro-text-to-image";
  });
  await operator.ask("POST", `operator/tasks/${taskId}/fail`, { reason: "Forgotten" });
  // Each process tells of its circuits every few seconds.
  const { routes } = await until("the circuit of its upstream to be told", async () => {
    const report = (await operator.ask("GET", "operator/upstreams")).json<UpstreamsReport>();
    const { worst } = report.upstreams.find(({ name }) => name === "sandbox-media") ?? {};
    return worst === "closed" && report;
  });
  const made = routes.find(({ upstreamModel }) => upstreamModel === "flux-2/pro-text-to-image");
  assert.deepEqual([made?.models, made?.figures.failed === 0], [["flux-2"], false]);
  const tab = await scene.browsers.openTab(operator, { language: "ru" });
  const { page } = tab;
  await tab.open("/operator/upstreams");
  const row = page.getByRole("row").filter({ hasText: "sandbox-media" }).first();
  await row.getByText("работает").waitFor();
  assert.equal(await page.getByText("больше не в каталоге").count(), 0);

  // What was kept of an action is told field by field in the page's language.
  await tab.open("/operator/audit");
  const ended = page.getByRole("row").filter({ hasText: taskId });
  await ended.locator("summary", { hasText: "Стало" }).click();
  await ended.getByText("Состояние", { exact: true }).last().waitFor();
  assert.doesNotMatch(String(await ended.textContent()), /[{}"]/);
  await page.getByText("версия 1", { exact: true }).waitFor();
  // Long ones scroll in their own place, by keyboard too.
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  const values = await page.locator(".operator-told dd").all();
  for (const value of values)
    assert.ok(((await value.boundingBox())?.width ?? 0) > 60, "a value is no column of letters");
  await tab.screenshot("operator-audit-open");
  assert.deepEqual(tab.complaints, []);
  assert.deepEqual(await pageFaults(page), []);
  await tab.close();
});

test("what is wrong with a catalogue, and who put a version in force, a Russian page says in Russian", async () => {
  const { source } = (await operator.ask("GET", "operator/catalogue")).json<CatalogueSource>();
  const tab = await scene.browsers.openTab(operator, { language: "ru" });
  const { page } = tab;
  await tab.open("/operator/catalogue?tab=edit&as=yaml");
  const wrong = source
    .replace("maxOutputTokens: 16000", "maxOutputTokens: 16k")
    .replace('input: "150"', 'inputs: "150"')
    .replace("upstream: sandbox-media", "upstream: sandbox-medi");
  await page.getByLabel("Текст каталога").fill(wrong);
  await page.getByRole("button", { name: "Проверить", exact: true }).click();
  const reported = page.locator(".operator-catalogue-mistakes li");
  await reported
    .filter({ hasText: "maxOutputTokens нужно целое число от 1 до 100 000 000, а не «16k»" })
    .waitFor();
  await reported
    .filter({ hasText: "поставщика «sandbox-medi» нет; возможно, «sandbox-media»" })
    .waitFor();
  await reported.filter({ hasText: "ключ «inputs» неизвестен; возможно, «input»" }).waitFor();
  for (const sentence of await reported.allInnerTexts())
    assert.doesNotMatch(sentence, /expected|unknown|required|known:/, sentence);
  await tab.screenshot("operator-catalogue-mistakes-ru");
  assert.deepEqual(await pageFaults(page), []);

  await tab.open("/operator/catalogue?tab=history&version=1");
  const starts = page.getByText("сервер при запуске", { exact: true });
  await starts.nth(1).waitFor();
  assert.deepEqual(
    [await starts.count(), await starts.first().getAttribute("title")],
    [2, "start"],
    "in the list and in the version",
  );

  const folder = await mkdtemp(join(tmpdir(), "operator-words-"));
  await writeFile(join(folder, "catalogue.yaml"), `${source}# by a command\n`);
  await scene.tollgate.json("catalogue", "apply", join(folder, "catalogue.yaml"));
  await rm(folder, { recursive: true });
  await tab.open("/operator/catalogue?tab=history&version=2");
  const commands = page.getByText(`командой на сервере, пользователь ${currentUserName()}`, {
    exact: true,
  });
  await commands.nth(1).waitFor();
  assert.equal(await commands.first().getAttribute("title"), currentUserName());
  await tab.screenshot("operator-catalogue-history-ru");
  assert.deepEqual(tab.complaints, []);
  await tab.close();
});
