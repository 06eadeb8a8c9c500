/**
 * How long `/healthz` of a gateway takes while it takes and checks a large batch of each protocol:
 * `node test/batches/measure-validation.ts [LINES] [MB of the file] [MB of the message batch]`.
 */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import OpenAI, { toFile } from "openai";
import { testDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { batchCatalogue, requestLine } from "./batch-world.ts";
import { startCountingUpstream } from "./scripted-answers.ts";

const [lines = 10_000, fileMegabytes = 100, bodyMegabytes = 100] = process.argv
  .slice(2)
  .map(Number);
/** Asks `/healthz` from a thread of its own, so that what this one sends is not measured with it. */
const PROBE = `
const { parentPort, workerData } = require("node:worker_threads");
const { setTimeout: sleep } = require("node:timers/promises");
let times = [];
parentPort.on("message", () => {
  parentPort.postMessage(times);
  times = [];
});
(async () => {
  for (;;) {
    const beganMs = performance.now();
    await (await fetch(workerData + "/healthz")).text();
    times.push(performance.now() - beganMs);
    await sleep(5);
  }
})();
`;

const database = await testDatabase();
const upstream = await startCountingUpstream();
// Lines wait there: what is measured is how they are taken.
upstream.before = () => new Promise(() => undefined);
const gateway = await startGateway({
  databaseUrl: database.url,
  catalogue: batchCatalogue(upstream.url),
  env: { UPSTREAM_KEY: "sk-operators-own-0123456789abcdef", DRAIN_SECONDS: "1" },
});

/** Words, as prompts are; so many bytes of them. */
function prompt(bytes: number): string {
  return "A batch of many lines is checked while others ask. ".repeat(Math.ceil(bytes / 51));
}

const bodyOf = (bytes: number): object => ({
  model: "cheap",
  max_tokens: 20,
  messages: [{ role: "user", content: prompt(bytes) }],
});

const probe = new Worker(PROBE, { eval: true, workerData: gateway.url });

/** What it took since it was last asked. */
async function probed(): Promise<readonly number[]> {
  probe.postMessage("tell");
  const [times] = (await once(probe, "message")) as [readonly number[]];
  return times;
}

async function watched<T>(what: string, work: () => Promise<T>): Promise<T> {
  await probed();
  const beganMs = performance.now();
  const result = await work();
  const seconds = (performance.now() - beganMs) / 1000;
  const sorted = (await probed()).toSorted((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  process.stdout.write(
    `${what}: ${seconds.toFixed(1)} s; /healthz ${sorted.length} times, ms: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}\n`,
  );
  return result;
}

try {
  const { secret } = await newKey(database.db, await newAccount(database.db, "10000000"));
  const openai = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const size = (megabytes: number): number => Math.floor((megabytes * 1024 * 1024) / lines) - 200;
  const line = JSON.stringify(bodyOf(size(fileMegabytes)));
  const content = Buffer.from(
    Array.from({ length: lines }, (_, n) =>
      requestLine(String(n), JSON.parse(line) as object),
    ).join("\n"),
  );
  await watched("nothing", () => sleep(2_000));
  const file = await watched(`a file of ${content.length >> 20} MB is sent`, async () =>
    openai.files.create({ file: await toFile(content, "x.jsonl"), purpose: "batch" }),
  );
  await watched(`${lines} lines of it are validated and admitted`, async () => {
    const { id } = await openai.batches.create({
      input_file_id: file.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
    for (;;) {
      const { status, errors } = await openai.batches.retrieve(id);
      if (status === "failed") throw new Error(JSON.stringify(errors?.data?.slice(0, 2)));
      if (status !== "validating") return;
      await sleep(20);
    }
  });
  const params = bodyOf(size(bodyMegabytes));
  const body = JSON.stringify({
    requests: Array.from({ length: lines }, (_, n) => ({ custom_id: `r${n}`, params })),
  });
  await watched(
    `a message batch of ${lines} requests, ${body.length >> 20} MB, is admitted`,
    async () => {
      const answer = await fetch(`${gateway.url}/v1/messages/batches`, {
        method: "POST",
        headers: { "x-api-key": secret, "content-type": "application/json" },
        body,
      });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.text();
    },
  );
} finally {
  await probe.terminate();
  await gateway.kill();
  await upstream.close().catch(() => undefined);
  await database.drop();
}
