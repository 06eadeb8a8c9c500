/** Protects: operators read what is known and no more, in the language of the page: of upstreams, and of what was kept of an action. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OperatorTaskDetail } from "../../src/contract/panel/operator-tasks.ts";
import type { UpstreamsReport } from "../../src/contract/panel/operator-upstreams.ts";
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

test("upstreams of tasks are not said to work where nobody watches them, and a name that was filled in is still the catalogue's", async () => {
  const customer = await scene.tollgate.makeCustomer();
  const ordered = await fetch(`${scene.url}/v1/tasks/flux-2`, {
    method: "POST",
    headers: { "x-api-key": customer.secret, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "A gate by the road." }),
  });
  const { data } = (await ordered.json()) as { readonly data: { readonly taskId: string } };
  const { taskId } = data;
  await until("the task to be at its upstream", async () => {
    const { upstreamModel } = (await operator.ask("GET", `operator/tasks/${taskId}`)).json<OperatorTaskDetail>();
    return upstreamModel === "flux-2/pro-text-to-image";
  });
  await operator.ask("POST", `operator/tasks/${taskId}/fail`, { reason: "Forgotten" });
  const { upstreams, routes } = (await operator.ask("GET", "operator/upstreams")).json<UpstreamsReport>();
  const made = routes.find(({ upstreamModel }) => upstreamModel === "flux-2/pro-text-to-image");
  assert.deepEqual([made?.models, made?.figures.failed === 0], [["flux-2"], false]);
  assert.equal(upstreams.find(({ name }) => name === "sandbox-media")?.worst, null);
  const tab = await scene.browsers.openTab(operator, { language: "ru" });
  const { page } = tab;
  await tab.open("/operator/upstreams");
  const row = page.getByRole("row").filter({ hasText: "sandbox-media" }).first();
  await row.waitFor();
  assert.equal(await row.getByText("работает").count(), 0);
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
  for (const value of values) assert.ok(((await value.boundingBox())?.width ?? 0) > 60, "a value is no column of letters");
  await tab.screenshot("operator-audit-open");
  assert.deepEqual(tab.complaints, []);
  assert.deepEqual(await pageFaults(page), []);
  await tab.close();
});
