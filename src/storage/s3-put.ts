/** Stores a stream in S3 within two parts' memory, whole or not at all. */
import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from "@aws-sdk/client-s3";
import { assert } from "../kernel/assert.ts";
import { answerOf, settingHeader } from "./s3-client.ts";
import { splitParts, type Part } from "./split-parts.ts";
import { StorageError } from "./storage-error.ts";
import type { TakenSource } from "./take-source.ts";

export interface S3Target {
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * The least that S3 takes; the last part may be shorter. One is sent while the next is filled, so
 * an upload holds 10 MiB at most. A file of 200 MB is 40 parts, of the 10,000 that there may be.
 */
const PART_BYTES = 5 * 1024 * 1024;
/** All attempts to undo together: a caller waits for the answer, and the sweeper comes anyway. */
const UNDO_TIMEOUT_MS = 15_000;

/**
 * Returns the bytes stored. On any failure nothing is left that the server still answers for; what
 * it does not, `sweepUnfinished` takes. Not lib-storage's `Upload`: it neither ends the parts under
 * way on an abort nor waits for its own undoing, leaves the upload behind when the last step fails,
 * and hashes and joins whole parts at once, for twice the CPU and memory.
 */
export async function putS3Object(
  client: S3Client,
  target: S3Target,
  source: Readable,
  { contentType, taken }: { readonly contentType: string; readonly taken: TakenSource },
): Promise<number> {
  let uploadId: string | null = null;
  /** Whether the server may have made an object of what it was sent. */
  let offered = false;
  const parts: CompletedPart[] = [];
  let underWay: Promise<void> = Promise.resolve();
  let bytes = 0;

  async function sendPart(part: Part): Promise<void> {
    const command = new UploadPartCommand({
      ...target,
      UploadId: uploadId ?? "",
      PartNumber: part.number,
      Body: part.bytes,
    });
    command.middlewareStack.add(payloadHash(part.sha256), { step: "build" });
    const { ETag } = await answerOf(
      "UploadPart",
      client.send(command, { abortSignal: taken.signal }),
      taken.signal,
    );
    if (ETag === undefined) throw new StorageError("UploadPart", "NoETag", null);
    parts.push({ PartNumber: part.number, ETag });
  }

  try {
    taken.signal.throwIfAborted();
    for await (const part of splitParts(source, PART_BYTES)) {
      taken.signal.throwIfAborted();
      bytes += part.bytes.length;
      if (part.number === 1 && part.last) {
        const command = new PutObjectCommand({
          ...target,
          Body: part.bytes,
          ContentType: contentType,
        });
        command.middlewareStack.add(payloadHash(part.sha256), { step: "build" });
        offered = true;
        await answerOf(
          "PutObject",
          client.send(command, { abortSignal: taken.signal }),
          taken.signal,
        );
        return bytes;
      }
      // Not aborted with the rest: without the answer it would not be known what to undo.
      uploadId ??= await createUpload(client, target, contentType);
      await underWay;
      underWay = sendPart(part);
      // So that a refused part does not wait for a source that is in no hurry.
      underWay.catch((error: unknown) => taken.fail(error));
    }
    await underWay;
    taken.signal.throwIfAborted();
    assert(uploadId !== null, "more than one part is a multipart upload");
    offered = true;
    const completion = new CompleteMultipartUploadCommand({
      ...target,
      UploadId: uploadId,
      MultipartUpload: { Parts: parts },
    });
    await answerOf("CompleteMultipartUpload", client.send(completion));
    return bytes;
  } catch (error) {
    taken.fail(error);
    // A part that arrives after the abort would stay.
    await underWay.catch(() => undefined);
    await undo(client, target, { uploadId, offered });
    throw error;
  }
}

async function createUpload(
  client: S3Client,
  target: S3Target,
  contentType: string,
): Promise<string> {
  const command = new CreateMultipartUploadCommand({ ...target, ContentType: contentType });
  const { UploadId } = await answerOf("CreateMultipartUpload", client.send(command));
  if (UploadId === undefined) throw new StorageError("CreateMultipartUpload", "NoUploadId", null);
  return UploadId;
}

async function undo(
  client: S3Client,
  target: S3Target,
  left: { readonly uploadId: string | null; readonly offered: boolean },
): Promise<void> {
  const options = { abortSignal: AbortSignal.timeout(UNDO_TIMEOUT_MS) };
  const work: Promise<unknown>[] = [];
  if (left.uploadId !== null)
    work.push(
      client.send(new AbortMultipartUploadCommand({ ...target, UploadId: left.uploadId }), options),
    );
  if (left.offered) work.push(client.send(new DeleteObjectCommand(target), options));
  // The first error is what the caller has to know.
  await Promise.allSettled(work);
}

/** With this header set, the SDK signs this hash and does not read the whole part once more. */
const payloadHash = (sha256: string) => settingHeader("x-amz-content-sha256", () => sha256);
