/**
 * A multipart body of one file and a few short texts around it, in any order; the file as a stream,
 * the texts when all of the body was found in order.
 */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import type { BusboyFileStream } from "@fastify/busboy";
import { sayRefusal } from "../contract/sentences/say-refusal.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { UPLOAD_HEAD_LIMIT_BYTES } from "../kernel/limits.ts";
import { tooLarge } from "./multipart-file.ts";
import { watchPace, type PaceLimits } from "./sender-pace.ts";

export interface FileWithFields {
  /** As it was sent; null where the part has none. */
  readonly fileName: string | null;
  /** Errors with the fault that refuses the body. */
  readonly source: Readable;
  /** Rejects with the fault that refuses the body. To be asked for when the file is read. */
  fields(): Promise<ReadonlyMap<string, string>>;
  /** Nothing more of it is wanted: the body is left where it is. */
  abandon(): void;
}

export interface FormOptions {
  /** As `readBoundary` gives it. */
  readonly boundary: string;
  /** Of the file itself. */
  readonly limitBytes: number;
  readonly pace: PaceLimits;
  readonly clock: Clock;
}

const FILE_PART = "file";
const MOST_FIELDS = 8;
const FIELD_NAME_BYTES = 100;
const FIELD_BYTES = 1024;
/** What a body may have around its file: boundaries, heads of parts, texts. */
export const FORM_OVERHEAD_BYTES = UPLOAD_HEAD_LIMIT_BYTES + MOST_FIELDS * (FIELD_BYTES + 1024);

const BROKEN_OFF =
  "The body breaks off, or is not multipart as RFC 7578 has it: it does not end with its closing boundary.";

/** Resolves when the file has begun. */
export function readFileWithFields(
  request: IncomingMessage,
  { boundary, limitBytes, pace: paceLimits, clock }: FormOptions,
): Promise<FileWithFields> {
  const { promise, resolve, reject } = Promise.withResolvers<FileWithFields>();
  const whole = Promise.withResolvers<ReadonlyMap<string, string>>();
  // It may be refused before it is asked for.
  whole.promise.catch(() => undefined);
  const fields = new Map<string, string>();
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    isPartAFile: (name: string | undefined) => name === FILE_PART,
    limits: {
      headerSize: UPLOAD_HEAD_LIMIT_BYTES,
      parts: MOST_FIELDS + 2,
      fields: MOST_FIELDS,
      fieldNameSize: FIELD_NAME_BYTES,
      fieldSize: FIELD_BYTES,
      files: 2,
    },
  });
  const pace = watchPace({ clock, limits: paceLimits, limitBytes, onLate: fail });
  let part: BusboyFileStream | null = null;
  let bodyBytes = 0;
  let fileBytes = 0;
  let over = false;

  const source = new Readable({ read: () => void part?.resume() });
  source.on("error", () => undefined);
  // A file that was read to its end closes, too, and what stands behind it is still to come.
  source.once("close", () => {
    if (!source.readableEnded) stop();
  });

  function stop(): void {
    if (over) return;
    over = true;
    pace.stop();
    request.off("data", onData);
    request.pause();
  }

  function fail(fault: Fault): void {
    if (over) return;
    stop();
    reject(fault);
    whole.reject(fault);
    source.destroy(fault);
  }

  function refuse(message: string, param = FILE_PART): void {
    fail(new Fault("invalid_request", { message, param }));
  }

  function onData(chunk: Buffer): void {
    pace.received(chunk.length);
    bodyBytes += chunk.length;
    if (bodyBytes > limitBytes + FORM_OVERHEAD_BYTES) return fail(tooLarge(limitBytes));
    if (parser.write(chunk)) return;
    request.pause();
    pace.hold();
  }

  parser.on("file", (_name, stream, fileName) => {
    stream.on("error", () => undefined);
    if (over || part !== null) {
      stream.resume();
      return refuse(`There is more than one part "${FILE_PART}". Send one.`);
    }
    if (fileName === undefined) {
      stream.resume();
      return refuse(`"${FILE_PART}" was sent as a text. Send it as a file, with a name.`);
    }
    part = stream;
    stream.on("data", (chunk: Buffer) => {
      if (over) return;
      fileBytes += chunk.length;
      if (fileBytes > limitBytes) fail(tooLarge(limitBytes));
      else if (!source.push(chunk)) stream.pause();
    });
    stream.on("end", () => {
      if (over) return;
      if (fileBytes === 0)
        return fail(
          new Fault("invalid_request", { ...sayRefusal("empty_file"), param: FILE_PART }),
        );
      source.push(null);
    });
    resolve({
      fileName,
      source,
      fields: () => whole.promise,
      abandon() {
        stop();
        source.destroy();
      },
    });
  });
  parser.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut)
      return refuse("A text beside the file is too long.", name.slice(0, FIELD_NAME_BYTES));
    if (fields.has(name)) return refuse(`"${name}" is there more than once.`, name);
    fields.set(name, value);
  });
  parser.on("fieldsLimit", () => refuse("There are too many parts beside the file."));
  parser.on("partsLimit", () => refuse("There are too many parts."));
  parser.on("drain", () => {
    if (over) return;
    request.resume();
    pace.wait();
  });
  parser.on("error", () => refuse(BROKEN_OFF));
  parser.on("finish", () => {
    if (part === null) return refuse(`The body has no part named "${FILE_PART}".`);
    over = true;
    pace.stop();
    whole.resolve(fields);
  });
  request.on("data", onData);
  request.on("end", () => {
    pace.hold();
    parser.end();
  });
  request.on("close", () => {
    if (!request.complete) refuse("The connection ended before the upload was complete.");
  });
  if (request.destroyed) refuse("The connection ended before the upload was complete.");
  return promise;
}
