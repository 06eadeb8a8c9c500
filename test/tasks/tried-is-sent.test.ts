/**
 * Guarantee: what `tollgate catalogue try` shows of an order is what the provider really gets, for
 * a model of every table that needs no file.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TASK_TABLES } from "../../src/contract/tasks/task-tables.ts";
import { listMedia } from "../../src/contract/tasks/list-media.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "./tasks-scene.ts";

let scene: TasksScene;
let gateway: Gateway;
let customer: TaskCustomer;
before(async () => {
  scene = await openTasksScene();
  gateway = await scene.start();
  customer = await scene.customer();
});
after(() => scene[Symbol.asyncDispose]());

interface Tried {
  readonly routes: readonly {
    readonly request: { readonly body: { readonly model: string; readonly input: object } } | null;
  }[];
}

test("the model and the input of each", async () => {
  const { data } = JSON.parse((await customer.call("GET", "/v1/models?limit=1000")).text) as {
    data: { id: string; type: string; parameters: string }[];
  };
  const command = createTollgateCommand(gateway.env);
  let compared = 0;
  for (const { id, parameters } of data.filter(({ type }) => type === "task")) {
    const table = [...TASK_TABLES.values()].find((one) => one.id === parameters);
    assert.ok(table !== undefined);
    const { minimal } = table.examples;
    if (listMedia(table, minimal).length > 0) continue;
    const tag = `tried-${parameters}`;
    const body = { ...minimal, prompt: `${String(minimal["prompt"])} [[sandbox: tag=${tag}]]` };
    const tried = (await command.json("catalogue", "try", id, JSON.stringify(body))) as Tried;
    await customer.end(await customer.order(id, body));
    const { tasks } = await scene.provider(tag);
    const sent = tried.routes[0]?.request?.body;
    assert.deepEqual([tasks[0]?.["model"], tasks[0]?.["input"]], [sent?.model, sent?.input], id);
    compared += 1;
  }
  assert.ok(compared >= 5, `${compared} models`);
});
