/** Bodies of uploads as clients send them, and as no client does. */

export const BOUNDARY = "----tollgate7MA4YWxkTrZu0gW";

export interface Part {
  /** Lines without their ends. */
  readonly head?: readonly string[];
  readonly bytes?: string | Buffer;
}

export interface BodyOptions {
  readonly boundary?: string;
  readonly before?: string;
  readonly after?: string;
  readonly close?: string;
}

/** A part as browsers write it. */
export function filePart(bytes: string | Buffer, fileName = "photo.png", name = "file"): Part {
  return {
    head: [
      `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`,
      "Content-Type: image/png",
    ],
    bytes,
  };
}

export function textPart(text: string, name = "file"): Part {
  return { head: [`Content-Disposition: form-data; name="${name}"`], bytes: text };
}

export function multipartBody(parts: readonly Part[], options: BodyOptions = {}): Buffer {
  const { boundary = BOUNDARY, before = "", after = "\r\n", close = `--${boundary}--` } = options;
  return Buffer.concat([
    Buffer.from(before, "latin1"),
    ...parts.flatMap(({ head = [], bytes = "" }) => [
      Buffer.from(`--${boundary}\r\n${head.map((line) => `${line}\r\n`).join("")}\r\n`, "utf8"),
      typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`${close}${after}`, "latin1"),
  ]);
}

export function multipartType(boundary: string = BOUNDARY): string {
  return `multipart/form-data; boundary=${boundary}`;
}
