/**
 * A form for an upstream, written anew from what was read of the caller's: no part of it can be read
 * in two ways.
 */
import { randomBytes } from "node:crypto";
import type { CallBody } from "./call-protocol.ts";

/** A file that lies outside of memory. */
export interface FormFile {
  /** The name of its part. */
  readonly field: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: number;
  open(): Promise<AsyncIterable<Buffer>>;
}

export function formBody(
  texts: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
): CallBody {
  const boundary = `tollgate-${randomBytes(16).toString("hex")}`;
  const head = Buffer.from(
    texts.map(([name, value]) => `${partHead(boundary, name)}\r\n\r\n${value}\r\n`).join(""),
  );
  const tail = Buffer.from(`--${boundary}--\r\n`);
  const parts = files.map((file) => ({
    file,
    head: Buffer.from(
      `${partHead(boundary, file.field)}; filename="${quoted(file.fileName)}"\r\nContent-Type: ${file.contentType}\r\n\r\n`,
    ),
  }));
  const ofFiles = parts.reduce(
    (sum, part) => sum + part.head.length + part.file.bytes + LINE_END.length,
    0,
  );

  async function* open(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    for (const part of parts) {
      yield part.head;
      yield* await part.file.open();
      yield LINE_END;
    }
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: { sizeBytes: head.length + ofFiles + tail.length, open },
  };
}

const LINE_END = Buffer.from("\r\n");

function partHead(boundary: string, name: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
}

/** As browsers do it (HTML, "multipart form data": escaping a name). */
function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
