/**
 * Guarantee: each of the nineteen models, ordered with the least and with everything, ends in files
 * that decode, and costs exactly its quote.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TASK_TABLES } from "../../src/contract/tasks/task-tables.ts";
import type { TaskParameters, TaskTable } from "../../src/contract/tasks/task-table.ts";
import type { TaskView } from "../../src/serving/tasks/task-view.ts";
import { formatRoubles, parseRoubles, type Nano } from "../../src/kernel/money.ts";
import { decodeResult, type ResultLooks } from "./decode-result.ts";
import { uploadMedia, withMedia, type OwnMedia } from "./task-media.ts";
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
  const listed = await fetch(`${scene.url}/v1/models`, {
    headers: { "x-api-key": customer.secret },
  });
  const { data } = (await listed.json()) as {
    data: { id: string; type: string; parameters?: string; endpoints: string[] }[];
  };
  models = new Map(
    data.filter(({ type }) => type === "task").map(({ id, parameters }) => [parameters ?? "", id]),
  );
});
after(() => scene[Symbol.asyncDispose]());

let spentNano = 0n;

async function orderAndEnd(
  table: TaskTable,
  parameters: TaskParameters,
  asked: string,
  pathOf = (model: string) => model,
): Promise<void> {
  const model = models.get(table.id);
  assert.ok(model !== undefined, `${table.id} is for sale`);
  const body = withMedia(table, parameters, media);
  const quote = await customer.call<{ amount: string; admitted: boolean }>(
    "POST",
    `/v1/quote/tasks/${model}`,
    body,
  );
  assert.deepEqual([quote.status, quote.data?.admitted], [200, true], quote.text);
  const created = await customer.call<{ taskId: string }>(
    "POST",
    `/v1/tasks/${pathOf(model)}`,
    body,
  );
  assert.equal(created.status, 200, created.text);
  assert.equal(created.headers.get("x-tollgate-cost"), quote.data.amount);
  const task = await customer.end(created.data.taskId);
  assert.equal(task.state, "completed", JSON.stringify(task));
  assert.equal(await filesOf(table, task), asked);
  assert.equal(task.cost.state, "charged");
  // Fewer pictures than were ordered cost less; the sandbox makes as many as it is asked for.
  assert.equal(task.cost.amount, quote.data.amount);
  spentNano += parseRoubles(quote.data.amount) ?? 0n;
}

/**
 * What the examples ask for, the least and everything: where a model follows what it is given, that
 * is a picture of 4:3, a film of 3:2 and four seconds, and a sound of four seconds.
 */
const ASKED: Readonly<Record<TaskTable["id"], readonly [minimal: string, full: string]>> = {
  T1: ["1080x720 4 s with sound", "1080x720 4 s with sound"],
  T2: ["1280x720 5 s with sound", "480x854 8 s with sound"],
  T3: ["1280x720 5 s with sound", "1440x1080 12 s with sound, 1440x1080"],
  T4: ["1024x1024", "2048x1152, 2048x1152, 2048x1152"],
  T5: ["960x720 4 s with sound", "1440x1080 4 s with sound"],
  T6: ["2048x2048", "4096x1755"],
  T7: ["1920x1080 5 s", "2160x3840 8 s with sound"],
  T8: ["1024x768 6 s", "1024x768 10 s"],
  T9: ["1280x720 5 s", "2520x1080 12 s with sound"],
  T10: ["1024x1024", "2048x1536"],
  T11: ["1620x1080 5 s", "1080x720 10 s"],
  T12: ["1440x1080 5 s", "960x720 15 s"],
  T13: ["1440x1080 5 s", "1440x1080 10 s with sound"],
  T14: ["1024x768", "4096x2304"],
  T15: ["1280x720 4 s with sound", "1080x1920 10 s with sound"],
  T16: ["960x720 5 s", "1440x1080 12 s"],
  T17: ["960x720 4 s with sound", "1440x1080 4 s with sound"],
  T18: ["960x720 4 s with sound", "960x720 4 s with sound"],
  T19: ["576x1024", "4096x3072"],
};

