/** Guarantee: each of the nineteen models, ordered with the least and with everything, ends in files that decode, and costs exactly its quote. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TASK_TABLES } from "../../src/contract/tasks/task-tables.ts";
import type { TaskTable } from "../../src/contract/tasks/task-table.ts";
import type { TaskView } from "../../src/gateway/tasks/task-view.ts";
import { formatRoubles, parseRoubles, type Nano } from "../../src/kernel/money.ts";
import { decodeResult, uploadMedia, withMedia, type OwnMedia } from "./task-media.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "./tasks-scene.ts";

let scene: TasksScene;
let customer: TaskCustomer;
let media: OwnMedia;
let models: ReadonlyMap<string, string>;
before(async () => {
  scene = await openTasksScene();
  await scene.start();
  customer = await scene.customer();
  media = await uploadMedia(customer);
  const listed = await fetch(`${scene.url}/v1/models`, { headers: { "x-api-key": customer.secret } });
  const { data } = (await listed.json()) as { data: { id: string; type: string; parameters?: string; endpoints: string[] }[] };
  models = new Map(data.filter(({ type }) => type === "task").map(({ id, parameters }) => [parameters ?? "", id]));
});
after(() => scene[Symbol.asyncDispose]());

let spentNano = 0n;

async function orderAndEnd(table: TaskTable, which: "minimal" | "full"): Promise<void> {
  const model = models.get(table.id);
  assert.ok(model !== undefined, `${table.id} is for sale`);
  const body = withMedia(table, table.examples[which], media);
  const quote = await customer.call<{ amount: string; admitted: boolean }>("POST", `/v1/quote/tasks/${model}`, body);
  assert.deepEqual([quote.status, quote.data?.admitted], [200, true], quote.text);
  // Slashes of an id may be encoded.
  const created = await customer.call<{ taskId: string }>(
    "POST",
    `/v1/tasks/${which === "full" ? encodeURIComponent(model) : model}`,
    body,
  );
  assert.equal(created.status, 200, created.text);
  assert.equal(created.headers.get("x-tollgate-cost"), quote.data.amount);
  const task = await customer.end(created.data.taskId);
  assert.equal(task.state, "completed", JSON.stringify(task));
  await checkFiles(table, task);
  assert.equal(task.cost.state, "charged");
  // Fewer pictures than were ordered cost less; the sandbox makes as many as it is asked for.
  assert.equal(task.cost.amount, quote.data.amount);
  spentNano += parseRoubles(quote.data.amount) ?? 0n;
}

async function checkFiles(table: TaskTable, task: TaskView): Promise<void> {
  const files = task.result?.files ?? [];
  assert.ok(files.length > 0);
  for (const [index, file] of files.entries()) {
    const response = await fetch(file.url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.deepEqual([response.status, bytes.length], [200, file.bytes]);
    assert.equal(response.headers.get("content-type"), file.contentType);
    const looks = await decodeResult(bytes);
    assert.deepEqual([looks.width, looks.height], [file.width, file.height]);
    // The last frame of a film may come besides.
    if (index === 0) assert.equal(looks.kind, table.makes);
    if (looks.seconds === null) assert.equal(file.durationSeconds, null);
    else assert.ok(Math.abs(looks.seconds - (file.durationSeconds ?? 0)) < 0.1 && looks.seconds > 0.5);
  }
}

// All at once, as customers do; a test for each, so that each is named when it fails.
test("all nineteen", { concurrency: 6 }, async (t) => {
  await Promise.all(
    [...TASK_TABLES.values()].flatMap((table) =>
      (["minimal", "full"] as const).map((which) => t.test(`${table.id} ${which}`, () => orderAndEnd(table, which))),
    ),
  );
});

test("what was charged is the sum of the quotes, nothing stays held, and the books agree", async () => {
  assert.deepEqual(await customer.money(), { charged: formatRoubles(spentNano as Nano), held: "0" });
  await scene.assertBooks();
});
