/**
 * Composition of files: where their bytes lie, what looks into them, the use cases around them, and
 * the sweeper behind them.
 */
import type { Db } from "../db/database.ts";
import { deleteFile } from "../serving/files/delete-file.ts";
import { createIntake, type Intake } from "../serving/files/intake.ts";
import { listFiles } from "../serving/files/list-files.ts";
import { createFileReader } from "../serving/files/open-file.ts";
import { createUploads, type UploadReport } from "../serving/files/receive-upload.ts";
import { createFileSweeper } from "../serving/files/sweep-files.ts";
import { createTakeMedia, type TakeMedia } from "../serving/files/take-media.ts";
import type { Idempotency } from "../serving/admission/idempotency.ts";
import type { FilesUseCases } from "../http/routes/files.ts";
import type { StorageUseCases } from "../http/routes/storage.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Uuid } from "../kernel/ids.ts";
import { createMediaWorkers } from "../media/media-workers.ts";
import type { SafeFetch } from "../net/safe-fetch.ts";
import { describeDiskError } from "../storage/disk.ts";
import { openStorage } from "../storage/open-storage.ts";
import { parseStorageUrl } from "../storage/parse-storage-url.ts";
import type { Config } from "../config/config.ts";
import { countBy } from "../http/count-by.ts";
import { every } from "./every.ts";
import type { Log } from "../log/log.ts";
import { StartRefused } from "./start-refused.ts";

export interface FilesDeps {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "watch">;
  readonly ownerId: Uuid;
  readonly idempotency: Idempotency;
  readonly safeFetch: SafeFetch;
  /** Whether this process clears up behind time and dead processes. */
  readonly sweeps: boolean;
  /** As hold recovery judges it. */
  isDead(ownerId: Uuid): Promise<boolean>;
  /** Without a slash at its end; asked when a URL is made, because the port may be known late. */
  staticUrl(): string;
  onError(what: string, error: unknown): void;
}

export interface Files {
  readonly useCases: StorageUseCases & FilesUseCases;
  readonly takeMedia: TakeMedia;
  /** For results of tasks: they were paid for, so that no quota refuses them. */
  readonly resultIntake: Intake;
  /** Rejects, within a few seconds, when files can be neither stored nor read. */
  check(): Promise<void>;
  readonly activeUploads: number;
  /** Takes no more uploads, waits so long for those that run, and cuts off the rest. */
  drain(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

const SWEEP_MS = 60_000;
const DEFAULT_STATIC_PATH = "/static";

function refuseStorage(cause: unknown): never {
  throw new StartRefused(
    `STORAGE_URL: files cannot be kept there: ${describeDiskError(cause)}. Set it to file: and a folder that this user may write, or to a bucket.`,
    { cause },
  );
}

export async function openFiles(deps: FilesDeps): Promise<Files> {
  const { config, db, clock, log, metrics, ownerId, onError, staticUrl } = deps;
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
  const intakeDeps = {
    db,
    storage,
    media,
    ownerId,
    retentionDays: config.fileRetentionDays,
    onError,
  };
  const intake = createIntake({ ...intakeDeps, quotaBytes: config.accountStorageBytes });
  const outcomes = countBy(metrics, {
    name: "uploads",
    help: "Uploads that have ended, by outcome.",
    label: "outcome",
  });
  let storedBytes = 0;
  /** As of the last check: it is asked often, and told once. */
  let silent = false;
  const uploads = createUploads({
    intake,
    db,
    ownerId,
    idempotency: deps.idempotency,
    staticUrl,
    limitBytes: config.uploadLimitBytes,
    quotaBytes: config.accountStorageBytes,
    onDone({ outcome, bytes }: UploadReport) {
      outcomes(outcome);
      storedBytes += bytes;
    },
  });
  const sweeper = createFileSweeper({ db, storage, clock, isDead: deps.isDead, onError });
  const sweep = async (): Promise<void> => {
    const { abandoned, unfinished, ...rest } = await sweeper.sweep();
    if (abandoned + unfinished > 0)
      log.info(
        { abandoned, unfinished, ...rest },
        "cleared away what uploads of dead processes had left",
      );
  };
  const firstSweep = deps.sweeps ? sweep() : Promise.resolve();
  const sweeps = deps.sweeps
    ? every(SWEEP_MS, sweep, (error) => onError("a sweep of the files failed", error))
    : null;

  metrics.watch({
    name: "uploads_active",
    help: "Uploads that run now.",
    read: () => uploads.active,
  });
  metrics.watch({
    name: "upload_stored_bytes",
    help: "Bytes of the files that uploads have stored.",
    read: () => storedBytes,
  });
  if (deps.sweeps) {
    metrics.watch({
      name: "files_stored",
      help: "Stored files of all accounts, and their bytes, as of the last sweep.",
      label: "unit",
      together: "max",
      read: () => new Map(Object.entries(sweeper.totals)),
    });
  }

  return {
    useCases: {
      ...createFileReader({ db, storage, clock, delivery: config.storageDelivery }),
      staticPath:
        config.staticUrl === null
          ? DEFAULT_STATIC_PATH
          : new URL(config.staticUrl).pathname.replace(/\/+$/, ""),
      uploadLimitBytes: config.uploadLimitBytes,
      receiveUpload: (call) => uploads.receive(call),
      listFiles: (key, page) => listFiles({ db, staticUrl }, key.accountId, page),
      deleteFile: (key, name) => deleteFile({ db, storage, onError }, key.accountId, name),
    },
    takeMedia: createTakeMedia({
      db,
      storage,
      media,
      intake,
      safeFetch: deps.safeFetch,
      staticUrl,
      limitBytes: config.uploadLimitBytes,
    }),
    resultIntake: createIntake({ ...intakeDeps, quotaBytes: Number.MAX_SAFE_INTEGER }),
    async check() {
      try {
        await storage.check();
        if (silent) log.info("the storage answers again");
        silent = false;
      } catch (error) {
        if (!silent) onError("the storage does not answer", error);
        silent = true;
        throw error;
      }
    },
    get activeUploads() {
      return uploads.active;
    },
    drain: (deadlineMs) => uploads.drain(deadlineMs),
    async close() {
      await uploads.drain(0);
      await sweeps?.stop();
      await firstSweep;
      await media.close();
      await storage.close();
    },
  };
}
