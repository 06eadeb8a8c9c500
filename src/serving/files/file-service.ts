/** What is done with files, for requests and for tasks: all of it over one storage and one quota. */
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { usedBytes } from "../../files/files.store.ts";
import type { MediaWorkers } from "../../media/media-workers.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import type { Idempotency } from "../admission/idempotency.ts";
import { deleteFile, listFiles } from "./account-files.ts";
import { createFormFiles, type FormFiles } from "./form-files.ts";
import { createIntake, type Intake, type IntakeDeps } from "./intake.ts";
import { createNamedImages, type ReceiveNamedImage } from "./named-images.ts";
import { createFileReader, type FileReader, type FileReaderDeps } from "./open-file.ts";
import { createUploads, type UploadReport, type Uploads } from "./receive-upload.ts";
import { createTakeMedia, type TakeMedia } from "./take-media.ts";

export interface FileServiceDeps extends Omit<IntakeDeps, "media"> {
  readonly media: MediaWorkers;
  readonly clock: Clock;
  readonly idempotency: Idempotency;
  readonly safeFetch: SafeFetch;
  readonly delivery: FileReaderDeps["delivery"];
  /** Of one file. */
  readonly limitBytes: number;
  /** Without a slash at its end; asked when a URL is made, because the port may be known late. */
  staticUrl(): string;
  onUpload(report: UploadReport): void;
}

export interface FileService {
  readonly reader: FileReader;
  readonly uploads: Uploads;
  readonly formFiles: FormFiles;
  readonly receiveNamedImage: ReceiveNamedImage;
  readonly takeMedia: TakeMedia;
  /** For what an account sends beside uploads, within its quota. */
  readonly intake: Intake;
  /** For results of tasks: they were paid for, so that no quota refuses them. */
  readonly resultIntake: Intake;
  /** Of the account, newest first. */
  listFiles(
    owner: { readonly accountId: Uuid },
    page: Parameters<typeof listFiles>[2],
  ): ReturnType<typeof listFiles>;
  deleteFile(owner: { readonly accountId: Uuid }, name: string): ReturnType<typeof deleteFile>;
  /** How much of its quota an account uses. */
  readStorage(
    accountId: Uuid,
  ): Promise<{ readonly usedBytes: number; readonly limitBytes: number }>;
}

export function createFileService(deps: FileServiceDeps): FileService {
  const { db, quotaBytes } = deps;
  const intake = createIntake(deps);
  const reader = createFileReader(deps);
  const formFiles = createFormFiles({ intake });
  return {
    reader,
    intake,
    uploads: createUploads({ ...deps, intake, onDone: deps.onUpload }),
    formFiles,
    receiveNamedImage: createNamedImages({ ...deps, formFiles, reader }),
    takeMedia: createTakeMedia({ ...deps, intake }),
    resultIntake: createIntake({ ...deps, quotaBytes: Number.MAX_SAFE_INTEGER }),
    listFiles: ({ accountId }, page) => listFiles(deps, accountId, page),
    deleteFile: ({ accountId }, name) => deleteFile(deps, accountId, name),
    readStorage: async (accountId) => ({
      usedBytes: await usedBytes(db, accountId),
      limitBytes: quotaBytes,
    }),
  };
}
