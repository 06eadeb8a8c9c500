/**
 * Guarantee: operators see that an upstream of tasks is down, whichever process calls it; its tasks
 * wait with their money held, are made when it works again, and are charged once. So do those whose
 * upstream an operator took out.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { createLiveCatalogue, type LiveCatalogue } from "../../src/catalogue/live-catalogue.ts";
import { newestVersion } from "../../src/catalogue/store.ts";
import { readOperatorOverview } from "../../src/business/operate/read-operator-overview.ts";
import { readUpstreams } from "../../src/business/operate/read-upstreams.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";
import { openTasksScene, type TasksScene } from "./tasks-scene.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const ROUTE = "sandbox-media/nano-banana-2";

let scene: TasksScene;
let gateway: Gateway;
let catalogue: LiveCatalogue;
let port: number;
let provider: Sandbox | null = null;
before(async () => {
  port = await freePort();
  scene = await openTasksScene({
    catalogue: (text) =>
      text.replace(/(sandbox-media:\n.*\n\s+baseUrl: )\$\{SANDBOX_URL\}/, "$1${PROVIDER_URL}"),
    env: { PROVIDER_URL: `http://127.0.0.1:${port}` },
  });
  gateway = await scene.start();
  const { db } = scene;
  catalogue = await createLiveCatalogue({
    load: (above) => newestVersion(db, above),
    env: gateway.env,
    onRejected: () => undefined,
    onChanged: () => undefined,
    onError: () => undefined,
  });
});
after(async () => {
  catalogue.close();
  await scene[Symbol.asyncDispose]();
  await provider?.close();
});

/** Nothing listens there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: found } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return found;
}

async function metric(): Promise<string | undefined> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return /^tollgate_route_circuit\{route="sandbox-media\/nano-banana-2"\} (\d)$/m.exec(text)?.[1];
}

const report = () =>
  readUpstreams({ db: scene.db, clock: systemClock, env: {}, catalogue }, 15 * 60_000);

test("the circuit of a task's upstream is shown where those of chats are; the task waits, is made once, and is charged once", async () => {
  const customer = await scene.customer();
  const taskId = await customer.order("nano-banana-2", { prompt: "A boat." });
  const opened = await gateway.logged(
    (line) => line["upstream"] === "sandbox-media" && line["failures"] === 3,
  );
  assert.deepEqual([opened["level"], opened["model"]], ["warn", "nano-banana-2"]);
  await until("the metric", async () => (await metric()) === "2");
  const { routes, upstreams } = await until("the stored circuit", async () => {
    const found = await report();
    return found.routes.some(({ breakers }) => breakers.some(({ state }) => state === "open"))
      ? found
      : null;
  });
  const route = routes.find(({ upstreamModel }) => upstreamModel === "nano-banana-2");
  assert.deepEqual(
    route?.breakers.map(({ state }) => state),
    ["open"],
  );
  assert.equal(upstreams.find(({ name }) => name === "sandbox-media")?.worst, "open");
  assert.ok(
    (await readOperatorOverview({ db: scene.db, catalogue })).upstreams.open.includes(ROUTE),
  );

  assert.equal((await customer.read(taskId)).state, "queued");
  const { held, charged } = await customer.money();
  assert.equal(charged, "0");
  assert.notEqual(held, "0");
  provider = await createSandbox({ port, host: "127.0.0.1", media: { queueMs: 50, runMs: 100 } });
  const view = await customer.end(taskId);
  assert.equal(view.state, "completed");
  assert.deepEqual(await customer.money(), { charged: held, held: "0" });
  assert.equal(await metric(), "0");
  await gateway.logged((line) => line.msg === "a route works again");
  await scene.assertBooks();
});

test("a task whose route an operator took out waits with its money held, is submitted no sooner than its time is over, and is charged once", async () => {
  const customer = await scene.customer();
  const [row] = await scene.db.query<{ until: Date }>(
    `INSERT INTO operate.routes_out (upstream, upstream_model, until, taken_by)
     VALUES ('sandbox-media', '', clock_timestamp() + interval '5 seconds', 'a test') RETURNING until`,
  );
  await gateway.logged(({ msg }) => String(msg).startsWith("operators took routes out"));
  const taskId = await customer.order("nano-banana-2", { prompt: "A boat." });
  assert.equal((await customer.read(taskId)).state, "queued");
  const { held, charged } = await customer.money();
  assert.deepEqual([charged, held === "0"], ["0", false]);
  assert.equal((await customer.end(taskId)).state, "completed");
  const [task] = await scene.db.query<{ later: boolean }>(
    "SELECT started_at >= $2 AS later FROM tasks.tasks WHERE task_id = $1",
    [taskId.replace(/^task_/, ""), row?.until],
  );
  assert.equal(task?.later, true);
  assert.deepEqual(await customer.money(), { charged: held, held: "0" });
  await scene.assertBooks();
});

test("a process that only works tells of its circuits too: of those of tasks, and of chat, which lines of batches ask", async () => {
  const child = spawn(process.execPath, [CLI, "serve", "--roles", "worker"], {
    env: tollgateEnvironment(gateway.env),
    stdio: "ignore",
  });
  try {
    const found = await until(
      "what the worker tells",
      async () => {
        const { routes } = await report();
        const its = routes.filter(({ breakers }) =>
          breakers.some(({ process: label }) => label.endsWith(`:${child.pid}`)),
        );
        return its.length > 0 ? its : null;
      },
      60_000,
    );
    assert.ok(found.length > 10);
    assert.deepEqual(new Set(found.map(({ kind }) => kind)), new Set(["task", "chat"]));
  } finally {
    child.kill();
    await once(child, "close");
  }
  const { routes } = await report();
  assert.ok(
    routes.every(({ breakers }) => breakers.length <= 1),
    "it is forgotten when it ends",
  );
});
