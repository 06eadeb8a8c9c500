/**
 * One run: processes, clients and faults by a seed, then the quiet after it, then the audit of what
 * clients, upstream and books say.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { VERSION } from "../../src/process/project-root.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { askBalances } from "./ask-balances.ts";
import { audit } from "./audit.ts";
import { countSilent, readBooks, readOpenMoney, readTime } from "./books-view.ts";
import { openTortureDatabase, type TortureDatabase } from "./database-server.ts";
import { doFaults, type FaultCounts } from "./do-faults.ts";
import { openFleet, type Fleet } from "./fleet.ts";
import type { FaultKind, Fault } from "./plan.ts";
import { planFaults } from "./plan.ts";
import type { Plant } from "./plants.ts";
import { chanceOf } from "./seeded.ts";
import type { Stage } from "./stage.ts";
import { startClients } from "./start-clients.ts";
import { PICTURE_NANO, tortureCatalogue } from "./torture-catalogue.ts";
import { newTrace, type Trace } from "./trace.ts";
import { openUpstreamCount, type UpstreamCount } from "./upstream-count.ts";
import type { Violation } from "./violation.ts";
import { watchOverspent } from "./watch-overspent.ts";

export interface TortureOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly gateways: number;
  /** None: traffic alone. */
  readonly faults: readonly FaultKind[];
  /** Faults begin within so many seconds; traffic goes on. */
  readonly faultSeconds: number;
  readonly gapMs: number;
  readonly longestPauseMs: number;
  /**
   * How long accounts that are not dry yet are drained on when the run is over: the money of killed
   * processes comes back after a minute.
   */
  readonly drainMs: number;
  /** How long everything that is held may take to be ended, when all is well again. */
  readonly quietWithinMs: number;
  /** A fault of the gateway's own, to see that it is found; null: as it is. */
  readonly plant: Plant | null;
  /** DATABASE_URL; undefined: a server of our own. */
  readonly databaseUrl: string | undefined;
  /** Ends the run in the middle, without an audit. */
  readonly signal?: AbortSignal;
  say(line: string): void;
}

export interface TortureSummary {
  readonly seed: number;
  readonly seconds: number;
  readonly faults: FaultCounts;
  readonly requests: number;
  readonly attempts: number;
  readonly unanswered: number;
  readonly completed: number;
  readonly tasks: number;
  readonly topUps: number;
  readonly upstreamCalls: number;
  readonly entries: number;
  readonly dry: number;
  readonly samples: number;
  readonly quietMs: number;
  readonly violations: readonly Violation[];
}

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const SAY_EVERY_MS = 10_000;

