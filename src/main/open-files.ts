/**
 * Composition of files: where their bytes lie, what looks into them, what is done with them, and the
 * sweeper behind them.
 */
import { countBy } from "../http/count-by.ts";
import { reportUploads } from "../http/report-uploads.ts";
import type { FilesUseCases } from "../http/routes/files.ts";
import type { ImagesUseCases } from "../http/routes/images.ts";
import type { StorageUseCases } from "../http/routes/storage.ts";
import type { Uuid } from "../kernel/ids.ts";
import { createMediaWorkers, type MediaWorkers } from "../media/media-workers.ts";
import { repeat, type Repeater } from "../process/repeat.ts";
import { StartRefused } from "../process/start-refused.ts";
import { createFileService, type FileService } from "../serving/files/file-service.ts";
import { createFileSweeper } from "../serving/files/sweep-files.ts";
import { describeDiskError } from "../storage/disk.ts";
import type { ObjectStorage } from "../storage/object-storage.ts";
import { openStorage } from "../storage/open-storage.ts";
import { parseStorageUrl } from "../storage/parse-storage-url.ts";
import type { Parts } from "./parts.ts";

export interface Files extends Pick<
  FileService,
  "takeMedia" | "intake" | "resultIntake" | "receiveNamedImage"
> {
  readonly storage: ObjectStorage;
  readonly media: Pick<MediaWorkers, "toPng">;
  readonly useCases: StorageUseCases &
    FilesUseCases &
    ImagesUseCases &
    Pick<FileService, "readStorage">;
  /** Rejects, within a few seconds, when files can be neither stored nor read. */
  check(): Promise<void>;
  readonly activeUploads: number;
  /** Takes no more uploads, waits so long for those that run, and cuts off the rest. */
  drain(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

const SWEEP_MS = 60_000;
const DEFAULT_STATIC_PATH = "/static";

/** @param isDead as hold recovery judges it. */
export async function openFiles(
  parts: Parts,
  isDead: (ownerId: Uuid) => Promise<boolean>,
): Promise<Files> {
  const { config, metrics } = parts;
  const storage = await openStorage(config.storageUrl).catch(refuseStorage);
  const place = parseStorageUrl(config.storageUrl);
  const looks = countBy(metrics, {
    name: "media_looks",
    help: "Looks into files by the media workers, by task and outcome.",
    label: "outcome",
  });
  const media = createMediaWorkers({
    readable: place.ok && place.place.kind === "local" ? [place.place.folder] : [],
    onLook: ({ task, outcome }) => looks(`${task} ${outcome}`),
  });
  const service: FileService = createFileService({
    ...parts,
    storage,
    media,
    retentionDays: config.fileRetentionDays,
    quotaBytes: config.accountStorageBytes,
    limitBytes: config.uploadLimitBytes,
    delivery: config.storageDelivery,
    onUpload: reportUploads(metrics, () => service.uploads.active),
  });
  const {
    uploads,
    formFiles,
    listFiles,
    deleteFile,
    readStorage,
    takeMedia,
    intake,
    resultIntake,
    receiveNamedImage,
  } = service;
  const sweeps = parts.roles.has("worker") ? startSweeps(parts, storage, isDead) : null;

  return {
    useCases: {
      ...service.reader,
      staticPath:
        config.staticUrl === null
          ? DEFAULT_STATIC_PATH
          : new URL(config.staticUrl).pathname.replace(/\/+$/, ""),
      uploadLimitBytes: config.uploadLimitBytes,
      receiveUpload: (call) => uploads.receive(call),
      receiveFormFile: (call) => formFiles.receive(call),
      listFiles,
      deleteFile,
      readStorage,
    },
    storage,
    media,
    takeMedia,
    intake,
    resultIntake,
    receiveNamedImage,
    check: checkStorage(parts, storage),
    get activeUploads() {
      return uploads.active;
    },
    async drain(deadlineMs) {
      await Promise.all([uploads.drain(deadlineMs), formFiles.drain(deadlineMs)]);
    },
    async close() {
      await Promise.all([uploads.drain(0), formFiles.drain(0)]);
      await sweeps?.stop();
      await media.close();
      await storage.close();
    },
  };
}

function refuseStorage(cause: unknown): never {
  throw new StartRefused(
    `STORAGE_URL: files cannot be kept there: ${describeDiskError(cause)}. Set it to file: and a folder that this user may write, or to a bucket.`,
    { cause },
  );
}

/** Clears up behind time and dead processes. */
function startSweeps(
  { db, clock, log, metrics, onError }: Parts,
  storage: ObjectStorage,
  isDead: (ownerId: Uuid) => Promise<boolean>,
): Repeater {
  const sweeper = createFileSweeper({ db, storage, clock, isDead, onError });
  const sweep = async (): Promise<void> => {
    const { abandoned, unfinished, ...rest } = await sweeper.sweep();
    if (abandoned + unfinished > 0)
      log.info(
        { abandoned, unfinished, ...rest },
        "cleared away what uploads of dead processes had left",
      );
  };
  const failure = "a sweep of the files failed";
  const first = sweep().catch((error: unknown) => onError(failure, error));
  const repeater = repeat(onError, { [failure]: [SWEEP_MS, sweep] });
  metrics.watch({
    name: "files_stored",
    help: "Stored files of all accounts, and their bytes, as of the last sweep.",
    label: "unit",
    together: "max",
    read: () => new Map(Object.entries(sweeper.totals)),
  });
  return {
    async stop() {
      await repeater.stop();
      await first;
    },
  };
}

function checkStorage({ log, onError }: Parts, storage: ObjectStorage): () => Promise<void> {
  /** As of the last check: it is asked often, and told once. */
  let silent = false;
  return async () => {
    try {
      await storage.check();
      if (silent) log.info("the storage answers again");
      silent = false;
    } catch (error) {
      if (!silent) onError("the storage does not answer", error);
      silent = true;
      throw error;
    }
  };
}
