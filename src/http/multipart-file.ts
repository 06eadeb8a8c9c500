/**
 * The one file of a multipart body, as a stream that ends only when the whole body was found in
 * order.
 */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import type { BusboyFileStream } from "@fastify/busboy";
import type { Clock } from "../kernel/clock.ts";
import { sayRefusal } from "../contract/sentences/say-refusal.ts";
import { Fault } from "../kernel/faults.ts";
import { UPLOAD_HEAD_LIMIT_BYTES } from "../kernel/limits.ts";
import { watchPace } from "./sender-pace.ts";
import type { PaceLimits } from "./sender-pace.ts";

export interface MultipartFile {
  /** As it was sent, without folders and control characters; null where the part has none. */
  readonly fileName: string | null;
  /** Errors with the fault that refuses the body, `fault`; its reader need not look further. */
  readonly source: Readable;
  /** Why it did not end well; null as long as nothing is wrong. */
  readonly fault: Fault | null;
  /** Nothing more of it is wanted: the body is left where it is. */
  abandon(): void;
}

export interface MultipartOptions {
  /** As `readBoundary` gives it. */
  readonly boundary: string;
  /** Of the file itself. */
  readonly limitBytes: number;
  readonly pace: PaceLimits;
  readonly clock: Clock;
}

/** The name that the part has to have. */
const PART_NAME = "file";
const HEAD_END = "\r\n\r\n";
// eslint-disable-next-line no-control-regex -- They are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;
/** In the head, besides its line ends. */
// eslint-disable-next-line no-control-regex -- They are what is looked for.
const CONTROL_IN_HEAD = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)|(?<!\r)\n/;
const LONGEST_SHOWN = 60;

/** What a body may have around its file: boundaries and the head of the part. */
export const MULTIPART_OVERHEAD_BYTES = UPLOAD_HEAD_LIMIT_BYTES + 256;

/**
 * Resolves when the part has begun, so that its name is known. Faults (of the promise before that,
 * of the stream after it): `request_too_large` as soon as the file is over the limit,
 * `request_timeout` for a sender that is too slow, `invalid_request` for all else. The parser finds
 * the boundaries; what it is lenient about is looked at here: the head before it reads it, the sum
 * of all parts at the end. The body is read no faster than the stream is.
 */
export function readMultipartFile(
  request: IncomingMessage,
  options: MultipartOptions,
): Promise<MultipartFile> {
  const { boundary, limitBytes } = options;
  const { promise, resolve, reject } = Promise.withResolvers<MultipartFile>();
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    // Whatever the part says of itself: what is a text in place of a file is decided here.
    isPartAFile: () => true,
    limits: { headerSize: UPLOAD_HEAD_LIMIT_BYTES, parts: 8 },
  });
  /** `\r\n--boundary--` */
  const closingBytes = boundary.length + 6;
  const pace = watchPace({
    clock: options.clock,
    limits: options.pace,
    limitBytes,
    onLate: (late) => fail(late),
  });
  /** What has come of the head; null once it is whole. */
  let head: Buffer | null = Buffer.alloc(0);
  let headBytes = 0;
  let bodyBytes = 0;
  let fileBytes = 0;
  let lastTwo: Buffer = Buffer.alloc(0);
  let part: BusboyFileStream | null = null;
  let fault: Fault | null = null;
  let over = false;

  const source = new Readable({ read: () => void part?.resume() });
  // It may end before anybody reads it.
  source.on("error", () => undefined);
  source.once("close", stop);

  function stop(): void {
    if (over) return;
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
    reject(found);
    source.destroy(found);
  }

  function refuse(message: string): void {
    fail(new Fault("invalid_request", { message, param: PART_NAME }));
  }

  function onData(chunk: Buffer): void {
    pace.received(chunk.length);
    bodyBytes += chunk.length;
    lastTwo = chunk.length > 1 ? chunk.subarray(-2) : Buffer.concat([lastTwo.subarray(-1), chunk]);
    const ready = head === null ? chunk : takeHead(head, chunk);
    if (ready === null || over) return;
    // Also where nothing of it belongs to a file any more, or never did.
    if (bodyBytes > headBytes + limitBytes + closingBytes + 2) return fail(tooLarge(limitBytes));
    if (!parser.write(ready)) {
      request.pause();
      pace.hold();
    }
    if (part === null && bodyBytes > headBytes + closingBytes)
      refuse(`The part has no name that can be read. ${HOW_TO}`);
  }

  /** Null until the head is whole; then everything so far. */
  function takeHead(before: Buffer, chunk: Buffer): Buffer | null {
    const all = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
    const text = all.toString("latin1", 0, UPLOAD_HEAD_LIMIT_BYTES + HEAD_END.length);
    const opening = `--${boundary}\r\n`;
    const begin = text.startsWith("\r") ? `\r\n${opening}` : opening;
    if (!text.startsWith(begin.slice(0, text.length))) {
      refuse(
        text.startsWith(`--${boundary}--`)
          ? `The body has no part. ${HOW_TO}`
          : `The body does not begin with the boundary that content-type names. Let your HTTP library write content-type by itself. ${HOW_TO}`,
      );
      return null;
    }
    // The boundary's own line break is the first half of the end of a head without headers.
    const end = text.indexOf(HEAD_END, Math.max(0, begin.length - 2));
    if (end === -1 && all.length < UPLOAD_HEAD_LIMIT_BYTES) {
      head = all;
      return null;
    }
    if (end === -1)
      refuse(`The headers of the part are longer than ${UPLOAD_HEAD_LIMIT_BYTES / 1024} KB.`);
    else if (CONTROL_IN_HEAD.test(text.slice(0, end)))
      refuse("The headers of the part have control characters in them.");
    head = null;
    headBytes = end + HEAD_END.length;
    return all;
  }

  function onPart(
    name: string | undefined,
    stream: BusboyFileStream,
    fileName: string | undefined,
    type: string,
  ): void {
    // What breaks off a part is told by the parser too.
    stream.on("error", () => undefined);
    const wrong = over ? "" : wrongPart(name, fileName, type, part !== null);
    if (wrong !== null) {
      stream.resume();
      return refuse(wrong);
    }
    part = stream;
    stream.on("data", (chunk: Buffer) => {
      if (over) return;
      fileBytes += chunk.length;
      if (fileBytes > limitBytes) fail(tooLarge(limitBytes));
      else if (!source.push(chunk)) stream.pause();
    });
    resolve({
      fileName: fileName === undefined ? null : unescaped(fileName),
      source,
      get fault() {
        return fault;
      },
      abandon() {
        stop();
        source.destroy();
      },
    });
  }

  function onEnd(): void {
    pace.hold();
    if (bodyBytes === 0) refuse(`The body is empty. ${HOW_TO}`);
    else if (head !== null) refuse(BROKEN_OFF);
    else parser.end();
  }

  /**
   * The parser is at peace with the body; it is when there is more than one part or text behind the
   * last one, too.
   */
  function onParsed(): void {
    if (over) return;
    const rest = bodyBytes - headBytes - fileBytes - closingBytes;
    if (part === null) return refuse(`The body has no part named "${PART_NAME}". ${HOW_TO}`);
    if (rest !== 0 && !(rest === 2 && lastTwo.equals(LINE_END)))
      return refuse("There is something behind the end of the file's part. Send exactly one part.");
    if (fileBytes === 0)
      return fail(new Fault("invalid_request", { ...sayRefusal("empty_file"), param: PART_NAME }));
    stop();
    source.push(null);
  }

  parser.on("file", (name, stream, fileName, _encoding, type) =>
    onPart(name, stream, fileName, type),
  );
  parser.on("drain", () => {
    if (over) return;
    request.resume();
    pace.wait();
  });
  parser.on("error", () => refuse(BROKEN_OFF));
  parser.on("finish", onParsed);
  request.on("data", onData);
  request.on("end", onEnd);
  request.on("close", () => {
    if (!request.complete) refuse("The connection ended before the upload was complete.");
  });
  if (request.destroyed) refuse("The connection ended before the upload was complete.");
  return promise;
}

