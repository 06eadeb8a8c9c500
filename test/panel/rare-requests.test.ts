/**
 * Guarantee: a search that has not looked through everything says so and goes on where it stopped.
 * What has a number is found at once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorRequestList } from "../../src/contract/panel/operator-requests.ts";
import { formatRequestId, newUuid } from "../../src/kernel/ids.ts";
import { openOperatorScene } from "./operator-scene.ts";

test("what was not found so far may be further back, and is looked for there", async () => {
  await using scene = await openOperatorScene();
  const operator = await scene.newOperator("searching@example.test");
  const { page, open } = await scene.browsers.openTab(operator, { language: "en" });
  const cursor = formatRequestId(newUuid());
  const asked: (string | null)[] = [];
  await page.route("**/panel/api/operator/requests?*", async (route) => {
    const before = new URL(route.request().url()).searchParams.get("cursor");
    asked.push(before);
    const stretch: OperatorRequestList = { data: [], nextCursor: cursor };
    await (before === null ? route.fulfill({ json: stretch }) : route.continue());
  });
  await open("/operator/requests?upstream=rare");
  await page.getByText("Nothing so far: it may be further back").waitFor();
  assert.equal(await page.getByText("Nothing matches these filters").count(), 0);
  await page.getByRole("button", { name: "Look further back" }).click();
  await page.getByText("Nothing matches these filters").waitFor();
  assert.equal(await page.getByRole("button", { name: "Look further back" }).count(), 0);
  assert.deepEqual(asked, [null, cursor]);
});

test("the number that a customer reads out is enough, and the list says whose a request was", async () => {
  await using scene = await openOperatorScene();
  const operator = await scene.newOperator("answering@example.test");
  const { secret } = await scene.tollgate.makeCustomer();
  assert.equal(await scene.chat(secret), 200);
  const answer = await fetch(`${scene.url}/v1/tasks/flux-2`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "A gate." }),
  });
  const { data: task } = (await answer.json()) as { readonly data: { readonly taskId: string } };
  const { data } = (await operator.ask("GET", "operator/requests")).json<OperatorRequestList>();
  const { page, open } = await scene.browsers.openTab(operator, { language: "ru" });
  for (const number of [data[0]?.id ?? "", task.taskId]) {
    await open("/operator/requests");
    assert.equal(await page.getByRole("link", { name: "customer", exact: true }).count(), 1);
    await page.getByLabel("Номер запроса или задачи").fill(number);
    await page.waitForURL(`**/panel/operator/*/${number}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
});
