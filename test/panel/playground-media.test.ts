/**
 * Guarantee: in a real gateway a member uploads, orders with it, follows the task to its files, and
 * is charged what was quoted.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sharp from "sharp";
import type { PanelFile, PanelFileList } from "../../src/contract/panel/panel-file.ts";
import type { PanelTask, PanelTaskList } from "../../src/contract/panel/panel-task.ts";
import type {
  PlaygroundTaskOrdered,
  PlaygroundTaskQuote,
} from "../../src/contract/panel/playground.ts";
import { readBalance } from "../../src/serving/money/read-balance.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { formatRoubles, parseRoubles } from "../../src/kernel/money.ts";
import { newKey } from "../support/new-customer.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { openTasksScene, type TasksScene } from "../tasks/tasks-scene.ts";

/** Of the shipped catalogue: makes an image of images. */
const MODEL = "gpt-image-2-image-to-image";

let scene: TasksScene;
let person: PanelPerson;
let chosen: Readonly<Record<string, string>>;
before(async () => {
  scene = await openTasksScene();
  const gateway = await scene.start();
  person = await signUpAtPanel({ url: scene.url, env: gateway.env });
  const amountNano = parseRoubles("1000");
  assert.ok(amountNano !== null);
  await topUp(scene.db, { accountId: person.accountId, amountNano, reference: null });
  const { key } = await newKey(scene.db, person.accountId);
  chosen = { "x-tollgate-key": key.hash };
});
after(() => scene[Symbol.asyncDispose]());

test("a picture is uploaded, edited by a task, followed to its result, listed and deleted", async () => {
  const picture = await sharp({
    create: { width: 640, height: 480, channels: 3, background: "#3a7" },
  })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(picture)]), "photo.png");
  const upload = await fetch(`${scene.url}/panel/api/playground/files`, {
    method: "POST",
    headers: { cookie: person.cookie ?? "", origin: scene.url },
    body: form,
  });
  const uploaded = (await upload.json()) as PanelFile;
  assert.deepEqual(
    [upload.status, uploaded.preview, uploaded.width, uploaded.height],
    [201, "image", 640, 480],
  );

  const body = { prompt: "Make it blue.", inputUrls: [uploaded.url] };
  const quote = await person.ask("POST", `playground/quote/tasks/${MODEL}`, body, chosen);
  assert.equal(quote.status, 200, quote.text);
  const { amount } = quote.json<PlaygroundTaskQuote>();
  const ordered = await person.ask("POST", `playground/tasks/${MODEL}`, body, chosen);
  assert.equal(ordered.status, 202, ordered.text);
  const { taskId, held } = ordered.json<PlaygroundTaskOrdered>();
  assert.equal(held, amount);

  // Ends by itself when the task has.
  const events = await person.ask("GET", `tasks/${taskId}/events`);
  assert.match(events.text, /^event: queued$[^]*^event: processing$[^]*^event: completed$/m);

  const task = (await person.ask("GET", `tasks/${taskId}`)).json<PanelTask>();
  assert.deepEqual(
    [task.state, task.money.charged, task.attempts.map(({ outcome }) => outcome)],
    ["completed", amount, ["taken"]],
  );
  const { chargedNano, heldNano } = await readBalance(scene.db, person.accountId);
  assert.deepEqual([formatRoubles(chargedNano), formatRoubles(heldNano)], [amount, "0"]);
  const [result] = task.files;
  assert.ok(result !== undefined);
  assert.equal((await fetch(result.url)).status, 200);
  assert.deepEqual(
    (await person.ask("GET", "tasks"))
      .json<PanelTaskList>()
      .data.map(({ files }) => files.map(({ preview }) => preview)),
    [["image"]],
  );

  const { data, storage } = (await person.ask("GET", "files")).json<PanelFileList>();
  assert.deepEqual(
    new Map(data.map(({ name, origin }) => [name, origin])),
    new Map([
      [result.name, "result"],
      [uploaded.name, "upload"],
    ]),
  );
  assert.equal(
    storage.usedBytes,
    data.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  assert.ok(storage.limitBytes > storage.usedBytes && storage.uploadLimitBytes > 0);
  assert.equal((await person.ask("DELETE", `files/${result.name}`)).status, 200);
  assert.equal((await fetch(result.url)).status, 410);
  await scene.assertBooks();
});