/** What its files are, each decoded whole. */
async function filesOf(table: TaskTable, task: TaskView): Promise<string> {
  const seen: string[] = [];
  for (const file of task.result?.files ?? []) {
    const response = await fetch(file.url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.deepEqual([response.status, bytes.length], [200, file.bytes]);
    assert.equal(response.headers.get("content-type"), file.contentType);
    const looks = await decodeResult(bytes);
    assert.deepEqual([looks.width, looks.height], [file.width, file.height]);
    // The last frame of a film may come besides.
    if (seen.length === 0) assert.equal(looks.kind, table.makes);
    if (looks.kind === "image") assert.equal(file.durationSeconds, null);
    else assert.ok(Math.abs(looks.seconds - (file.durationSeconds ?? 0)) < 2 * looks.frameSeconds);
    seen.push(inWords(looks));
  }
  return seen.join(", ");
}

/**
 * Whole seconds are asked for: a film that is within two frames of them lasts them, and its sound
 * as long as its pictures.
 */
function inWords(looks: ResultLooks): string {
  const size = `${looks.width}x${looks.height}`;
  if (looks.kind === "image") return size;
  const { seconds, frameSeconds, soundSeconds } = looks;
  const whole =
    Math.abs(seconds - Math.round(seconds)) <= 2 * frameSeconds ? Math.round(seconds) : seconds;
  if (soundSeconds !== null)
    assert.ok(
      Math.abs(soundSeconds - seconds) <= 2 * frameSeconds,
      `${soundSeconds} s of sound in ${seconds} s`,
    );
  return `${size} ${whole} s${soundSeconds === null ? "" : " with sound"}`;
}

/** What no single model of the provider has a field for, and parts of seconds. */
const BESIDES: readonly (readonly [TaskTable["id"], TaskParameters, asked: string])[] = [
  ["T2", { duration: 1.5, resolution: "480p" }, "854x480 2 s with sound"],
  ["T7", { duration: "6", mode: "std", multiShots: true }, "1280x720 6 s with sound"],
  ["T9", { duration: 4.5, resolution: "480p", fixedLens: true }, "854x480 5 s"],
  [
    "T9",
    { duration: 15, resolution: "480p", fixedLens: true, generateAudio: true },
    "854x480 15 s with sound",
  ],
  [
    "T9",
    {
      duration: 5,
      resolution: "480p",
      fixedLens: true,
      referenceVideoUrls: ["https://files.example.com/a.mp4"],
    },
    "854x480 5 s",
  ],
];

// All at once, as customers do; a test for each, so that each is named when it fails.
test("all nineteen", { concurrency: 6 }, async (t) => {
  const examples = [...TASK_TABLES.values()].flatMap((table) => {
    const [minimal, full] = ASKED[table.id];
    return [
      t.test(`${table.id} minimal`, () => orderAndEnd(table, table.examples.minimal, minimal)),
      // Slashes of an id may be encoded.
      t.test(`${table.id} full`, () =>
        orderAndEnd(table, table.examples.full, full, encodeURIComponent),
      ),
    ];
  });
  const besides = BESIDES.map(([id, more, asked]) => {
    const table = TASK_TABLES.get(id);
    assert.ok(table !== undefined);
    return t.test(`${id} ${JSON.stringify(more)}`, () =>
      orderAndEnd(table, { ...table.examples.minimal, ...more }, asked),
    );
  });
  await Promise.all([...examples, ...besides]);
});

test("what was charged is the sum of the quotes, nothing stays held, and the books agree", async () => {
  assert.deepEqual(await customer.money(), {
    charged: formatRoubles(spentNano as Nano),
    held: "0",
  });
  await scene.assertBooks();
});
