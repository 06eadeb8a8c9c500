/** Protects: a stream of a task's images says something all the time, and ends by its images or by an error. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { mock, test } from "node:test";
import { Fault } from "../kernel/faults.ts";
import { KEEP_ALIVE_MS } from "../kernel/limits.ts";
import type { TaskView } from "../serving/tasks/task-view.ts";
import { imageEvents } from "./stream-images.ts";

const BYTES = Buffer.from("the bytes of an image, as long as anybody likes".repeat(50));
const FILE = {
  url: "http://gateway.test/static/a.png",
  contentType: "image/png",
  bytes: BYTES.length,
  width: 64,
  height: 48,
};
const TASK = {
  createdAt: "2026-11-27T00:00:00.000Z",
  completedAt: "2026-11-27T00:00:10.000Z",
  result: { files: [FILE, FILE] },
} as unknown as TaskView;

async function opened(
  wait: () => Promise<TaskView>,
  readFile = async (): Promise<Readable | null> =>
    Readable.from([BYTES.subarray(0, 7), BYTES.subarray(7)]),
): Promise<Readable> {
  const content = imageEvents(
    { readFile },
    { endpoint: "images.edits", wait, inWords: (fault) => fault },
  );
  assert.ok("open" in content);
  return content.open();
}

test("a comment at once and at every silence, then each image as an event of its own", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const made = Promise.withResolvers<TaskView>();
  const stream = await opened(() => made.promise);
  const parts: string[] = [];
  stream.on("data", (part: Buffer) => parts.push(part.toString()));
  const ended = once(stream, "end");
  for (let silences = 0; silences < 3; silences++) {
    const before = parts.length;
    for (let turns = 0; parts.length === before; turns++) {
      assert.ok(turns < 1000, "it says nothing");
      await new Promise((resolve) => void setImmediate(resolve));
      mock.timers.tick(KEEP_ALIVE_MS);
    }
  }
  mock.timers.reset();
  assert.ok(parts.length >= 3);
  assert.ok(parts.every((part) => part === ": keep-alive\n\n"));
  made.resolve(TASK);
  await ended;
  const events = parts
    .join("")
    .split("\n\n")
    .filter((event) => event !== "" && !event.startsWith(":"))
    .map((event) => {
      const [name = "", data = ""] = event.split("\n");
      return { name, data: JSON.parse(data.slice("data: ".length)) as Record<string, unknown> };
    });
  assert.equal(events.length, 2);
  for (const { name, data } of events) {
    assert.equal(name, "event: image_edit.completed");
    assert.equal(data["type"], "image_edit.completed");
    assert.equal(data["b64_json"], BYTES.toString("base64"));
    assert.deepEqual([data["size"], data["output_format"]], ["64x48", "png"]);
    assert.equal(data["created_at"], Date.parse("2026-11-27T00:00:10.000Z") / 1000);
  }
});

test("a failure is an error event, and the stream ends in order", async () => {
  const failed = await opened(() =>
    Promise.reject(new Fault("upstream_timeout", { message: "Task 7 goes on." })),
  );
  const [comment, error] = (await text(failed)).split("\n\n");
  assert.equal(comment, ": keep-alive");
  const { message, code } = (
    JSON.parse(String(error).replace(/^[^{]*/, "")) as { error: { message: string; code: string } }
  ).error;
  assert.deepEqual([message, code], ["Task 7 goes on.", "upstream_timeout"]);
});

test("images that are gone break the stream, so that nobody takes it for whole", async () => {
  const gone = await opened(
    async () => TASK,
    async () => null,
  );
  await assert.rejects(text(gone));
});
