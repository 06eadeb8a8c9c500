/**
 * Measures how fast one engine asks about tasks that are all due:
 * `node test/support/poll-throughput.ts 100000 [SECONDS]`, with a provider that answers at once.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readTreeUse } from "../../bench/process-tree.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Db } from "../../src/db/database.ts";
import { openEngineScene, upstreamOf } from "./engine-scene.ts";
import { RUNNING } from "./scripted-provider.ts";
import { until } from "./until.ts";

export interface PollFigures {
  readonly polls: number;
  readonly seconds: number;
  /** Of this process, from the first poll to the last. */
  readonly cpuSeconds: number;
  /**
   * Of all processes of PostgreSQL, meanwhile and until the last poll is noted; null where they
   * cannot be seen.
   */
  readonly databaseCpuSeconds: number | null;
  readonly peakRssMb: number;
  /** Sent by the engine. */
  readonly statements: number;
}

const ORDER = `
  WITH made AS (
    INSERT INTO tasks.tasks (task_id, account_id, request_id, model, parameter_table, parameters, state, price_version, price_nano,
      attempts, attempt_id, upstream, upstream_model, credential_name, handle, started_at, deadline_at)
    SELECT gen_random_uuid(), $2, gen_random_uuid(), 'picture', 'T19', $3, 'processing', 1, 1,
      1, gen_random_uuid(), 'there', 'm', 'PROVIDER_KEY', $4, now(), now() + interval '1 day'
    FROM generate_series(1, $1::int) RETURNING account_id, task_id)
  INSERT INTO tasks.jobs (account_id, task_id, phase, lane, phase_at) SELECT account_id, task_id, 'running', 'poll:there', now() - interval '10 minutes' FROM made`;

/**
 * Every one of `rows` running tasks is due at once, and again after its poll: for `seconds`, or
 * until each was asked about once.
 */
export async function measurePolls(rows: number, seconds: number | null): Promise<PollFigures> {
  await using scene = await openEngineScene();
  const { provider, catalogue } = scene;
  catalogue.upstreams.set("there", upstreamOf("there", provider.host, { maxConcurrent: 200 }));
  const prompt = "a cat that looks out of the window ".repeat(20);
  const handle = {
    upstreamTaskId: "far",
    model: "m",
    submittedAt: new Date().toISOString(),
    urls: { poll: "https://provider.test/tasks/1" },
  };
  await scene.db.query(ORDER, [
    rows,
    newUuid(),
    JSON.stringify({ prompt }),
    JSON.stringify(handle),
  ]);
  await scene.db.query("ANALYZE tasks.tasks");
  await scene.db.query("ANALYZE tasks.jobs");
  let polls = 0;
  let statements = 0;
  let peak = 0;
  const counting = (real: Db): Db => ({
    ...real,
    query<R>(sql: string, params?: readonly unknown[]): Promise<R[]> {
      statements += 1;
      return real.query<R>(sql, params);
    },
  });
  const adapter = {
    ...provider.adapter,
    poll: async () => {
      polls += 1;
      return RUNNING;
    },
    // Sooner than any of them is noted: so all of them are always due.
    scheduleOf: () =>
      seconds === null
        ? { firstMs: 60_000, minMs: 60_000, maxMs: 60_000 }
        : { firstMs: 1, minMs: 1, maxMs: 1 },
    graceMsOf: () => 60_000,
  };
  const databaseBefore = await databaseUse(scene.db);
  const watch = setInterval(() => void (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  const running = scene.start({
    db: counting,
    deps: {
      adapters: { kie: adapter, fal: adapter, replicate: adapter, "http-task": adapter },
      onStep: () => undefined,
    },
  });
  if (seconds === null) await until("every task was asked about", async () => polls >= rows);
  else await new Promise((resolve) => void setTimeout(resolve, seconds * 1_000));
  const counted = polls;
  const tookMs = performance.now() - beganMs;
  const used = process.cpuUsage(cpu);
  clearInterval(watch);
  await running.stop();
  const databaseAfter = await databaseUse(scene.db);
  if (running.errors.length > 0)
    throw new Error("the engine had errors", { cause: running.errors[0] });
  return {
    polls: counted,
    seconds: tookMs / 1_000,
    cpuSeconds: (used.user + used.system) / 1e6,
    databaseCpuSeconds:
      databaseAfter === null || databaseBefore === null
        ? null
        : (databaseAfter - databaseBefore) / 1_000,
    peakRssMb: Math.round(peak / 2 ** 20),
    statements,
  };
}

/**
 * Milliseconds of CPU that PostgreSQL's processes have used so far; null where they cannot be seen.
 */
async function databaseUse(db: Db): Promise<number | null> {
  const [row] = await db.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const status = await readFile(`/proc/${row?.pid}/status`, "utf8").catch(() => "");
  const postmaster = /^Name:\s+postgres$.*^PPid:\s+(\d+)$/ms.exec(status)?.[1];
  return postmaster === undefined ? null : readTreeUse(Number(postmaster)).databaseMs;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rows = "100000", seconds] = process.argv.slice(2);
  const figures = await measurePolls(Number(rows), seconds === undefined ? null : Number(seconds));
  process.stdout.write(
    `${JSON.stringify({ ...figures, pollsPerSecond: Math.round(figures.polls / figures.seconds) })}\n`,
  );
}
