/**
 * A batch worked off by processes that are killed at random moments, until it ends; then each line
 * has to be answered and charged once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../support/seeded-random.ts";
import { testDatabase } from "../support/database.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import {
  chatBody,
  openBatchProcess,
  requestLine,
  sendFile,
  temporaryStorage,
  sentOnce,
} from "./batch-world.ts";
import { assertEachOnce } from "./killed-batch.ts";
import { startCountingUpstream } from "./scripted-answers.ts";
import { startBatchProcess, type BatchChild } from "./start-batch-process.ts";

export interface RandomKills {
  readonly lines: number;
  readonly processes: number;
  readonly seed: number;
  /** A process is killed so long after the one before, at most. */
  readonly killWithinMs: number;
  /** After so many kills the rest is worked off in peace; absent: they go on to the end. */
  readonly mostKills?: number;
}

export interface RandomKillsReport {
  readonly kills: number;
  /** Calls of upstreams beyond one for each line. */
  readonly askedAgain: number;
  readonly ms: number;
}

const LEASE_MS = 3_000;
const LOOK_MS = 50;

/** Throws what does not agree. */
export async function runRandomKills(options: RandomKills): Promise<RandomKillsReport> {
  const { lines, processes, seed, killWithinMs, mostKills = Infinity } = options;
  const random = seededRandom(seed);
  const database = await testDatabase();
  const { db } = database;
  const storage = await temporaryStorage();
  const upstream = await startCountingUpstream();
  upstream.before = () => sleep(random() * 10);
  const desk = await openBatchProcess({ db, storageUrl: storage.url, upstream: upstream.url });
  const children: BatchChild[] = [];
  const start = (): BatchChild =>
    startBatchProcess({
      databaseUrl: database.url,
      storageUrl: storage.url,
      upstream: upstream.url,
      leaseMs: LEASE_MS,
      stopAt: null,
    });
  try {
    const accountId = await newAccount(db, "100000");
    const { key } = await newKey(db, accountId);
    const prompts = Array.from({ length: lines }, (_, n) => `prompt ${n}`);
    const content = prompts.map((prompt) => requestLine(prompt, chatBody(prompt))).join("\n");
    const inputFileId = await sendFile(desk, { accountId, keyId: key.keyId }, content);
    const beganMs = performance.now();
    const batch = await desk.batches.routes.createBatch({
      key,
      ...sentOnce(),
      inputFileId,
      endpoint: "chat.completions",
      metadata: null,
      outputSeconds: null,
    });
    const id = `batch_${batch.batchId.replaceAll("-", "")}`;
    for (let n = 0; n < processes; n++) children.push(start());
    let kills = 0;
    await Promise.all(children.map((child) => child.started));
    let nextMs = performance.now() + random() * killWithinMs;
    for (;;) {
      const found = await desk.batches.routes.batches.find(accountId, "openai", id);
      if (found.endedAt !== null) {
        const ms = performance.now() - beganMs;
        await Promise.all(children.map((child) => child.kill()));
        await assertEachOnce(db, desk, upstream, found, { good: prompts, bad: [] });
        const asked = [...upstream.asked.values()].reduce((sum, times) => sum + times, 0);
        return { kills, askedAgain: asked - lines, ms };
      }
      await sleep(LOOK_MS);
      if (performance.now() < nextMs || kills >= mostKills) continue;
      const at = Math.floor(random() * children.length);
      await children[at]?.kill();
      // On a busy machine a process takes long to begin, and shall have done something.
      const next = start();
      children[at] = next;
      kills += 1;
      await next.started;
      nextMs = performance.now() + random() * killWithinMs;
    }
  } finally {
    await Promise.all(children.map((child) => child.kill()));
    await desk.close();
    await upstream.close();
    await database.drop();
    await storage.remove();
  }
}
