/**
 * `GET {STATIC_URL's path}/{name}`: a stored file to any client with its name, whole or in parts,
 * never as something a browser runs.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import Type from "typebox";
import { TaskErrorBody } from "../../contract/error-bodies.ts";
import { contentDisposition } from "../../serving/files/content-disposition.ts";
import type { FileReader, StoredFile } from "../../serving/files/open-file.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ByteRange } from "../../storage/object-storage.ts";
import { readByteRange } from "../byte-range.ts";
import { checkConditions, rangeApplies } from "../conditions.ts";
import type { Answer, Route } from "../route.ts";

export interface FilesUseCases extends FileReader {
  /**
   * The path of STATIC_URL, without a slash at its end; empty where files have the root of an
   * origin of their own.
   */
  readonly staticPath: string;
}

export interface FilesRouteDeps {
  readonly useCases: FilesUseCases;
  readonly clock: Clock;
}

/**
 * What keeps a stranger's file from doing anything: no guessing of types, no scripts, no frames, an
 * origin of its own, no trace of who asks.
 */
const SAFETY = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
  // Pages may read files that they know the name of; there is nothing here that a cookie or a key
  // would open.
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "accept-ranges, content-length, content-range, content-disposition, etag, last-modified",
  "cache-control": "no-store",
};

const PREFLIGHT = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers":
    "range, if-range, if-match, if-none-match, if-modified-since, if-unmodified-since",
  "access-control-max-age": "86400",
};

/** Whatever a row says: a browser gets nothing to show that it could run. */
const SHOWABLE = /^(?:image\/(?!svg)|video\/|audio\/)[\w.+-]+$/;
const DOWNLOAD_TYPE = "application/octet-stream";
/** Of the hash, in the entity tag: 128 bits. */
const TAG_CHARACTERS = 32;

export function filesRoutes(deps: FilesRouteDeps): Route[] {
  const { useCases } = deps;
  const bytes = { "*/*": Type.Unsafe<string>({ type: "string", format: "binary" }) };
  const error = { "application/json": TaskErrorBody };
  return [
    {
      method: "GET",
      path: `${useCases.staticPath}/{name}`,
      access: "open",
      family: "tasks",
      headers: SAFETY,
      preflight: PREFLIGHT,
      doc: {
        operationId: "readFile",
        summary: "A stored file",
        description:
          "Needs no key: whoever has the URL may read it, from pages of any origin too. Single ranges, entity tags and times as in RFC 9110. " +
          "What is no known image, video or audio type is sent to be saved, not to be shown.",
        tag: "Storage",
        pathParameters: {
          name: {
            description: "From the answer to the upload.",
            example: "3k9x0q7w2m5n8b1v4c6z0a9s8d7f6g5h.png",
          },
        },
        headers: {
          range: {
            description: "One range of bytes; several are answered with the whole file.",
            example: "bytes=0-1023",
          },
          "if-none-match": {
            description: "The entity tag of what one has.",
            example: '"9f86d081884c7d659a2feaa0c55ad015"',
          },
        },
        responses: {
          200: { description: "The file.", content: bytes },
          206: { description: "The range.", content: bytes },
          302: { description: "Where the storage itself gives the file.", content: {} },
          304: { description: "It is what one has.", content: {} },
          410: { description: "Its time is over, or it was deleted.", content: error },
        },
        errors: [412, 416, 503],
      },
      async handle({ method, params, headers }) {
        const found = await useCases.openFile(params["name"] ?? "");
        switch (found.state) {
          case "missing":
            throw new Fault("not_found", { message: "There is no such file." });
          case "gone":
            throw new Fault("gone", {
              message: "This file is not here any more: its time is over, or it was deleted.",
            });
          case "stored":
            return answerFile(deps, found.file, method, headers);
        }
      },
    },
  ];
}

async function answerFile(
  deps: FilesRouteDeps,
  file: StoredFile,
  method: string,
  headers: IncomingHttpHeaders,
): Promise<Answer> {
  const validators = {
    etag: `"${file.sha256.slice(0, TAG_CHARACTERS)}"`,
    modifiedAt: file.storedAt,
  };
  const leftSeconds = Math.max(
    0,
    Math.floor((file.expiresAt.getTime() - deps.clock.now().getTime()) / 1000),
  );
  const about = {
    etag: validators.etag,
    "last-modified": file.storedAt.toUTCString(),
    "cache-control": `public, max-age=${leftSeconds}, immutable`,
    "accept-ranges": "bytes",
  };
  switch (checkConditions(headers, validators)) {
    case "failed":
      return { content: { fault: new Fault("precondition_failed") } };
    case "not_modified":
      return { status: 304, headers: about, content: { nothing: true } };
    case "go":
      break;
  }
  // An address of the storage is good for GET alone.
  const elsewhere = method === "GET" ? await deps.useCases.fileRedirect(file) : null;
  if (elsewhere !== null)
    return { status: 302, headers: { location: elsewhere }, content: { nothing: true } };
  // Ranges are of GET alone (RFC 9110 §14.2).
  const wanted = method === "GET" && rangeApplies(headers, validators) ? headers.range : undefined;
  const range = wanted === undefined ? null : readByteRange(wanted, file.bytes);
  if (range === "unsatisfiable") {
    return {
      headers: { "content-range": `bytes */${file.bytes}` },
      content: {
        fault: new Fault("range_not_satisfiable", {
          message: `The file has ${file.bytes} bytes; there is nothing in that range.`,
        }),
      },
    };
  }
  const shown = {
    ...about,
    "content-disposition": contentDisposition({ inline: isShown(file), fileName: file.fileName }),
  };
  const sizeBytes = range === null ? file.bytes : range.last - range.first + 1;
  return {
    status: range === null ? 200 : 206,
    headers:
      range === null
        ? shown
        : { ...shown, "content-range": `bytes ${range.first}-${range.last}/${file.bytes}` },
    content: { contentType: typeOf(file), sizeBytes, open: () => open(deps.useCases, file, range) },
  };
}

async function open(
  files: FileReader,
  file: StoredFile,
  range: ByteRange | null,
): Promise<Readable> {
  const source = await (range === null ? files.readFile(file) : files.readFile(file, range));
  // Deleted between the two looks.
  if (source === null) throw new Fault("gone");
  return source;
}

function isShown(file: StoredFile): boolean {
  return file.inline && SHOWABLE.test(file.contentType);
}

function typeOf(file: StoredFile): string {
  return isShown(file) ? file.contentType : DOWNLOAD_TYPE;
}
