/** `tollgate backup`: copies the whole installation while it serves. */
import { join, resolve } from "node:path";
import type { Backup } from "../../business/operate/back-up-installation.ts";
import { parseStorageUrl } from "../../storage/parse-storage-url.ts";
import type { CliDeps, Command, Outcome } from "../command.ts";
import { done, failed, usage } from "../command.ts";

const USE_PG_DUMP =
  'DATABASE_URL is set, and this command copies the embedded database only. Use pg_dump "$DATABASE_URL" --format=custom --file=tollgate.dump, and copy the stored files beside it (docs/production.md)';

/** So many lines a backup at most, and none more often than that. */
const PROGRESS_LINES = 20;
const PROGRESS_MS = 1_000;

export const backup: Command = {
  name: "backup",
  summary:
    "Copy the embedded database and the stored files, while the gateway serves, into a folder that can be started from",
  positionals: [{ name: "FOLDER", help: "where to; must not exist or be empty" }],
  options: {},
  async run({ positionals, deps }): Promise<Outcome> {
    const folder = positionals["FOLDER"] ?? "";
    if (folder === "") return usage("FOLDER is empty");
    const reading = deps.describeConfig();
    if (!reading.ok) return failed(reading.mistakes.join("\n"));
    const {
      DATABASE_URL: databaseUrl = "",
      DATA_DIR: dataDir = "",
      STORAGE_URL: storageUrl = "",
    } = reading.values;
    if (/^postgres(ql)?:/.test(databaseUrl)) return failed(USE_PG_DUMP);
    const storage = parseStorageUrl(storageUrl);
    const filesFolder = storage.ok && storage.place.kind === "local" ? storage.place.folder : null;

    const { backUpInstallation } = await import("../../business/operate/back-up-installation.ts");
    const startedAt = performance.now();
    const made = await interruptible((signal) =>
      backUpInstallation({ dataDir, filesFolder, folder, signal, onProgress: tellProgress(deps) }),
    );
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1));
    return done({ ...made, seconds }, describe(made, seconds, filesFolder, dataDir));
  },
};

function describe(
  made: Backup,
  seconds: number,
  filesFolder: string | null,
  dataDir: string,
): string {
  const lines = [
    `The backup is in ${made.folder}: ${made.files} files, ${megabytes(made.bytes)}, in ${seconds} s.`,
  ];
  if (filesFolder === null) lines.push("Stored files are in S3 and not part of it.");
  else if (join(dataDir, made.filesFolder ?? "") !== resolve(filesFolder))
    lines.push(
      `Stored files are in it under ${made.filesFolder}; STORAGE_URL has them in ${filesFolder}.`,
    );
  lines.push(
    "It is a DATA_DIR: put in the place of the old one, it is started like any other. What is in .env is not part of it.",
  );
  return lines.join("\n");
}

/**
 * A backup that is told to stop still clears up, also when it is told twice: by the terminal and by
 * npm.
 */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const stop = (): void =>
    interruption.abort(new Error("it was interrupted; nothing is left of it"));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of signals) process.on(name, stop);
  try {
    return await work(interruption.signal);
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}

/** For a person at a terminal; a night's log has no use for it. */
function tellProgress(deps: Pick<CliDeps, "err">): (bytes: number, totalBytes: number) => void {
  let reportedBytes = 0;
  let reportedMs = performance.now();
  return (bytes, totalBytes) => {
    const nowMs = performance.now();
    const soon =
      bytes - reportedBytes < totalBytes / PROGRESS_LINES || nowMs - reportedMs < PROGRESS_MS;
    if (soon || !process.stderr.isTTY) return;
    [reportedBytes, reportedMs] = [bytes, nowMs];
    deps.err(`${megabytes(bytes)} of about ${megabytes(totalBytes)} copied`);
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
