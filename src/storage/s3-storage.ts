/**
 * Objects in a bucket of an S3-compatible server. Load it only where it is used: the SDK takes its
 * time and memory.
 */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type GetObjectCommandOutput,
  type ListMultipartUploadsCommandOutput,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { assert } from "../kernel/assert.ts";
import { guardedBody } from "./guarded-body.ts";
import { assertObjectKey, isObjectKey } from "./object-key.ts";
import { assertByteRange, type ByteRange, type ObjectStorage } from "./object-storage.ts";
import { answerOf, createS3Client, settingHeader, type S3Address } from "./s3-client.ts";
import { putS3Object, type S3Target } from "./s3-put.ts";
import { StorageError, toStorageError } from "./storage-error.ts";
import { asStorageFull } from "./storage-full.ts";
import { takeSource } from "./take-source.ts";

/** How long the server may be silent in the middle of a body. */
const SILENCE_MS = 30_000;
const CHECK_TIMEOUT_MS = 4_000;
/** S3 takes no more keys in one request. */
const REMOVALS_AT_ONCE = 1_000;
/** S3 signs for a week at most. */
const LONGEST_PRESIGNED_SECONDS = 604_800;

/** Opens no connection; `check` does. */
export function openS3Storage(address: S3Address, { silenceMs = SILENCE_MS } = {}): ObjectStorage {
  const client = createS3Client(address);
  const Bucket = address.bucket;

  function targetOf(key: string): S3Target {
    assertObjectKey(key);
    return { Bucket, Key: address.prefix + key };
  }

  return {
    kind: "s3",

    async put(key, source, { contentType, signal }) {
      const target = targetOf(key);
      const taken = takeSource(source, signal);
      try {
        return { bytes: await putS3Object(client, target, source, { contentType, taken }) };
      } catch (error) {
        throw asStorageFull(error);
      } finally {
        taken.release();
      }
    },

    async read(key, range) {
      if (range !== undefined) assertByteRange(range);
      const command = new GetObjectCommand({
        ...targetOf(key),
        ...(range && { Range: `bytes=${range.first}-${range.last}` }),
      });
      let answer: GetObjectCommandOutput;
      try {
        answer = await answerOf("GetObject", client.send(command));
      } catch (error) {
        if (isMissing(error)) return null;
        // The range begins past the end.
        if (error instanceof StorageError && error.status === 416)
          return Readable.from([], { objectMode: false });
        throw error;
      }
      const body = answer.Body as unknown as Readable;
      try {
        return guardedBody(body, { wantedBytes: wantedBytes(answer, range), silenceMs });
      } catch (error) {
        body.destroy();
        throw error;
      }
    },

    async size(key) {
      try {
        const { ContentLength } = await answerOf(
          "HeadObject",
          client.send(new HeadObjectCommand(targetOf(key))),
        );
        return ContentLength ?? null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    localPath: (key) => {
      assertObjectKey(key);
      return null;
    },

    async presign(key, { seconds, contentType, contentDisposition, cacheControl }) {
      assert(
        seconds >= 1 && seconds <= LONGEST_PRESIGNED_SECONDS,
        "an address is signed for a second to a week",
      );
      const command = new GetObjectCommand({
        ...targetOf(key),
        ResponseContentType: contentType,
        ResponseCacheControl: cacheControl,
        ...(contentDisposition !== null && { ResponseContentDisposition: contentDisposition }),
      });
      return answerOf(
        "GetObject",
        getSignedUrl(client, command, { expiresIn: Math.floor(seconds) }),
      );
    },

    async remove(keys) {
      const targets = keys.map(targetOf);
      for (let start = 0; start < targets.length; start += REMOVALS_AT_ONCE) {
        await removeObjects(targets.slice(start, start + REMOVALS_AT_ONCE));
      }
    },

    async sweepUnfinished(olderThanMs) {
      const before = Date.now() - olderThanMs;
      let removed = 0;
      let marker: Pick<ListMultipartUploadsCommandOutput, "NextKeyMarker" | "NextUploadIdMarker"> =
        {};
      for (;;) {
        const page = await listUnfinished(marker);
        for (const { Key = "", UploadId = "", Initiated } of page.Uploads ?? []) {
          // In a bucket that others use too, theirs is not ours to end.
          if (!Key.startsWith(address.prefix) || !isObjectKey(Key.slice(address.prefix.length)))
            continue;
          if (Initiated === undefined || Initiated.getTime() > before) continue;
          await abortUpload(Key, UploadId);
          removed += 1;
        }
        if (page.IsTruncated !== true) return removed;
        marker = page;
      }
    },

    async check() {
      await answerOf(
        "HeadBucket",
        client.send(new HeadBucketCommand({ Bucket }), {
          abortSignal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
        }),
      );
    },

    close() {
      client.destroy();
      return Promise.resolve();
    },
  };

  async function removeObjects(targets: readonly S3Target[]): Promise<void> {
    const command = new DeleteObjectsCommand({
      Bucket,
      Delete: { Quiet: true, Objects: targets.map(({ Key }) => ({ Key })) },
    });
    // Servers older than the CRC32 that the SDK sends insist on this one.
    command.middlewareStack.add(
      settingHeader("content-md5", (body) =>
        createHash("md5")
          .update(body as string)
          .digest("base64"),
      ),
      { step: "build" },
    );
    const { Errors = [] } = await answerOf("DeleteObjects", client.send(command));
    const failed = Errors.find(({ Code }) => Code !== "NoSuchKey");
    if (failed !== undefined) throw toStorageError("DeleteObjects", { name: failed.Code });
  }

  async function listUnfinished(from: {
    readonly NextKeyMarker?: string | undefined;
    readonly NextUploadIdMarker?: string | undefined;
  }): Promise<
    Pick<
      ListMultipartUploadsCommandOutput,
      "Uploads" | "IsTruncated" | "NextKeyMarker" | "NextUploadIdMarker"
    >
  > {
    const command = new ListMultipartUploadsCommand({
      Bucket,
      Prefix: address.prefix,
      KeyMarker: from.NextKeyMarker,
      UploadIdMarker: from.NextUploadIdMarker,
    });
    try {
      return await answerOf("ListMultipartUploads", client.send(command));
    } catch (error) {
      // Such a server has to be told to expire them itself.
      if (error instanceof StorageError && error.status === 501) return {};
      throw error;
    }
  }

  async function abortUpload(Key: string, UploadId: string): Promise<void> {
    try {
      await answerOf(
        "AbortMultipartUpload",
        client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
      );
    } catch (error) {
      // Another process's sweep was here first, or the upload has ended by now.
      if (!isMissing(error)) throw error;
    }
  }
}

/** A missing bucket is no missing object. HEAD has no body to tell them apart; `check` does. */
function isMissing(error: unknown): boolean {
  return error instanceof StorageError && error.status === 404 && error.code !== "NoSuchBucket";
}

/** How much of the body was asked for. Rejects an answer that does not begin where it should. */
function wantedBytes(answer: GetObjectCommandOutput, range: ByteRange | undefined): number {
  const sent = answer.ContentLength;
  if (sent === undefined)
    throw new StorageError("GetObject", "NoContentLength", answer.$metadata.httpStatusCode ?? null);
  if (range === undefined) return sent;
  // A server that knows no ranges answers with everything from the first byte.
  const begin = Number(/^bytes (\d+)-/.exec(answer.ContentRange ?? "bytes 0-")?.[1]);
  if (begin !== range.first)
    throw new StorageError("GetObject", "WrongRange", answer.$metadata.httpStatusCode ?? null);
  return Math.min(sent, range.last - range.first + 1);
}
