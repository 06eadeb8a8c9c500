/**
 * A multipart body of texts and files, as OpenAI's endpoints for images and audio take them: texts
 * are kept, each file is handed on as a stream while it comes.
 */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import type { BusboyFileStream } from "@fastify/busboy";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { UPLOAD_HEAD_LIMIT_BYTES } from "../kernel/limits.ts";
import { watchPace } from "./sender-pace.ts";
import type { PaceLimits } from "./sender-pace.ts";

export interface FormFile {
  /** The name of its part. */
  readonly field: string;
  /** As it was sent, without folders; null where the part has none. */
  readonly fileName: string | null;
  /** Errors with the fault that refuses the body. */
  readonly source: Readable;
}

export interface FormOptions {
  /** As `readBoundary` gives it. */
  readonly boundary: string;
  /** Which parts are files; all others are texts. */
  isFile(field: string): boolean;
  readonly maxFiles: number;
  /** Of one file. */
  readonly fileLimitBytes: number;
  readonly pace: PaceLimits;
  readonly clock: Clock;
  /** Reads the source to its end; what it rejects with refuses the body. One after the other. */
  onFile(file: FormFile): Promise<void>;
}

/** Texts in the order in which they came; a name may come several times. */
export type FormTexts = readonly (readonly [name: string, value: string])[];

const MOST_TEXTS = 100;
const LONGEST_TEXT_BYTES = 256 * 1024;
/** All texts, heads and boundaries together, and what of a file the parser has not given on yet. */
export const MOST_BESIDE_FILES_BYTES = 2 * 1024 * 1024;
// eslint-disable-next-line no-control-regex -- They are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;
const LONGEST_SHOWN = 60;
const BROKEN_OFF =
  "The body breaks off, or is not multipart as RFC 7578 has it: it does not end with its closing boundary.";

/**
 * Resolves when the whole body was found in order and every file was taken. Rejects, when nothing
 * is under way any more, with `request_too_large` as soon as a limit is passed, `request_timeout`
 * for a sender that is too slow, `invalid_request` for a body that is not in order, and whatever
 * `onFile` rejected with.
 */
