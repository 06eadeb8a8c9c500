/** `/v1/files`: private files of the OpenAI protocol, for batches and of them (contract §13). */
import Type from "typebox";
import {
  EXPIRES_AFTER,
  FileDeleted,
  FileList,
  FileObject,
  FileUploadBody,
} from "../../contract/batch.ts";
import { readIdempotencyKey } from "../../idempotency/idempotency-key.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { formatFileId, parseFileId } from "../../serving/batches/batch-ids.ts";
import type {
  BatchFiles,
  ReceivedBatchFile,
  StoredBatchFile,
} from "../../serving/batches/batch-files.ts";
import { fileObject } from "../batch-bodies.ts";
import { readBoundary, tooLarge } from "../multipart-file.ts";
import { MOST_BESIDE_FILES_BYTES, readMultipartForm, soleTexts } from "../multipart-form.ts";
import { replayHeaders } from "../replay-headers.ts";
import type { IncomingBody, Route, RouteCall } from "../route.ts";
import { keyRoute, streamedRoute } from "../route.ts";
import type { PaceLimits } from "../sender-pace.ts";
import { IDEMPOTENCY_KEY } from "./chat-headers.ts";

export interface BatchFilesRouteDeps {
  readonly files: BatchFiles;
  readonly clock: Clock;
  readonly pace: PaceLimits;
}

const MOST_ON_A_PAGE = 10_000;
const NO_QUERY = Type.Object({});

const ListQuery = Type.Object({
  purpose: Type.Optional(Type.String({ description: "Only of this purpose." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_ON_A_PAGE, default: 1000 })),
  after: Type.Optional(Type.String({ description: "`last_id` of the page before." })),
  order: Type.Optional(Type.Literal("desc", { description: "Newest first, as they always come." })),
});

const FILE_ID = {
  id: { description: "The file.", example: "file-0199a1b2c3d47e5f8a9b0c1d2e3f4a5b" },
};

