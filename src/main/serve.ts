/**
 * Runs the gateway until it is told to stop: database, catalogue, sandbox where wanted, one or
 * several serving processes, and their end.
 */
import { channel } from "node:diagnostics_channel";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { newestVersion } from "../catalogue/store.ts";
import type { Db } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import { weakDurability } from "../db/weak-durability.ts";
import { currentUserName } from "#embedded-postgres/server-user.ts";
import { createMetrics } from "../http/metrics.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Config, Environment } from "../config/config.ts";
import { SANDBOX_PAYMENTS, withSandbox } from "../config/environment.ts";
import { dataDirMistake } from "../process/data-dir-mistake.ts";
import type { Log } from "../log/log.ts";
import { noDebugger } from "../process/no-debugger.ts";
import { openServerDatabase } from "../process/open-server-database.ts";
import { startSandboxProcess } from "../process/sandbox-process.ts";
import type { Serving } from "../process/serve-for-primary.ts";
import { StartRefused } from "../process/start-refused.ts";
import { stopSignal } from "../process/stop-signal.ts";
import { startWorkers } from "../process/workers.ts";

export interface ServeOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly roles: ReadonlySet<"api" | "worker">;
  readonly log: Log;
  /** Run the built-in upstream too, when the catalogue points to it. */
  readonly sandbox: boolean;
  /** Called when requests are served; the database is open for it. */
  onServing?(serving: {
    readonly url: string | null;
    readonly db: Db;
    readonly catalogue: Catalogue | null;
  }): Promise<void>;
}

/** The launcher does then what no start is to wait for (tools/run-program.mjs). */
const SERVING = channel("tollgate:serving");
/** What may remain of a stop beyond the drain itself before it counts as failed. */
const STOP_SLACK_MS = 20_000;

/** Resolves to the exit code once everything is closed. */
export async function serve(options: ServeOptions): Promise<number> {
  const { config, log } = options;
  noDebugger();
  const stop = stopSignal();
  const closers: (() => Promise<void>)[] = [];
  let exitCode = 0;
  try {
    const mistake = dataDirMistake(config);
    if (mistake !== null) throw new StartRefused(mistake);
    const source = await readCatalogue(config.cataloguePath);
    const sandbox = startedOnce(() =>
      startSandboxProcess({
        port: config.sandboxPort,
        journalPath: join(config.dataDir, "sandbox-tasks.jsonl"),
        log: (line) => log.info({ sandbox: true }, line),
      }),
    );
    // One that did not begin has nothing to stop.
    closers.push(async () => (await sandbox.begun().catch(() => null))?.stop());
    const mayNeedSandbox = options.sandbox && (options.env["SANDBOX_URL"] ?? "") === "";
    const namesSandbox = source.includes(SANDBOX_VARIABLE);
    // The longest part of a start is to load the gateway's code; where other processes serve, this
    // one needs none of it.
    const gatewayCode = startedOnce(async () =>
      config.workers > 1 && options.roles.has("api") ? null : import("./open-gateway.ts"),
    );
    const database = await openServerDatabase({
      config,
      purpose: "serve",
      // Database and sandbox are processes of their own: both begin while this one loads.
      onHeld() {
        if (mayNeedSandbox && namesSandbox) void sandbox.start();
        void gatewayCode.start();
      },
      log: (line, level) => log[level ?? "info"](line),
      onFatal(error) {
        log.fatal({ err: error }, "the embedded PostgreSQL is lost");
        exitCode = 1;
        stop.now();
      },
    });
    closers.push(() => database.close());
    let closing = false;
    const db = openDatabase({
      url: database.url,
      poolSize: 2,
      applicationName: "tollgate primary",
      onError(error) {
        if (!closing) log.warn({ err: error }, "a database connection broke");
      },
    });
    closers.push(() => {
      closing = true;
      return db.close();
    });

    const weakness = config.databaseUrl === null ? null : await weakDurability(db);
    if (weakness !== null) log.warn(weakness);

    if (mayNeedSandbox && !namesSandbox && (await inForceNamesSandbox(db))) void sandbox.start();
    const upstream = await sandbox.begun();
    const sandboxUrl = upstream?.url ?? `http://127.0.0.1:${config.sandboxPort}`;
    const sandboxPayments = upstream === null ? "" : `${upstream.url}/payments`;
    const ownGateway = await gatewayCode.start();
    const { takeCatalogueFile } = await import("../cli/take-catalogue-file.ts");
    const env = { ...withSandbox(options.env, sandboxUrl), [SANDBOX_PAYMENTS]: sandboxPayments };
    const taken = await takeCatalogueFile(db, { source, env, user: currentUserName() });
    if (taken.kind === "mistakes") {
      const lines = taken.lines.map((line) => `\n  ${line}`).join("");
      throw new StartRefused(`CATALOGUE: ${config.cataloguePath} has mistakes:${lines}`);
    }
    for (const warning of taken.warnings) log.warn(warning);
    if (taken.version !== null)
      log.info({ version: taken.version }, "the catalogue file is in force");

    await upstream?.ready;
    const shared = { config, databaseUrl: database.url, env, roles: options.roles, log };
    let serving: Serving;
    if (ownGateway === null) {
      serving = await startWorkers({
        ...shared,
        program: join(import.meta.dirname, "worker-process.ts"),
      });
    } else {
      const metrics = createMetrics();
      serving = await ownGateway.openGateway({
        ...shared,
        clock: systemClock,
        metrics,
        compiled: taken.inForce,
        renderMetrics: () => metrics.render(),
      });
      closers.push(async () => metrics.close());
    }
    closers.push(() => serving.stop());
    const catalogue = taken.inForce?.catalogue ?? null;
    await options.onServing?.({ url: serving.url, db, catalogue });
    SERVING.publish({});
    const reason = await stop.wait;
    const graceSeconds =
      reason === "SIGTERM" && serving.url !== null ? config.shutdownGraceSeconds : 0;
    log.info({ reason, graceSeconds }, "stopping");
    if (graceSeconds > 0) {
      serving.announceStop();
      await stop.grace(graceSeconds * 1000);
    }
  } catch (error) {
    exitCode = 1;
    if (error instanceof StartRefused) throw error;
    log.fatal({ err: error }, "cannot serve");
    throw error;
  } finally {
    const overdue = setTimeout(
      () => {
        log.fatal(
          "the stop takes too long; giving up. What is still held will be settled by another process or at the next start.",
        );
        process.exit(1);
      },
      config.drainSeconds * 1000 + STOP_SLACK_MS,
    );
    for (const close of closers.reverse())
      await close().catch((error: unknown) =>
        log.error({ err: error }, "a part did not close cleanly"),
      );
    clearTimeout(overdue);
    stop.forget();
  }
  return exitCode;
}

async function readCatalogue(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`CATALOGUE: the file ${path} cannot be read: ${reason}`);
  }
}

const SANDBOX_VARIABLE = "${SANDBOX_URL}";

async function inForceNamesSandbox(db: Db): Promise<boolean> {
  const inForce = await newestVersion(db);
  return inForce?.source.includes(SANDBOX_VARIABLE) ?? false;
}

/** Work that begins when it is first asked for; who waits for it hears of its failure. */
function startedOnce<T>(work: () => Promise<T>): {
  start(): Promise<T>;
  /** Null: it was never started. */
  begun(): Promise<T | null>;
} {
  let started: Promise<T> | null = null;
  return {
    start() {
      if (started === null) {
        started = work();
        started.catch(() => undefined);
      }
      return started;
    },
    begun: () => started ?? Promise.resolve(null),
  };
}
