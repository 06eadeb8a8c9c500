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

const CHUNKED_LINE = "Transfer-Encoding: chunked\r\n";

/**
 * `head`: names and values in turn, the length of the body among them unless it comes in chunks.
 */
export interface AnswerHeads {
  /** The text of a head of status 200, and nothing is done yet; null: it is left to Node. */
  make(response: ServerResponse, head: readonly string[]): string | null;
  /** As `writeHead` does it. `made`: what `make` has made of it, where it has. */
  put(response: ServerResponse, status: number, head: string[], made?: string | null): void;
  /** The same of status 200 for a body in chunks, where the caller knows chunks. */
  putForChunks(response: ServerResponse, head: string[]): void;
}

export function createAnswerHeads(nowMs: () => number = Date.now): AnswerHeads {
  const dateLine = createDateLine(nowMs);

  function make(response: ServerResponse, head: readonly string[], last = ""): string | null {
    const lines = staysOpen(response, head) ? linesOf(head) : null;
    if (lines === null) return null;
    const kept = response as unknown as Kept;
    return `HTTP/1.1 200 OK\r\n${lines}${dateLine()}Connection: keep-alive\r\n${keepAliveLine(kept)}${last}\r\n`;
  }

  function putText(
    response: ServerResponse,
    status: number,
    head: string[],
    text: string | null,
  ): void {
    if (text === null) response.writeHead(status, head);
    else (response as unknown as Kept)._header = text;
  }

  return {
    make: (response, head) => make(response, head),
    put(response, status, head, made = null) {
      putText(response, status, head, status === 200 ? (made ?? make(response, head)) : null);
    },
    putForChunks(response, head) {
      const knowsChunks = response.useChunkedEncodingByDefault;
      const text = knowsChunks ? make(response, head, CHUNKED_LINE) : null;
      putText(response, 200, head, text);
      if (text !== null) response.chunkedEncoding = true;
    },
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
  socket.write(takeHead(response) + text, "latin1");
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
