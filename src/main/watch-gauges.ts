/**
 * What /metrics tells of a process at any moment: what runs and waits, and how much room is left on
 * its disks.
 */
import { statfs } from "node:fs/promises";
import type { Metrics } from "../http/metrics.ts";
import { parseStorageUrl } from "../storage/parse-storage-url.ts";
import { repeat, type Repeater } from "../process/repeat.ts";
import type { Parts } from "./parts.ts";

export function watchWork(
  metrics: Pick<Metrics, "watch">,
  active: () => number,
  ledger: {
    readonly queued: { readonly grants: number; readonly elements: number };
  },
): void {
  metrics.watch({
    name: "chat_active",
    help: "Chat requests and other calls that run now.",
    read: active,
  });
  metrics.watch({
    name: "ledger_queued",
    help: "Money decisions waiting for their batch.",
    label: "pipeline",
    read: () => new Map(Object.entries(ledger.queued)),
  });
}

const LOOK_AT_DISKS_MS = 30_000;

/** A full disk stops the embedded database, and with it everything. To be stopped. */
export function watchDisks({ metrics, config, onError }: Parts): Repeater {
  const { databaseUrl, dataDir, storageUrl } = config;
  const storage = parseStorageUrl(storageUrl);
  const folders = new Map<string, string>();
  if (databaseUrl === null) folders.set("database", dataDir);
  if (storage.ok && storage.place.kind === "local") folders.set("files", storage.place.folder);
  const free = new Map<string, number>();
  metrics.watch({
    name: "disk_free_bytes",
    help: "Room for this user on the disks of this machine that the embedded database and the stored files lie on.",
    label: "of",
    together: "max",
    read: () => free,
  });
  const look = async (): Promise<void> => {
    for (const [of, folder] of folders) {
      const { bavail, bsize } = await statfs(folder);
      free.set(of, bavail * bsize);
    }
  };
  const failure = "the room on the disks could not be read";
  look().catch((error: unknown) => onError(failure, error));
  return repeat(onError, { [failure]: [LOOK_AT_DISKS_MS, look] });
}
