/**
 * `POST /v1/storage/upload`, and the account's files: their list and their deletion (contract §8).
 */
import Type from "typebox";
import {
  DeletedFile,
  StoredFile,
  StoredFileList,
  UploadRequestBody,
} from "../../contract/stored-file.ts";
import type { ListedFile } from "../../serving/files/uploaded-file.ts";
import type { Page, PageRequest } from "../../serving/read-page.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { LIST_PAGE_DEFAULT, LIST_PAGE_MAX } from "../../kernel/limits.ts";
import { createUploadEndpoint } from "../create-upload-endpoint.ts";
import type { UploadEndpointDeps, UploadUseCases } from "../create-upload-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import type { HeaderDescriptions, Route } from "../route.ts";
import { keyRoute, streamedRoute } from "../route.ts";
import { success } from "../success.ts";

export interface StorageUseCases extends UploadUseCases {
  /** Of the account, newest first. */
  listFiles(owner: { readonly accountId: Uuid }, page: PageRequest): Promise<Page<ListedFile>>;
  /** `not-found` for a file that does not exist and for another account's alike. */
  deleteFile(owner: { readonly accountId: Uuid }, name: string): Promise<"deleted" | "not-found">;
}

export interface StorageRouteDeps extends UploadEndpointDeps {
  readonly useCases: StorageUseCases;
}

const IDEMPOTENCY_KEY: HeaderDescriptions = {
  "idempotency-key": {
    description:
      "The same key with the same file and file name within 24 hours gets the same answer, and nothing is stored twice. With another file it is a 400.",
    example: "photo-4711",
  },
};

const REPLAY_HEADERS: HeaderDescriptions = {
  "idempotent-replayed": {
    description: "`true` where the file was stored by an earlier request with the same key.",
    example: "true",
  },
  "x-tollgate-original-request-id": {
    description: "Then: that request.",
    example: "req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
  },
};

const UPLOAD =
  "multipart/form-data with exactly one part, `file`: `curl -F file=@photo.png`. The type is read from the bytes, not from the name. " +
  "A body over the limit is refused as soon as the limit is passed, with `content-length` before anything is read. What is refused or broken off leaves nothing behind. " +
  "The URL cannot be guessed; it answers until `expiresAt`. Images, videos and audio of known types are shown by browsers, everything else is only downloaded.\n\n" +
  "A sender may be silent for 30 seconds at most, and after the first minute 64 KB a second are expected on average.";

const ListQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: "`nextCursor` of the page before." })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIST_PAGE_MAX,
      default: LIST_PAGE_DEFAULT,
      description: "Files on a page.",
    }),
  ),
});

export function storageRoutes(deps: StorageRouteDeps): Route[] {
  const { useCases } = deps;
  const endpoint = createUploadEndpoint(deps);
  return [
    streamedRoute({
      method: "POST",
      path: "/v1/storage/upload",
      doc: {
        operationId: "uploadFile",
        summary: "Stores a file and gives its URL",
        description: UPLOAD,
        tag: "Storage",
        headers: IDEMPOTENCY_KEY,
        requestBody: UploadRequestBody,
        requestType: "multipart/form-data",
        responseHeaders: REPLAY_HEADERS,
        responses: {
          200: { description: "The file is stored.", content: { "application/json": StoredFile } },
        },
        errors: [400, 401, 403, 408, 409, 413, 415, 429, 503, 507],
      },
      streamed: { checkHead: (headers) => endpoint.checkHead(headers) },
      async handle(call) {
        const { file, replayOf } = await endpoint.take(call, call.key);
        return { headers: replayHeaders(replayOf), ...success(file) };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/storage/files",
      query: ListQuery,
      doc: {
        operationId: "listFiles",
        summary: "The account's files, newest first",
        description:
          "Those that are served now, with those that were copied from addresses in tasks.",
        tag: "Storage",
        responses: {
          200: { description: "A page of files.", content: { "application/json": StoredFileList } },
        },
        errors: [400, 401, 403],
      },
      async handle({ key, query }) {
        const { rows, next } = await useCases.listFiles(key, {
          limit: query.limit ?? LIST_PAGE_DEFAULT,
          cursor: query.cursor ?? null,
        });
        return success({ files: rows, nextCursor: next });
      },
    }),
    keyRoute({
      method: "DELETE",
      path: "/v1/storage/files/{name}",
      query: Type.Object({}),
      doc: {
        operationId: "deleteFile",
        summary: "Removes a file before its time",
        tag: "Storage",
        pathParameters: {
          name: {
            description: "The last part of its URL.",
            example: "3k9x0q7w2m5n8b1v4c6z0a9s8d7f6g5h.png",
          },
        },
        responses: {
          200: { description: "It is removed.", content: { "application/json": DeletedFile } },
        },
        errors: [401, 403],
      },
      async handle({ key, params }) {
        const name = params["name"] ?? "";
        // One answer for all: it does not tell whether another account has such a file.
        if ((await useCases.deleteFile(key, name)) === "not-found")
          throw new Fault("not_found", { message: "This account has no such file." });
        return success({ name, deleted: true });
      },
    }),
  ];
}
