/**
 * What happens to a task as server-sent events, with the engine played: in order, once, to its end,
 * and on from the last that was heard.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { playEnd, playProgress, playStart } from "../../../test/support/play-task.ts";

let endpoint: HttpEndpoint;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  ({ secret } = await newKey(endpoint.db, await newAccount(endpoint.db, "100000")));
});
after(() => endpoint.close());

const key = (): Record<string, string> => ({ "x-api-key": secret });

async function order(): Promise<string> {
  const answer = await endpoint.post(
    "/v1/tasks/seedance-2",
    { prompt: "A lighthouse in a storm.", duration: 5 },
    key(),
  );
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
      const field = (name: string): string | null =>
        new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null;
      return {
        id: field("id"),
        event: field("event") ?? "",
        data: JSON.parse(field("data") ?? "null") as Record<string, unknown>,
      };
    });
}

test("events come in order while they happen, end with the task, and go on after the last that was heard", async () => {
  const taskId = await order();
  const path = `/v1/tasks/${taskId}/events`;
  const stream = endpoint.get(path, key());
  await sleep(50);
  await playStart(endpoint.db, taskId);
  await sleep(50);
  await playProgress(endpoint.db, taskId, 0.5);
  await sleep(100);
  await playEnd(endpoint.db, taskId);
  const answer = await stream;
  assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/);
  const heard = parse(answer.text);
  assert.deepEqual(
    heard.map(({ event }) => event),
    ["queued", "processing", "progress", "completed"],
  );
  assert.deepEqual([heard[2]?.id, heard[2]?.data["progress"]], [null, 0.5]);
  assert.deepEqual(
    heard[3]?.data,
    (await endpoint.get(`/v1/tasks/${taskId}`, key())).json<{ data: object }>().data,
  );
  const rest = parse(
    (await endpoint.get(path, { ...key(), "last-event-id": heard[1]?.id ?? "" })).text,
  );
  assert.deepEqual(
    rest.map(({ event }) => event),
    ["completed"],
  );
  const over = await endpoint.get(path, { ...key(), "last-event-id": heard[3]?.id ?? "" });
  assert.deepEqual([over.status, over.text], [204, ""]);
  const head = await fetch(`${endpoint.url}${path}`, { method: "HEAD", headers: key() });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

test("an id that is none of a task's own begins at the beginning, so that no reader waits for an end that has passed", async () => {
  const taskId = await order();
  const path = `/v1/tasks/${taskId}/events`;
  const ahead = "999999999999999999";
  const streams = Promise.all(
    [ahead, "0"].map((id) => endpoint.get(path, { ...key(), "last-event-id": id })),
  );
  await sleep(100);
  await playStart(endpoint.db, taskId);
  await playEnd(endpoint.db, taskId);
  for (const { status, text } of [
    ...(await streams),
    await endpoint.get(path, { ...key(), "last-event-id": ahead }),
  ]) {
    assert.equal(status, 200);
    assert.deepEqual(
      parse(text).flatMap(({ id, event }) => (id === null ? [] : [event])),
      ["queued", "processing", "completed"],
    );
  }
});
