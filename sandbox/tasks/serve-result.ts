/** Serves a result with ranges, or as broken as its task was told to have it. */
import { open } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createReply, type Reply } from "../reply.ts";
import { sendJson } from "../send-json.ts";
import type { MadeFile, MediaStudio } from "../media/media-studio.ts";
import { RESULT_PATH, type ResultShelf, type ShelvedResult } from "./result-shelf.ts";

const HTML = Buffer.from(
  "<!doctype html><title>Sign in</title><p>Please sign in to see this file.</p>",
);
const CHUNK_BYTES = 64 * 1024;

export interface ServeResultOptions {
  readonly shelf: ResultShelf;
  readonly studio: MediaStudio;
  readonly now: () => number;
}

/** Which bytes, both inclusive. */
interface Span {
  readonly first: number;
  readonly last: number;
}

export async function serveResult(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  options: ServeResultOptions,
): Promise<string> {
  const refuse = (status: number, message: string): string => {
    sendJson(res, status, { error: message });
    return String(status);
  };
  const found = options.shelf.find(path.slice(RESULT_PATH.length));
  if (found === null) return refuse(404, "There is no such file.");
  const { task } = found;
  const { directives } = task;
  found.asked++;
  task.downloads++;
  if (options.now() >= found.expiresAt) return refuse(403, "Request has expired");
  if (directives.resultStatus !== null && found.asked <= directives.resultTimes) {
    if (directives.retryAfter !== null) res.setHeader("retry-after", directives.retryAfter);
    return refuse(directives.resultStatus, "sandbox: as asked");
  }
  if (directives.result === "dead") return refuse(404, "There is no such file.");
  if (
    directives.result === "private" &&
    !(req.headers.authorization ?? "").endsWith(` ${task.apiKey}`)
  )
    return refuse(401, "Unauthorized");
  if (directives.result === "redirect" && !(req.url ?? "").includes("?direct")) {
    res.writeHead(302, { location: `${path}?direct` }).end();
    return "302";
  }
  return await sendFile(req, res, await options.studio.make(found.spec), found);
}

async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  file: MadeFile,
  { task }: ShelvedResult,
): Promise<string> {
  const { result, resultDelayMs } = task.directives;
  const reply = createReply(res, { slowHeadersMs: 0, slice: null });
  const { contentType, bytes } = file;
  const plain = async (body: Buffer, type: string): Promise<string> => {
    await reply.head(200, { "content-type": type, "content-length": body.length });
    if (req.method !== "HEAD") await reply.write(body);
    reply.end();
    return "200";
  };
  switch (result) {
    case "reset":
      reply.reset();
      return "reset";
    case "html":
      return await plain(HTML, "text/html; charset=utf-8");
    case "disguised":
      return await plain(HTML, contentType);
    case "empty":
      return await plain(Buffer.alloc(0), contentType);
    default:
  }
  const half = Math.floor(bytes / 2);
  const whole: Span = { first: 0, last: (result === "short" ? half : bytes) - 1 };
  const range =
    result === null || result === "redirect" || result === "private"
      ? readRange(req.headers.range, bytes)
      : null;
  if (range === "unsatisfiable") {
    res.writeHead(416, { "content-range": `bytes */${bytes}` }).end();
    return "416";
  }
  const span = range ?? whole;
  await reply.head(range === null ? 200 : 206, {
    "content-type": result === "mistyped" ? "text/plain" : contentType,
    "content-length": span.last - span.first + 1,
    "accept-ranges": "bytes",
    ...(range === null ? {} : { "content-range": `bytes ${span.first}-${span.last}/${bytes}` }),
  });
  if (req.method !== "HEAD") {
    const end = result === "truncated" ? { first: 0, last: half - 1 } : span;
    const pauseMs =
      result === "slow" ? resultDelayMs / Math.max(1, Math.ceil(bytes / CHUNK_BYTES)) : 0;
    await copy(file.path, end, reply, pauseMs);
    if (result === "truncated") {
      reply.destroy();
      return "truncated";
    }
  }
  reply.end();
  return range === null ? "200" : "206";
}

async function copy(path: string, span: Span, reply: Reply, pauseMs: number): Promise<void> {
  await using handle = await open(path);
  for (let at = span.first; at <= span.last && !reply.closed;) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(CHUNK_BYTES),
      0,
      Math.min(CHUNK_BYTES, span.last + 1 - at),
      at,
    );
    if (bytesRead === 0) return;
    at += bytesRead;
    if (pauseMs > 0) await reply.pause(pauseMs);
    await reply.write(buffer.subarray(0, bytesRead));
  }
}

/** Null: no range, or one that is not understood and therefore ignored (RFC 9110 §14.2). */
function readRange(header: string | undefined, bytes: number): Span | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (match === null || (match[1] === "" && match[2] === "")) return null;
  const from = match[1] === "" ? Math.max(0, bytes - Number(match[2])) : Number(match[1]);
  const to = match[1] === "" || match[2] === "" ? bytes - 1 : Math.min(bytes - 1, Number(match[2]));
  return from > to || from >= bytes ? "unsatisfiable" : { first: from, last: to };
}
