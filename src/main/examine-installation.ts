/** Composition of an examination: what `tollgate doctor` looks at, and by what. */
import { existsSync } from "node:fs";
import { readFile, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Room } from "../business/doctor/doctor-deps.ts";
import { examine } from "../business/doctor/examine.ts";
import type { Finding } from "../business/doctor/finding.ts";
import type { Config, Environment } from "../config/config.ts";
import { openDatabase, type Db, type Queryable } from "../db/database.ts";
import { readStandbyPlace } from "../db/replica-state.ts";
import { firstThatConnects, sslTries } from "../db/ssl-mode.ts";
import { systemClock } from "../kernel/clock.ts";
import { checkMailServer } from "../net/check-mail-server.ts";
import { createOutgoing } from "../net/outgoing.ts";
import { probeEndpoint } from "../net/probe-endpoint.ts";
import { openServerDatabase } from "../process/open-server-database.ts";
import { PROJECT_ROOT, VERSION } from "../process/project-root.ts";

/** What each of the checks waits for has a shorter one. */
const CHECK_MS = 15_000;
/** A server that stands still is a finding, not a wait. */
const ANSWER_WITHIN_MS = 8_000;

export async function examineInstallation(options: {
  readonly config: Config;
  /** With what the catalogue interpolates. */
  readonly env: Environment;
  /** Where `.env` is read from. */
  readonly folder: string;
  readonly backups: string | null;
}): Promise<readonly Finding[]> {
  const { config, env, folder, backups } = options;
  const closers: (() => Promise<void>)[] = [];
  const outgoing = createOutgoing();
  closers.push(() => outgoing.close());
  try {
    return await examine({
      installation: config,
      env,
      clock: systemClock,
      outgoing,
      migrations: { directory: join(PROJECT_ROOT, "migrations"), version: VERSION },
      envFile: join(folder, ".env"),
      deadlineMs: CHECK_MS,
      backups,
      openDatabase: () => openAsItIs(config, closers),
      openReplica: () => openReplica(config, closers),
      probe: probeEndpoint,
      checkMailServer,
      roomOf,
      readFile: (path) => readFile(path, "utf8"),
    });
  } finally {
    for (const close of closers.reverse()) await close().catch(() => undefined);
  }
}

/** Null: the embedded one was never made, and an examination makes none. */
async function openAsItIs(config: Config, closers: (() => Promise<void>)[]): Promise<Db | null> {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, "postgres"))) return null;
  const database = await openServerDatabase({
    config,
    purpose: "command",
    schema: "as it is",
    log: () => undefined,
    onFatal: () => undefined,
  });
  closers.push(() => database.close());
  const db = openDatabase({
    url: database.url,
    poolSize: 1,
    answerWithinMs: ANSWER_WITHIN_MS,
    applicationName: "tollgate doctor",
    onError: () => undefined,
  });
  closers.push(() => db.close());
  return db;
}

async function openReplica(
  { databaseReplicaUrl }: Config,
  closers: (() => Promise<void>)[],
): Promise<Queryable> {
  const open = (url: string): Db => {
    const db = openDatabase({
      url,
      poolSize: 1,
      answerWithinMs: ANSWER_WITHIN_MS,
      applicationName: "tollgate doctor",
      use: "reading",
      onError: () => undefined,
    });
    closers.push(() => db.close());
    return db;
  };
  const tries = sslTries(databaseReplicaUrl ?? "");
  const url = await firstThatConnects(tries, async (each) => {
    // What the driver said, and not that a caller may come again.
    await readStandbyPlace(open(each)).catch((error: unknown) => {
      throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
    });
  });
  return open(url);
}

async function roomOf(path: string): Promise<Room> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(path);
  return {
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    freeFiles: files === 0 ? null : ffree,
  };
}