const LINE_END = Buffer.from("\r\n");
const HOW_TO = `Send the file as the one part "${PART_NAME}", for example: curl -H "x-api-key: KEY" -F ${PART_NAME}=@photo.jpg URL`;
const BROKEN_OFF =
  "The body breaks off, or is not multipart as RFC 7578 has it: it does not end with its closing boundary.";

/**
 * Browsers, and others with their FormData, write these three so (HTML, "multipart form data":
 * escaping a name); no line end is kept.
 */
function unescaped(fileName: string): string {
  return fileName.replaceAll("%22", '"').replaceAll(/(?:%0D|%0A)+/g, " ");
}

/** What is wrong with a part by its headers; null for nothing. */
function wrongPart(
  name: string | undefined,
  fileName: string | undefined,
  type: string,
  second: boolean,
): string | null {
  if (name === undefined) return `A part has no name that can be read. ${HOW_TO}`;
  if (CONTROL_CHARACTERS.test(name) || CONTROL_CHARACTERS.test(fileName ?? ""))
    return "The names of the part have control characters in them.";
  const shown = name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
  if (second)
    return `There is another part, "${shown}". Send exactly one part, named "${PART_NAME}".`;
  if (name !== PART_NAME)
    return `There is a part "${shown}". Send exactly one part, named "${PART_NAME}".`;
  // A part without a type is a text too (RFC 7578 §4.4), and the parser says so.
  if (fileName === undefined && type.startsWith("text/"))
    return `"${PART_NAME}" was sent as a text. blob: and data: addresses, base64 and other texts are not taken in place of a file. ${HOW_TO}`;
  return null;
}

export function tooLarge(limitBytes: number): Fault {
  return new Fault("request_too_large", {
    message: `A file may have ${limitBytes} bytes (${Math.floor(limitBytes / 1024 / 1024)} MB).`,
    param: PART_NAME,
  });
}

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]*)"|([^;\s]+))/i;
/**
 * RFC 2046 §5.1.1; without the space, which no client uses, and which might be folded on its way.
 */
const BOUNDARY_TEXT = /^[0-9A-Za-z'()+_,\-./:=?]{1,70}$/;

/** Of a `content-type`; faults that tell how to send a file. */
export function readBoundary(contentType: string | undefined): string {
  if (contentType === undefined)
    throw new Fault("invalid_request", {
      message: `There is no content-type. ${HOW_TO}`,
      param: "content-type",
    });
  if (!MULTIPART.test(contentType)) {
    const shown = contentType.split(";")[0]?.trim().slice(0, LONGEST_SHOWN) ?? "";
    throw new Fault("invalid_request", {
      message: `Uploads are taken as multipart/form-data; "${shown}" was sent. ${HOW_TO}`,
      param: "content-type",
    });
  }
  const match = BOUNDARY.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? "";
  if (!BOUNDARY_TEXT.test(boundary)) {
    throw new Fault("invalid_request", {
      message: `content-type names no boundary, or one that is not valid. Do not set content-type yourself: your HTTP library writes it with the boundary. ${HOW_TO}`,
      param: "content-type",
    });
  }
  return boundary;
}
