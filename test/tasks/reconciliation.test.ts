/**
 * Guarantee: an account can add up its receipts: those of all pages, chat requests and tasks alike,
 * come to what `GET /v1/key` and the ledger say, to the last nano-rouble; and each of them is found
 * by its id.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMistakeFinder } from "../../src/contract/find-mistakes.ts";
import { Receipt, ReceiptList } from "../../src/contract/receipt.ts";
import type { ReceiptView } from "../../src/business/requests/receipt-view.ts";
import { formatRoubles, parseRoubles, type Nano } from "../../src/kernel/money.ts";
import { uploadMedia } from "./task-media.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "./tasks-scene.ts";

let scene: TasksScene;
let customer: TaskCustomer;
before(async () => {
  scene = await openTasksScene();
  await scene.start();
  customer = await scene.customer();
});
after(() => scene[Symbol.asyncDispose]());

async function get<T>(path: string): Promise<T> {
  const answer = await customer.call("GET", path);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as T;
}

async function chat(path: string, model: string, more: object = {}): Promise<void> {
  const messages = [{ role: "user", content: "Say something about the sea." }];
  const answer = await customer.call("POST", path, { model, max_tokens: 50, messages, ...more });
  assert.equal(answer.status, 200, answer.text);
}

interface Listed {
  readonly data: readonly ReceiptView[];
  readonly nextCursor: string | null;
}

/** Page by page, to the end. */
async function all(filter = "", limit = 3): Promise<ReceiptView[]> {
  const found: ReceiptView[] = [];
  let cursor: string | null = null;
  do {
    const page: Listed = await get<Listed>(
      `/v1/requests?limit=${limit}${filter}${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    assert.deepEqual(createMistakeFinder(ReceiptList)(page), []);
    assert.ok(
      page.data.length <= limit && (page.nextCursor === null || page.data.length === limit),
    );
    found.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

function sum(receipts: readonly ReceiptView[]): string {
  return formatRoubles(
    receipts.reduce((total, { charged }) => total + (parseRoubles(charged) ?? 0n), 0n) as Nano,
  );
}

test("the charges of all pages are the key's spend and the ledger's charge", async () => {
  const { image } = await uploadMedia(customer);
  const other = await scene.customer();
  await other.end(await other.order("nano-banana-2", { prompt: "A stranger's." }));
  const completed: string[] = [];
  // Interleaved, so that pages hold both kinds.
  await chat("/v1/chat/completions", "sandbox-large");
  completed.push(await customer.order("nano-banana-2", { prompt: "A boat." }));
  await chat("/v1/messages", "sandbox-medium");
  const fewer = { prompt: "Three. [[sandbox: outputs=2]]", imageUrls: [image], maxImages: 3 };
  completed.push(await customer.order("bytedance/seedream-v4-edit", fewer));
  await chat("/v1/chat/completions", "sandbox-small", { stream: true });
  const failed = await customer.order("nano-banana-2", {
    prompt: "No. [[sandbox: fail=moderation]]",
  });
  await chat("/v1/messages", "sandbox-large", { stream: true });
  await chat("/v1/chat/completions", "sandbox-medium");
  for (const taskId of completed) assert.equal((await customer.end(taskId)).state, "completed");
  assert.equal((await customer.end(failed)).state, "failed");
  const running = await customer.order("nano-banana-2", { prompt: "[[sandbox: stuck]]" });

  const receipts = await all();
  assert.equal(receipts.length, 9);
  assert.deepEqual(
    receipts
      .map(({ id }) => id.replace("req_", "").replaceAll("-", ""))
      .toSorted()
      .toReversed(),
    receipts.map(({ id }) => id.replace("req_", "").replaceAll("-", "")),
  );
  const charged = sum(receipts);
  assert.notEqual(sum(await all("&kind=task")), "0");
  assert.equal(charged, (await get<{ spent: string }>("/v1/key")).spent);
  assert.equal(charged, (await customer.money()).charged);
  const [chats, tasks] = [await all("&kind=chat"), await all("&kind=task", 2)];
  assert.deepEqual([chats.length, tasks.length], [5, 4]);
  assert.equal(
    parseRoubles(sum(chats)) ?? 0n,
    (parseRoubles(charged) ?? 0n) - (parseRoubles(sum(tasks)) ?? 0n),
  );
  assert.deepEqual(
    (await all("&state=failed")).map(({ id, kind, charged: amount }) => [id, kind, amount]),
    [[failed, "task", "0"]],
  );
  assert.deepEqual(
    (await all("&model=bytedance/seedream-v4-edit")).map(({ id, charged: amount }) => [id, amount]),
    [[completed[1], "7"]],
  );
  assert.ok(
    tasks.some(
      ({ id, charged: amount, completedAt }) =>
        id === running && amount === "0" && completedAt === null,
    ),
  );
  assert.deepEqual(await all(`&to=2020-01-01`), []);
});

test("each receipt is found by its id, and no other account's", async () => {
  const receipts = await all();
  const other = await scene.customer();
  for (const { id } of receipts) {
    const one = await get<ReceiptView>(`/v1/requests/${id}`);
    assert.deepEqual(createMistakeFinder(Receipt)(one), []);
    if (one.completedAt !== null)
      assert.deepEqual(
        one,
        receipts.find((receipt) => receipt.id === id),
      );
    assert.equal((await other.call("GET", `/v1/requests/${id}`)).status, 404);
    if (one.kind === "chat") continue;
    const task = await customer.read(id);
    assert.equal(one.state, task.state);
    assert.deepEqual(one.error, task.error);
    assert.equal(one.charged, task.cost.state === "charged" ? task.cost.amount : "0");
    assert.equal(one.keyMask?.startsWith("tg_live_"), true);
  }
});
