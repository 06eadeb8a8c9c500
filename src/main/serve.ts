/**
 * Runs the gateway until it is told to stop: database, catalogue, sandbox where wanted, one or
 * several serving processes, and their end.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { applyCatalogueFile } from "../business/operate/apply-catalogue.ts";
import { mistakeLine } from "../catalogue/live-catalogue.ts";
import { newestVersion } from "../catalogue/store.ts";
import { parseStoredCatalogue } from "../catalogue/parse-catalogue.ts";
import { lossLines } from "../cli/margin-lines.ts";
import type { Db } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import { weakDurability } from "../db/weak-durability.ts";
import { currentUserName } from "#embedded-postgres/server-user.ts";
import { startActor } from "../business/operate/operator.ts";
import { createMetrics } from "../http/metrics.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Config, Environment } from "../config/config.ts";
import { SANDBOX_PAYMENTS, withSandbox } from "../config/environment.ts";
import { dataDirMistake } from "./data-dir-mistake.ts";
import type { Log } from "../log/log.ts";
import { noDebugger } from "./no-debugger.ts";
import { openGateway } from "./open-gateway.ts";
import { openServerDatabase } from "./open-server-database.ts";
import { startSandboxProcess } from "./sandbox-process.ts";
import { StartRefused } from "./start-refused.ts";
import { stopSignal } from "./stop-signal.ts";
import { startWorkers } from "./workers.ts";

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
    readonly catalogueEnv: Environment;
  }): Promise<void>;
}

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
    const database = await openServerDatabase({
      config,
      purpose: "serve",
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

    const source = await readCatalogue(config.cataloguePath);
    let sandboxUrl = `http://127.0.0.1:${config.sandboxPort}`;
    let sandboxPayments = "";
    if (options.sandbox && (await wantsSandbox(db, source, options.env))) {
      const sandbox = await startSandboxProcess({
        port: config.sandboxPort,
        journalPath: join(config.dataDir, "sandbox-tasks.jsonl"),
        log: (line) => log.info({ sandbox: true }, line),
      });
      closers.push(() => sandbox.stop());
      sandboxUrl = sandbox.url;
      sandboxPayments = `${sandbox.url}/payments`;
    }
    const env = { ...withSandbox(options.env, sandboxUrl), [SANDBOX_PAYMENTS]: sandboxPayments };
    await takeCatalogue(db, source, env, config, log);

    const shared = { config, databaseUrl: database.url, env, roles: options.roles, log };
    let serving: { readonly url: string | null; announceStop(): void; stop(): Promise<void> };
    if (config.workers > 1 && options.roles.has("api")) {
      serving = await startWorkers(shared);
    } else {
      const metrics = createMetrics();
      serving = await openGateway({
        ...shared,
        clock: systemClock,
        metrics,
        renderMetrics: () => metrics.render(),
      });
      closers.push(async () => metrics.close());
    }
    closers.push(() => serving.stop());
    await options.onServing?.({ url: serving.url, db, catalogueEnv: env });
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

async function wantsSandbox(db: Db, source: string, env: Environment): Promise<boolean> {
  if ((env["SANDBOX_URL"] ?? "") !== "") return false;
  const inForce = await newestVersion(db);
  return source.includes(SANDBOX_VARIABLE) || (inForce?.source.includes(SANDBOX_VARIABLE) ?? false);
}

async function takeCatalogue(
  db: Db,
  source: string,
  env: Environment,
  config: Config,
  log: Log,
): Promise<void> {
  const outcome = await applyCatalogueFile(db, {
    source,
    env,
    appliedBy: "start",
    actor: startActor(currentUserName()),
  });
  if (outcome.kind === "mistakes") {
    throw new StartRefused(
      [
        `CATALOGUE: ${config.cataloguePath} has mistakes:`,
        ...outcome.mistakes.map((mistake) => `  ${mistakeLine(mistake)}`),
      ].join("\n"),
    );
  }
  if (outcome.kind === "applied") {
    for (const warning of outcome.warnings) log.warn(mistakeLine(warning));
    for (const loss of lossLines(outcome.margins)) log.warn(loss);
    log.info({ version: outcome.version.version }, "the catalogue file is in force");
  }
  // What a release that came after this version would not take any more, and goes on as it was
  // sold.
  if (outcome.kind === "unchanged") {
    for (const warning of parseStoredCatalogue(outcome.version.source, env).warnings)
      log.warn(mistakeLine(warning));
  }
}
