/** Guarantee: a search that has not looked through everything says so and goes on where it stopped; nobody takes its first answer for the whole. */
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
