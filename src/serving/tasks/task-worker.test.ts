/**
 * A worker may be killed at any point: one submission at most, one end, one charge or release, and
 * books that agree (contract §7).
 */
// Runs beside the others: it waits for leases of killed workers.
import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, afterEach, before, test } from "node:test";
import type { EngineProcessOptions, Point } from "../../../test/support/engine-process.ts";
import { openEngineScene, type EngineScene } from "../../../test/support/engine-scene.ts";
import { picture, STATIC_URL } from "../../../test/support/file-scene.ts";
import { until } from "../../../test/support/until.ts";
import type { Uuid } from "../../kernel/ids.ts";

const PROGRAM = join(import.meta.dirname, "../../../test/support/engine-process.ts");

let scene: EngineScene;
let server: Server;
let origin: string;
/** What the provider was given, by attempt. */
const submitted: string[] = [];
let copies = 0;
/** Its result files come half, and no more of them. */
let stalls = false;

before(async () => {
  scene = await openEngineScene();
  const result = await picture(64, true);
  server = createServer((request, response) => {
    const path = request.url ?? "";
    const [, verb, id = ""] = path.split("/");
    const json = (value: object): void => void response.writeHead(200).end(JSON.stringify(value));
    const handle = (attemptId: string) => ({
      upstreamTaskId: attemptId,
      model: "m",
      submittedAt: new Date().toISOString(),
      urls: {},
    });
    if (verb === "submit") {
      void buffer(request).then((body) => {
        const { attemptId } = JSON.parse(body.toString()) as { attemptId: string };
        submitted.push(attemptId);
        json({ kind: "accepted", handle: handle(attemptId) });
      });
    } else if (verb === "poll")
      json({ kind: "succeeded", urls: [`${origin}/result.png`], authorize: false, cost: null });
    else if (verb === "attempts")
      json(submitted.includes(id) ? { kind: "found", handle: handle(id) } : { kind: "absent" });
    else {
      copies += 1;
      response.writeHead(200, { "content-length": result.length });
      if (stalls) response.write(result.subarray(0, result.length / 2));
      else response.end(result);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await scene[Symbol.asyncDispose]();
});

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

interface Worker {
  /** Waits until it is there, having let it pass everything before. It stands still then. */
  reaches(point: Point): Promise<void>;
  /** Lets it pass everything from now on. */
  release(): void;
  /** It stands still with all that it has begun, timers and all. */
  freeze(): void;
  resume(): void;
  kill(): Promise<void>;
}

function startWorker(change: Partial<EngineProcessOptions> = {}): Worker {
  const options: EngineProcessOptions = {
    databaseUrl: scene.files.databaseUrl,
    storageUrl: scene.files.storageUrl,
    staticUrl: STATIC_URL,
    provider: origin,
    leaseMs: 1_500,
    lookUp: true,
    ...change,
  };
  const child: ChildProcess = fork(PROGRAM, [JSON.stringify(options)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  let wanted: { readonly point: Point; found(): void } | null = null;
  let held = 0;
  let open = false;
  child.on("message", (message: { readonly at?: Point }) => {
    if (message.at === undefined) return;
    if (!open && message.at === wanted?.point) {
      held += 1;
      return wanted.found();
    }
    child.send("go");
  });
  return {
    async reaches(point) {
      await new Promise<void>((found) => void (wanted = { point, found }));
    },
    release() {
      open = true;
      while (held-- > 0) child.send("go");
    },
    freeze: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

interface Killing {
  readonly point: Point;
  readonly lookUp?: boolean;
  readonly media?: boolean;
  /** What the second worker makes of it. */
  readonly end: "completed" | "failed";
  readonly submissions: number;
}

const KILLINGS: readonly Killing[] = [
  { point: "taking-media", media: true, end: "completed", submissions: 1 },
  // The next process cannot know that nothing was sent: the provider says so in the end, and the
  // money goes back.
  { point: "before-submit", end: "failed", submissions: 0 },
  { point: "after-submit", end: "completed", submissions: 1 },
  { point: "after-submit", lookUp: false, end: "failed", submissions: 1 },
  { point: "polling", end: "completed", submissions: 1 },
  { point: "before-settle", end: "completed", submissions: 1 },
  { point: "in-settle", end: "completed", submissions: 1 },
  { point: "after-settle", end: "completed", submissions: 1 },
];

for (const { point, lookUp = true, media = false, end, submissions } of KILLINGS) {
  test(`killed at ${point}${lookUp ? "" : ", by a provider that cannot be asked"}: ${end}, submitted ${submissions} times`, async () => {
    submitted.length = 0;
    const first = startWorker({ lookUp });
    const reached = first.reaches(point);
    const parameters = { prompt: "a cat", ...(media ? { imageUrls: [`${origin}/cat.png`] } : {}) };
    const taskId = await scene.order({ parameters, hasMedia: media });
    await reached;
    await first.kill();
    const second = startWorker({ lookUp });
    second.release();
    await finish(taskId, end);
    await second.kill();
    assert.equal(submitted.length, submissions);
    await scene.assertSettled([taskId]);
  });
}

/** A submission of unknown outcome is waited for; here the time passes. */
async function finish(taskId: Uuid, end: "completed" | "failed"): Promise<void> {
  if (end === "failed") {
    await scene.phase(taskId, "submit_unknown");
    await scene.age(taskId, 600_000);
  }
  const task = await scene.end(taskId);
  assert.equal(task.state, end);
}

test("killed while it copies a result: the copy is made again, and the half of it is left for the sweeper", async () => {
  submitted.length = 0;
  stalls = true;
  copies = 0;
  const first = startWorker();
  first.release();
  const taskId = await scene.order();
  await until("the copy", async () => copies > 0);
  await first.kill();
  stalls = false;
  const second = startWorker();
  second.release();
  assert.equal((await scene.end(taskId)).state, "completed");
  await second.kill();
  assert.equal(submitted.length, 1);
  await scene.assertSettled([taskId]);
});

test("a process that stands still before its call is taken for dead; the submission it makes after all is the only one, and is found", async () => {
  submitted.length = 0;
  const first = startWorker();
  const reached = first.reaches("before-submit");
  const taskId = await scene.order();
  await reached;
  first.freeze();
  const second = startWorker();
  second.release();
  await scene.phase(taskId, "submit_unknown");
  first.release();
  first.resume();
  assert.equal((await scene.end(taskId)).state, "completed");
  await Promise.all([first.kill(), second.kill()]);
  assert.equal(submitted.length, 1);
  await scene.assertSettled([taskId]);
});
