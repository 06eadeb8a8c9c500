/**
 * Copies the cluster of a running server: what pg_basebackup does, by its SQL functions and copies
 * of files ("Making a Base Backup Using the Low Level API" in PostgreSQL's manual).
 */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/** How files are copied: what others go on writing to, and durably. */
export interface FileCopy {
  /**
   * A folder with all that `takes` accepts by its path below it; what vanishes meanwhile is left
   * out.
   */
  folder(from: string, to: string, takes: (path: string) => boolean): Promise<void>;
  /** False when there is no such file. */
  file(from: string, to: string): Promise<boolean>;
  /** Writes a file of the owner and mode of another one. */
  write(to: string, content: Uint8Array, like: string): Promise<void>;
}

export interface ClusterBackup {
  /** Of the embedded server. */
  readonly url: string;
  readonly clusterDir: string;
  /**
   * Made here. A server that is started on it replays the log that comes with it and has everything
   * committed before this resolves.
   */
  readonly target: string;
  readonly copy: FileCopy;
  /** The connection that the backup hangs on is gone, so that it will reject. */
  onLost(error: Error): void;
}

/**
 * The server fills them afresh; the folders themselves it wants to find. The log is copied at the
 * end, as much of it as is needed.
 */
const EMPTIED = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
/** Of the running server, of its other backups, and the one file that has to be copied last. */
const LEFT_OUT = new Set([
  "postmaster.pid",
  "postmaster.opts",
  "backup_label",
  "tablespace_map",
  "backup_manifest",
  "postgresql.auto.conf.tmp",
  "current_logfiles.tmp",
  "global/pg_control",
]);
const CONTROL_READS = 100;
const CONTROL_PAUSE_MS = 10;

/** What of a cluster is copied while its server runs. */
export function takesOfCluster(path: string): boolean {
  const name = basename(path);
  const emptied = path !== name && EMPTIED.has(path.slice(0, path.indexOf("/")));
  return (
    !emptied &&
    !LEFT_OUT.has(path) &&
    !name.startsWith("pgsql_tmp") &&
    !name.startsWith("pg_internal.init")
  );
}

export async function backUpCluster({
  url,
  clusterDir,
  target,
  copy,
  onLost,
}: ClusterBackup): Promise<void> {
  const client = new Client({
    connectionString: asSuperuser(url),
    application_name: "tollgate backup",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", (cause) =>
    onLost(new Error("the database server went away in the middle of the backup", { cause })),
  );
  await client.connect();
  try {
    await refuseTablespaces(client);
    // As long as this connection lives, the server keeps the log from here on, however many
    // checkpoints come meanwhile.
    await client.query(
      "SELECT pg_create_physical_replication_slot('tollgate_backup_' || pg_backend_pid(), true, true)",
    );
    const { lsn: start } = await one<{ lsn: string }>(
      client,
      "SELECT pg_backup_start('tollgate backup', true) AS lsn",
    );
    await copy.folder(clusterDir, target, takesOfCluster);
    await copyControlFile(clusterDir, target, copy);
    // Ends the last piece of the log, too, so that all that is needed is in whole files.
    const { lsn: stop, label } = await one<{ lsn: string; label: string }>(
      client,
      "SELECT lsn, labelfile AS label FROM pg_backup_stop(wait_for_archive => false)",
    );
    await copy.write(
      join(target, "backup_label"),
      Buffer.from(label),
      join(clusterDir, "PG_VERSION"),
    );
    for (const name of await namesOfLog(client, start, stop)) {
      const path = join("pg_wal", name);
      if (!(await copy.file(join(clusterDir, path), join(target, path))))
        throw new Error(`the server has thrown ${name} of its log away, which the backup needs`);
    }
  } finally {
    // Without its connection a backup that has not been stopped is broken off by the server, and
    // the slot is gone.
    await client.end().catch(() => undefined);
  }
}

/** The server lets the users who may act for us be its superuser, over the same socket. */
function asSuperuser(url: string): string {
  const address = new URL(url);
  address.pathname = "/postgres";
  address.searchParams.set("user", "postgres");
  return address.toString();
}

async function one<T extends object>(client: Client, statement: string): Promise<T> {
  const { rows } = await client.query<T>(statement);
  if (rows[0] === undefined) throw new Error("the database server gave no answer");
  return rows[0];
}

/** Tollgate makes none. A copy of the map alone would start on the very files of the original. */
async function refuseTablespaces(client: Client): Promise<void> {
  const { rows } = await client.query(
    "SELECT FROM pg_tablespace WHERE spcname NOT IN ('pg_default', 'pg_global')",
  );
  if (rows.length > 0)
    throw new Error(
      "the database has tablespaces of its own, which this backup does not cover; use pg_basebackup",
    );
}

/** The files of the log from the one position to what comes before the other. */
async function namesOfLog(client: Client, start: string, stop: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT pg_walfile_name($1::pg_lsn + step) AS name
       FROM generate_series(0, $2::pg_lsn - 1 - $1::pg_lsn, pg_size_bytes(current_setting('wal_segment_size'))) AS step
     UNION SELECT pg_walfile_name($2::pg_lsn - 1) ORDER BY name`,
    [start, stop],
  );
  return rows.map(({ name }) => name);
}

/**
 * Last, as pg_basebackup does. The server rewrites it in place, and a reader may meet the middle of
 * that; what was read twice alike is whole.
 */
async function copyControlFile(clusterDir: string, target: string, copy: FileCopy): Promise<void> {
  const path = join(clusterDir, "global", "pg_control");
  let before = await readFile(path);
  for (let reads = 0; reads < CONTROL_READS; reads++) {
    await sleep(CONTROL_PAUSE_MS);
    const now = await readFile(path);
    if (now.equals(before)) return copy.write(join(target, "global", "pg_control"), now, path);
    before = now;
  }
  throw new Error(`${path} does not stand still`);
}