export function batchFilesRoutes(deps: BatchFilesRouteDeps): Route[] {
  const { files } = deps;
  return [
    streamedRoute({
      method: "POST",
      path: "/v1/files",
      doc: {
        operationId: "uploadBatchFile",
        summary: "Stores a file of requests for a batch",
        description:
          "multipart/form-data with `purpose=batch` and the part `file`: one JSON object on each line, with `custom_id`, `method`, `url` and `body`. " +
          "The file is private: it has no URL, counts in the account's room for files, and lives as long as other files do, or as `expires_after` says.",
        tag: "Batches",
        headers: IDEMPOTENCY_KEY,
        requestBody: FileUploadBody,
        requestType: "multipart/form-data",
        responses: {
          200: { description: "The file.", content: { "application/json": FileObject } },
        },
        errors: [400, 401, 403, 408, 409, 410, 413, 415, 429, 503, 507],
      },
      streamed: {
        checkHead(headers) {
          const encoding = headers["content-encoding"];
          if (encoding !== undefined && encoding !== "identity")
            throw new Fault("unsupported_media_type", {
              message: "Send the body uncompressed; content-encoding is not taken.",
            });
          readBoundary(headers["content-type"]);
          readIdempotencyKey(headers["idempotency-key"]);
          if (Number(headers["content-length"] ?? 0) > files.limitBytes + MOST_BESIDE_FILES_BYTES)
            throw tooLarge(files.limitBytes);
        },
      },
      async handle(call) {
        const { replayOf, ...file } = await take(deps, call);
        return { headers: replayHeaders(replayOf), content: { json: fileObject(file) } };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/files",
      query: ListQuery,
      doc: {
        operationId: "listBatchFiles",
        summary: "The account's files for batches and of them, newest first",
        tag: "Batches",
        responses: { 200: { description: "A page.", content: { "application/json": FileList } } },
        errors: [400, 401, 403],
      },
      async handle({ key, query }) {
        const { limit = 1000, after, purpose = null } = query;
        const { accountId } = key;
        const before = after === undefined ? null : cursorOf(after);
        const found = await files.list({ accountId, purpose, before, limit: limit + 1 });
        const data = found.slice(0, limit).map(fileObject);
        const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
        return {
          content: { json: { object: "list", data, ...ends, has_more: found.length > limit } },
        };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/files/{id}",
      query: NO_QUERY,
      doc: {
        operationId: "getBatchFile",
        summary: "One file",
        tag: "Batches",
        pathParameters: FILE_ID,
        responses: {
          200: { description: "The file.", content: { "application/json": FileObject } },
        },
        errors: [401, 403],
      },
      async handle({ key, params }) {
        const file = await files.find(key.accountId, params["id"] ?? "");
        return { content: { json: fileObject(file) } };
      },
    }),
    keyRoute({
      method: "DELETE",
      path: "/v1/files/{id}",
      query: NO_QUERY,
      doc: {
        operationId: "deleteBatchFile",
        summary: "Removes a file before its time",
        description: "409 while a batch that has not ended reads it.",
        tag: "Batches",
        pathParameters: FILE_ID,
        responses: {
          200: { description: "It is gone.", content: { "application/json": FileDeleted } },
        },
        errors: [401, 403, 409],
      },
      async handle({ key, params }) {
        const id = params["id"] ?? "";
        await files.remove(key.accountId, id);
        return { content: { json: { id, object: "file", deleted: true } } };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/files/{id}/content",
      query: NO_QUERY,
      doc: {
        operationId: "getBatchFileContent",
        summary: "The bytes of a file",
        tag: "Batches",
        pathParameters: FILE_ID,
        responses: {
          200: {
            description: "As they were stored.",
            content: { "application/jsonl": Type.String() },
          },
        },
        errors: [401, 403],
      },
      async handle({ key, params }) {
        const file = await files.find(key.accountId, params["id"] ?? "");
        const content = {
          contentType: "application/jsonl",
          sizeBytes: file.bytes,
          open: () => files.open(file),
        };
        return { headers: PRIVATE, content };
      },
    }),
  ];
}

/** No page runs it, and nothing between keeps it. */
const PRIVATE = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const FILE_PART = "file";

async function take(
  { files, clock, pace }: BatchFilesRouteDeps,
  call: RouteCall<unknown> & { readonly body: IncomingBody; readonly key: KeyRecord },
): Promise<StoredBatchFile> {
  const { body, headers, requestId } = call;
  const { accountId, keyId } = call.key;
  const sent = { requestId, idempotencyKey: readIdempotencyKey(headers["idempotency-key"]) };
  body.begin();
  let received: ReceivedBatchFile | null = null;
  let livesSeconds: number | null = null;
  try {
    const texts = await readMultipartForm(body.request, {
      boundary: readBoundary(headers["content-type"]),
      isFile: (name) => name === FILE_PART,
      maxFiles: 1,
      fileLimitBytes: files.limitBytes,
      pace,
      clock,
      async onFile({ fileName, source }) {
        if (fileName === null)
          throw new Fault("invalid_request", {
            message: `"${FILE_PART}" was sent as a text. Send it as a file, with a name.`,
            param: FILE_PART,
          });
        const { signal } = body;
        received = await files.receive({ accountId, keyId, fileName, source, signal, sent });
      },
    });
    livesSeconds = readFields(soleTexts(texts));
  } catch (error) {
    await (received as ReceivedBatchFile | null)?.discard();
    throw error;
  }
  if (received === null)
    throw new Fault("invalid_request", {
      message: `The body has no part named "${FILE_PART}".`,
      param: FILE_PART,
    });
  return (received as ReceivedBatchFile).commit(livesSeconds);
}

const ANCHOR = "expires_after[anchor]";
const SECONDS = "expires_after[seconds]";

/** How long the file shall live; null: as long as others. */
function readFields(fields: ReadonlyMap<string, string>): number | null {
  if (fields.get("purpose") !== "batch")
    throw new Fault("invalid_request", {
      message:
        'purpose: "batch" is expected. Files for tasks and chats are sent to POST /v1/storage/upload.',
      param: "purpose",
    });
  for (const name of fields.keys()) {
    if (name === "purpose" || name === ANCHOR || name === SECONDS) continue;
    throw new Fault("invalid_request", {
      message: `${name.slice(0, 80)}: it is not taken here.`,
      param: name.slice(0, 80),
    });
  }
  return fields.has(ANCHOR) || fields.has(SECONDS)
    ? readExpiry(fields.get(ANCHOR), fields.get(SECONDS))
    : null;
}

function readExpiry(anchor: string | undefined, text = ""): number {
  const { leastSeconds, mostSeconds } = EXPIRES_AFTER;
  if (anchor !== "created_at")
    throw new Fault("invalid_request", {
      message: `${ANCHOR}: "created_at" is expected.`,
      param: ANCHOR,
    });
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (seconds >= leastSeconds && seconds <= mostSeconds) return seconds;
  throw new Fault("invalid_request", {
    message: `${SECONDS}: ${leastSeconds} to ${mostSeconds} seconds are expected.`,
    param: SECONDS,
  });
}

function cursorOf(after: string): string {
  const fileId = parseFileId(after);
  if (fileId !== null && formatFileId(fileId) === after) return fileId;
  throw new Fault("invalid_request", {
    message: "after: take it from `last_id` of the page before.",
    param: "after",
  });
}
