/**
 * Takes an upload out of a multipart body as it comes: of a key's caller and of a session of the
 * panel alike.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { PendingUpload, UploadAnswer, UploadCall } from "../serving/files/receive-upload.ts";
import { readIdempotencyKey } from "../idempotency/idempotency-key.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import {
  MULTIPART_OVERHEAD_BYTES,
  readBoundary,
  readMultipartFile,
  tooLarge,
} from "./multipart-file.ts";
import type { MultipartFile } from "./multipart-file.ts";
import type { IncomingBody, RouteCall } from "./route.ts";
import type { PaceLimits } from "./sender-pace.ts";

export interface UploadUseCases {
  /** Of one file. */
  readonly uploadLimitBytes: number;
  /** Reads the source to its end; what it then gives is to be committed or discarded. */
  receiveUpload(call: UploadCall): Promise<PendingUpload>;
}

export interface UploadEndpointDeps {
  readonly useCases: UploadUseCases;
  readonly clock: Clock;
  /** How fast an upload has to come. */
  readonly pace: PaceLimits;
}

export interface UploadEndpoint {
  /** Throws what can be said of an upload by its headers alone. */
  checkHead(headers: IncomingHttpHeaders): void;
  /** `key`: whose the file will be. */
  take(
    call: RouteCall<unknown> & { readonly body: IncomingBody },
    key: UploadCall["key"],
  ): Promise<UploadAnswer>;
}

export function createUploadEndpoint({
  useCases,
  clock,
  pace,
}: UploadEndpointDeps): UploadEndpoint {
  return {
    checkHead(headers) {
      const encoding = headers["content-encoding"];
      if (encoding !== undefined && encoding !== "identity") {
        throw new Fault("unsupported_media_type", {
          message: "Send the body uncompressed; content-encoding is not taken.",
        });
      }
      readBoundary(headers["content-type"]);
      readIdempotencyKey(headers["idempotency-key"]);
      const { uploadLimitBytes } = useCases;
      if (Number(headers["content-length"] ?? 0) > uploadLimitBytes + MULTIPART_OVERHEAD_BYTES)
        throw tooLarge(uploadLimitBytes);
    },

    async take({ body, headers, requestId }, key) {
      const { uploadLimitBytes: limitBytes } = useCases;
      body.begin();
      const file = await readMultipartFile(body.request, {
        boundary: readBoundary(headers["content-type"]),
        limitBytes,
        pace,
        clock,
      });
      const declared = headers["content-length"];
      const pending = await received(file, () =>
        useCases.receiveUpload({
          requestId,
          key,
          fileName: file.fileName,
          declaredBytes: declared === undefined ? null : Number(declared),
          source: file.source,
          idempotencyKey: readIdempotencyKey(headers["idempotency-key"]),
          signal: body.signal,
        }),
      );
      // It has all of the file, which ends well only where all of the body was in order; by now the
      // client may only have left.
      if (file.fault === null && !body.signal.aborted) return pending.commit();
      await pending.discard();
      throw (
        file.fault ??
        new Fault("invalid_request", { message: "The connection ended before the answer." })
      );
    },
  };
}

/**
 * Of the errors that one refusal shows as, the one that says what is wrong with the body comes
 * first.
 */
async function received(
  file: MultipartFile,
  receive: () => Promise<PendingUpload>,
): Promise<PendingUpload> {
  try {
    return await receive();
  } catch (error) {
    throw file.fault ?? error;
  } finally {
    file.abandon();
  }
}