export async function torture(options: TortureOptions): Promise<TortureSummary> {
  const folder = mkdtempSync(join(tmpdir(), "torture-"));
  const database = await openTortureDatabase(options.databaseUrl);
  const upstream = await openUpstreamCount();
  const db = openDatabase({
    url: database.url,
    poolSize: 8,
    applicationName: "torture",
    onError: () => undefined,
  });
  let fleet: Fleet | null = null;
  try {
    await migrate({
      url: database.url,
      directory: MIGRATIONS,
      version: VERSION,
      log: () => undefined,
    });
    fleet = await openFleet({
      gateways: options.gateways,
      target: database.target,
      catalogue: tortureCatalogue(upstream.sandbox.url),
      folder,
      env: {
        SANDBOX_API_KEY: "torture",
        STORAGE_URL: `file:${join(folder, "files")}`,
        SESSION_SECRET: "torture".repeat(8),
        FETCH_ALLOW: "127.0.0.0/8",
        LOG_LEVEL: "info",
      },
      imports: options.plant?.imports ?? [],
    });
    for (const text of options.plant?.statements ?? []) await db.query(text);
    const summary = await run({ options, database, upstream, db, fleet });
    const stopped = fleet;
    fleet = null;
    await stopped.stop();
    return { ...summary, violations: [...summary.violations, ...(await leftHeld(db))] };
  } finally {
    await fleet?.abandon();
    await db.close();
    await upstream.close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Scene {
  readonly options: TortureOptions;
  readonly database: TortureDatabase;
  readonly upstream: UpstreamCount;
  readonly db: Db;
  readonly fleet: Fleet;
}

function planOf({ seed, gateways, faults, faultSeconds, gapMs, longestPauseMs }: TortureOptions) {
  const [first, ...others] = faults;
  if (first === undefined) return [];
  const forMs = faultSeconds * 1000;
  return planFaults({ seed, gateways, forMs, gapMs, longestPauseMs, kinds: [first, ...others] });
}

async function run(scene: Scene): Promise<TortureSummary> {
  const { options, upstream, db, fleet } = scene;
  const trace = newTrace();
  const plan: readonly Fault[] = planOf(options);
  const began = performance.now();
  const nowMs = (): number => performance.now() - began;
  let running = true;
  let ambush: { readonly after: number; onPiece(gateway: number): void } | null = null;
  const stage: Stage = {
    fleet,
    db,
    trace,
    nowMs,
    get running() {
      return running;
    },
    chance: (name) => chanceOf(options.seed, name),
    onPiece(gateway, piece) {
      if (ambush === null || piece < ambush.after) return;
      const { onPiece } = ambush;
      ambush = null;
      onPiece(gateway);
    },
    get ambush() {
      return ambush?.after ?? null;
    },
  };
  const watch = watchOverspent(db);
  const clients = await startClients(stage, options.drainMs);
  const faults = doFaults(
    {
      fleet,
      database: scene.database,
      nowMs,
      get running() {
        return running;
      },
      setAmbush: (after, onPiece) => void (ambush = { after, onPiece }),
      say: options.say,
    },
    plan,
  );
  const progress = setInterval(
    () => options.say(progressLine(nowMs(), trace, upstream)),
    SAY_EVERY_MS,
  );
  try {
    const over = sleep(options.seconds * 1000, undefined, { signal: options.signal });
    await Promise.race([over, clients.failed]);
  } finally {
    running = false;
    clearInterval(progress);
  }
  await faults.done;
  await fleet.heal();
  options.say(`${(nowMs() / 1000).toFixed(1)} s: the clients come to their end`);
  await clients.done;
  const quiet = await untilQuiet(db, options.quietWithinMs);
  const { samples, violations } = await watch.stop();
  const books = await readBooks(db);
  const found = [
    ...violations,
    ...quiet.violations,
    ...audit({
      trace,
      calls: upstream.calls,
      submissions: await upstream.submissions(),
      books,
      troubles: faults.troubles,
    }),
    ...(await verify(scene)),
    ...(await askBalances(stage, db, clients.keys, books)),
  ];
  const attempts = trace.chats.flatMap((chat) => chat.attempts);
  return {
    seed: options.seed,
    seconds: options.seconds,
    faults: faults.counts,
    requests: trace.chats.length,
    attempts: attempts.length,
    unanswered: attempts.filter(({ status }) => status === null).length,
    completed: attempts.filter(({ status, end }) => status === 200 && end === "complete").length,
    tasks: trace.tasks.length,
    topUps: trace.topUps.length,
    upstreamCalls: upstream.total,
    entries: books.endings.length,
    dry: trace.dry.filter(({ final }) => final).length,
    samples,
    quietMs: quiet.tookMs,
    violations: found,
  };
}

function progressLine(ms: number, trace: Trace, upstream: UpstreamCount): string {
  return `${(ms / 1000).toFixed(0)} s: ${trace.chats.length} requests, ${trace.tasks.length} tasks, ${upstream.total} calls of the upstream`;
}

/** Who ends in order gives everything back, also what it had ahead. */
async function leftHeld(db: Db): Promise<Violation[]> {
  const { allNano, tasks } = await readOpenMoney(db);
  if (allNano === BigInt(tasks) * PICTURE_NANO) return [];
  const why = `${allNano} nano-roubles are held after all processes have ended; ${tasks} tasks run, which hold ${BigInt(tasks) * PICTURE_NANO}`;
  return [{ what: "held by nobody", why, marker: null, chat: null }];
}

/**
 * Every request has ended in the books, what killed processes had ahead is given back, and nothing
 * is held but what tasks hold that run yet.
 */
async function untilQuiet(
  db: Db,
  withinMs: number,
): Promise<{ readonly tookMs: number; readonly violations: Violation[] }> {
  const began = performance.now();
  const since = await readTime(db);
  for (;;) {
    const { heldNano, tasks, unsettled } = await readOpenMoney(db);
    const silent = await countSilent(db, since);
    const tookMs = performance.now() - began;
    if (unsettled === 0 && silent === 0 && heldNano === BigInt(tasks) * PICTURE_NANO)
      return { tookMs, violations: [] };
    if (tookMs > withinMs) {
      const why = `${heldNano} nano-roubles are held after ${Math.round(tookMs / 1000)} s of quiet, ${unsettled} requests or pages are not settled, ${silent} processes that have money ahead are silent; ${tasks} tasks run, which hold ${BigInt(tasks) * PICTURE_NANO}`;
      return {
        tookMs,
        violations: [{ what: "held by nobody", why, marker: null, chat: null }],
      };
    }
    await sleep(250);
  }
}

async function verify({ database }: Scene): Promise<Violation[]> {
  const { code, stdout, stderr } = await createTollgateCommand({
    DATABASE_URL: database.url,
  }).run("ledger", "verify");
  if (code === 0) return [];
  const why = `${stdout}${stderr}`.trim();
  return [{ what: "ledger verify", why, marker: null, chat: null }];
}
