/**
 * The head of an answer as one text, and head and body as one write to its connection. Node
 * makes a head by looking at each name and value for what it may mean, and puts what is written by
 * before it writes it.
 */
import type { ServerResponse } from "node:http";
import { isHeaderValue } from "../kernel/header-value.ts";

/** What Node keeps of a response and does not show. */
interface Kept {
  /** Whole, as it is sent before the first bytes of the body; null until it is made. */
  _header: string | null;
  _headerSent: boolean;
  readonly _keepAliveTimeout: number;
}

/**
 * `head`: names and values in turn, the length of the body among them unless it comes in chunks. As
 * `writeHead` does it.
 */
export type PutHead = (
  response: ServerResponse,
  status: number,
  head: string[],
  body?: "counted" | "chunks",
) => void;

const CHUNKED_LINE = "Transfer-Encoding: chunked\r\n";

export function createPutHead(nowMs: () => number = Date.now): PutHead {
  const dateLine = createDateLine(nowMs);
  return (response, status, head, body = "counted") => {
    const inChunks = body === "chunks";
    const isUsual =
      status === 200 &&
      staysOpen(response, head) &&
      (!inChunks || response.useChunkedEncodingByDefault);
    const lines = isUsual ? linesOf(head) : null;
    if (lines === null) {
      response.writeHead(status, head);
      return;
    }
    const kept = response as unknown as Kept;
    kept._header = `HTTP/1.1 200 OK\r\n${lines}${dateLine()}Connection: keep-alive\r\n${keepAliveLine(kept)}${inChunks ? CHUNKED_LINE : ""}\r\n`;
    response.chunkedEncoding = inChunks;
  };
}

/** To be written before the first bytes of the body; empty where it is gone, or Node sees to it. */
export function takeHead(response: ServerResponse): string {
  const kept = response as unknown as Kept;
  const { socket } = response;
  if (kept._headerSent || kept._header === null || socket === null || socket.destroyed) return "";
  kept._headerSent = true;
  return kept._header;
}

/**
 * Ends nothing yet. `text`, in latin1, is all of the body; the head has been put, and no answer
 * before it on the connection still runs.
 */
export function writeWhole(response: ServerResponse, text: string): void {
  const { socket } = response;
  if (socket === null || socket.destroyed) return;
  const kept = response as unknown as Kept;
  kept._headerSent = true;
  socket.write((kept._header ?? "") + text, "latin1");
}

/** Whatever else may become of a connection is left to Node. */
function staysOpen(response: ServerResponse, head: readonly string[]): boolean {
  return (
    response.shouldKeepAlive &&
    response.req.headers.expect === undefined &&
    !head.includes("connection")
  );
}

/** Null where a value cannot stand in a head: Node says so. */
function linesOf(head: readonly string[]): string | null {
  let lines = "";
  for (let i = 0; i + 1 < head.length; i += 2) {
    const value = head[i + 1] ?? "";
    if (!isHeaderValue(value)) return null;
    lines += `${head[i]}: ${value}\r\n`;
  }
  return lines;
}

function keepAliveLine({ _keepAliveTimeout: ms }: Kept): string {
  return ms > 0 ? `Keep-Alive: timeout=${Math.floor(ms / 1000)}\r\n` : "";
}

function createDateLine(nowMs: () => number): () => string {
  let second = NaN;
  let line = "";
  return () => {
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) {
      second = now;
      line = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
    }
    return line;
  };
}
