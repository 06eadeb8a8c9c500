/** What happens to a task as server-sent events, with the engine played: in order, once, to its end, and on from the last that was heard. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openHttpDoor, type DoorAnswer, type HttpDoor } from "../../../test/support/http-door.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { playEnd, playProgress, playStart } from "../../../test/support/play-task.ts";

let door: HttpDoor;
let secret: string;
before(async () => {
  door = await openHttpDoor();
  ({ secret } = await newKey(door.db, await newAccount(door.db, "100000")));
});
after(() => door.close());

const key = (): Record<string, string> => ({ "x-api-key": secret });

async function order(): Promise<string> {
  const answer = await door.post("/v1/tasks/seedance-2", { prompt: "A lighthouse in a storm.", duration: 5 }, key());
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ data: { taskId: string } }>().data.taskId;
}

interface Heard {
  readonly id: string | null;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

function parse(text: string): Heard[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("event: "))
    .map((block) => {
      const field = (name: string): string | null => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null;
      return { id: field("id"), event: field("event") ?? "", data: JSON.parse(field("data") ?? "null") as Record<string, unknown> };
    });
}

test("events come in order while they happen, end with the task, and go on after the last that was heard", async () => {
  const taskId = await order();
  const path = `/v1/tasks/${taskId}/events`;
  const stream = door.get(path, key());
  await sleep(50);
  await playStart(door.db, taskId);
  await sleep(50);
  await playProgress(door.db, taskId, 0.5);
  await sleep(100);
  await playEnd(door.db, taskId);
  const answer = await stream;
  assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/);
  const heard = parse(answer.text);
  assert.deepEqual(
    heard.map(({ event }) => event),
    ["queued", "processing", "progress", "completed"],
  );
  assert.deepEqual([heard[2]?.id, heard[2]?.data["progress"]], [null, 0.5]);
  assert.deepEqual(heard[3]?.data, (await door.get(`/v1/tasks/${taskId}`, key())).json<{ data: object }>().data);
  const rest = parse((await door.get(path, { ...key(), "last-event-id": heard[1]?.id ?? "" })).text);
  assert.deepEqual(
    rest.map(({ event }) => event),
    ["completed"],
  );
  const over = await door.get(path, { ...key(), "last-event-id": heard[3]?.id ?? "" });
  assert.deepEqual([over.status, over.text], [204, ""]);
  const head = await fetch(`${door.url}${path}`, { method: "HEAD", headers: key() });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

test("an id that is none of a task's own begins at the beginning, so that no reader waits for an end that has passed", async () => {
  const other = await order();
  const taskId = await order();
  const path = `/v1/tasks/${taskId}/events`;
  const ofOther = parse((await endedStream(other)).text)[0]?.id ?? assert.fail();
  const ahead = "999999999999999999";
  const streams = Promise.all([ofOther, ahead, "0"].map((id) => door.get(path, { ...key(), "last-event-id": id })));
  await sleep(100);
  await playStart(door.db, taskId);
  await playEnd(door.db, taskId);
  for (const { status, text } of [...(await streams), await door.get(path, { ...key(), "last-event-id": ahead })]) {
    assert.equal(status, 200);
    assert.deepEqual(
      parse(text).flatMap(({ id, event }) => (id === null ? [] : [event])),
      ["queued", "processing", "completed"],
    );
  }
});

async function endedStream(taskId: string): Promise<DoorAnswer> {
  const stream = door.get(`/v1/tasks/${taskId}/events`, key());
  await playStart(door.db, taskId);
  await playEnd(door.db, taskId);
  return stream;
}