export function readMultipartForm(
  request: IncomingMessage,
  options: FormOptions,
): Promise<FormTexts> {
  const { boundary, fileLimitBytes, maxFiles } = options;
  const { promise, resolve, reject } = Promise.withResolvers<FormTexts>();
  const texts: [string, string][] = [];
  const taking: Promise<void>[] = [];
  let last = Promise.resolve();
  let fault: Fault | null = null;
  let over = false;
  let bodyBytes = 0;
  let filesBytes = 0;
  const sources: Readable[] = [];
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    isPartAFile: (name) => options.isFile(name ?? ""),
    limits: {
      headerSize: UPLOAD_HEAD_LIMIT_BYTES,
      fieldSize: LONGEST_TEXT_BYTES,
      fields: MOST_TEXTS,
      files: maxFiles,
    },
  });
  const pace = watchPace({
    clock: options.clock,
    limits: options.pace,
    limitBytes: maxFiles * fileLimitBytes + MOST_BESIDE_FILES_BYTES,
    onLate: (late) => fail(late),
  });

  function stop(): void {
    over = true;
    pace.stop();
    request.off("data", onData);
    request.off("end", onEnd);
    request.pause();
  }

  function fail(found: Fault): void {
    if (over) return;
    stop();
    fault = found;
    for (const source of sources) source.destroy(found);
    void Promise.allSettled(taking).then(() => reject(found));
  }

  function refuse(message: string, param?: string): void {
    fail(new Fault("invalid_request", { message, ...(param === undefined ? {} : { param }) }));
  }

  function onData(chunk: Buffer): void {
    pace.received(chunk.length);
    bodyBytes += chunk.length;
    if (!parser.write(chunk)) {
      request.pause();
      pace.hold();
    }
    if (bodyBytes - filesBytes > MOST_BESIDE_FILES_BYTES) fail(new Fault("request_too_large"));
  }

  function onEnd(): void {
    pace.hold();
    if (bodyBytes === 0) refuse("The body is empty. Send a form: multipart/form-data.");
    else parser.end();
  }

  function onFile(name: string, stream: BusboyFileStream, fileName: string | undefined): void {
    // What breaks off a part is told by the parser too.
    stream.on("error", () => undefined);
    const wrong = over ? "" : wrongNames(name, fileName);
    if (wrong !== null) {
      stream.resume();
      return refuse(wrong);
    }
    let fileBytes = 0;
    const file = new Readable({ read: () => void stream.resume() });
    sources.push(file);
    file.on("error", () => undefined);
    file.once("close", () => stream.resume());
    stream.on("data", (chunk: Buffer) => {
      fileBytes += chunk.length;
      filesBytes += chunk.length;
      if (over || file.destroyed) return;
      if (fileBytes > fileLimitBytes) fail(tooLarge(name, fileLimitBytes));
      else if (!file.push(chunk)) stream.pause();
    });
    stream.on("end", () => {
      if (!file.destroyed) file.push(null);
    });
    // In the order of the body, since the first image is the one that is worked on.
    const taken = last
      .then(async () => {
        if (fault !== null) return;
        const sent = fileName === undefined ? null : unescaped(fileName);
        await options.onFile({ field: name, fileName: sent, source: file });
      })
      .catch((error: unknown) => {
        if (error === fault) return;
        fail(error instanceof Fault ? error : new Fault("internal_error", { cause: error }));
      })
      .finally(() => file.destroy());
    last = taken;
    taking.push(taken);
  }

  parser.on("file", (name, stream, fileName) => onFile(name ?? "", stream, fileName));
  parser.on("field", (name, value, _nameCut, valueCut) => {
    const wrong = wrongNames(name ?? "", undefined);
    if (wrong !== null) return refuse(wrong);
    if (valueCut)
      return refuse(
        `'${shown(name)}' is longer than ${LONGEST_TEXT_BYTES / 1024} KB.`,
        shown(name),
      );
    texts.push([name, value]);
  });
  parser.on("filesLimit", () =>
    refuse(maxFiles === 1 ? "Send exactly one file." : `Send ${maxFiles} files at most.`),
  );
  parser.on("fieldsLimit", () => refuse(`A form may have ${MOST_TEXTS} fields.`));
  parser.on("drain", () => {
    if (over) return;
    request.resume();
    pace.wait();
  });
  parser.on("error", () => refuse(BROKEN_OFF));
  parser.on("finish", () => {
    if (over) return;
    // The last file may still be on its way into the storage.
    void Promise.allSettled(taking).then(() => {
      if (over) return;
      stop();
      resolve(texts);
    });
  });
  request.on("data", onData);
  request.on("end", onEnd);
  request.on("close", () => {
    if (!request.complete) refuse("The connection ended before the body was complete.");
  });
  if (request.destroyed) refuse("The connection ended before the body was complete.");
  return promise;
}

/** Every text by its name. Throws where one comes twice. */
export function soleTexts(texts: FormTexts): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of texts) {
    if (fields.has(name))
      throw new Fault("invalid_request", {
        message: `'${shown(name)}' is given more than once. Send it once.`,
        param: shown(name),
      });
    fields.set(name, value);
  }
  return fields;
}

function wrongNames(name: string, fileName: string | undefined): string | null {
  if (name === "") return "A part has no name that can be read.";
  if (CONTROL_CHARACTERS.test(name) || CONTROL_CHARACTERS.test(fileName ?? ""))
    return "The names of a part have control characters in them.";
  return null;
}

/** As browsers and their FormData escape it (HTML, "multipart form data"). */
function unescaped(fileName: string): string {
  return fileName.replaceAll("%22", '"').replaceAll(/(?:%0D|%0A)+/g, " ");
}

function shown(name: string): string {
  return name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
}

function tooLarge(field: string, limitBytes: number): Fault {
  return new Fault("request_too_large", {
    message: `'${shown(field)}' may have ${limitBytes} bytes (${Math.floor(limitBytes / 1024 / 1024)} MB).`,
    param: shown(field),
  });
}
