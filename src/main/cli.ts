/**
 * The entry of the command line: resolves the configuration and the database, and hands over to the
 * commands. A reader of the help waits for none of the code behind the commands: what takes long to
 * load is imported when it is asked for.
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runCli } from "../cli/run-cli.ts";
import type { Db } from "../db/database.ts";
import { currentUserName } from "#embedded-postgres/server-user.ts";
import { createSeal } from "../kernel/seal.ts";
import type { Config } from "../config/config.ts";
import { describeConfig, readConfig } from "../config/config.ts";
import { exampleEnvironment } from "../config/variables.ts";
import { readEnvironment, withSandbox } from "../config/environment.ts";
import { keepSessionSecret } from "../config/keep-session-secret.ts";
import { createLog } from "../log/log.ts";
import { PROJECT_ROOT, VERSION } from "../process/project-root.ts";
import { openStandardOutput } from "../log/standard-output.ts";

const env = readEnvironment(process.cwd());
const reading = readConfig(env, process.cwd(), PROJECT_ROOT);
const closers: (() => Promise<void>)[] = [];
const output = openStandardOutput();

function config(): Config {
  if (!reading.ok) throw new Error(reading.mistakes.join("\n"));
  return reading.config;
}

function log(): ReturnType<typeof createLog> {
  return createLog(config().logLevel, output.write);
}

/**
 * One connection: with a database server that another command is about to end, a second one would
 * be refused.
 */
async function openDb(): Promise<Db> {
  const { openServerDatabase } = await import("../process/open-server-database.ts");
  const { openDatabase } = await import("../db/database.ts");
  const database = await openServerDatabase({
    config: config(),
    purpose: "command",
    log: () => undefined,
    onFatal: () => undefined,
  }).catch(async (cause: unknown) => {
    // Not asked before: a command beside a running server writes nothing here.
    const { dataDirMistake } = await import("../process/data-dir-mistake.ts");
    const mistake = dataDirMistake(config());
    throw mistake === null ? cause : new Error(mistake, { cause });
  });
  closers.push(() => database.close());
  const db = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "tollgate command",
    onError: () => undefined,
  });
  closers.push(() => db.close());
  return db;
}

const catalogueEnv = withSandbox(
  env,
  `http://127.0.0.1:${reading.ok ? reading.config.sandboxPort : 8090}`,
);

const exitCode = await runCli(process.argv.slice(2), {
  openDb,
  async openArchive() {
    const { openArchiveStorage } = await import("../storage/open-storage.ts");
    const { storageUrl, ledgerMonths } = config();
    return { storage: await openArchiveStorage(storageUrl), monthsKept: ledgerMonths };
  },
  openSeal: () => createSeal(config().sessionSecret ?? keepSessionSecret(config().dataDir)),
  readFile: (path) => readFile(path, "utf8"),
  env: catalogueEnv,
  exampleEnvironment,
  describeConfig: () =>
    reading.ok ? { ok: true, values: describeConfig(reading.config) } : reading,
  async examine({ backups }) {
    if (!reading.ok) {
      const { settingsFindings } = await import("../business/doctor/finding.ts");
      return settingsFindings(reading.mistakes);
    }
    const { examineInstallation } = await import("./examine-installation.ts");
    const { config: settings } = reading;
    return examineInstallation({
      config: settings,
      env: catalogueEnv,
      folder: process.cwd(),
      backups: backups === null ? null : resolve(backups),
    });
  },
  async serve(roles) {
    const { serve } = await import("./serve.ts");
    return serve({ config: config(), env, roles, log: log(), sandbox: false }).finally(output.end);
  },
  async sandbox(port) {
    const { runSandbox } = await import("../process/sandbox-process.ts");
    return runSandbox(port);
  },
  user: currentUserName(),
  version: VERSION,
  migrations: join(PROJECT_ROOT, "migrations"),
  colour: process.stdout.isTTY && (env["NO_COLOR"] ?? "") === "",
  debug: env["LOG_LEVEL"] === "debug" || env["LOG_LEVEL"] === "trace",
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
for (const close of closers.reverse()) await close().catch(() => undefined);
process.exitCode = exitCode;
if (process.connected) process.disconnect?.();
