/**
 * Sends answers past the router's own way of writing: those whose bytes come as they are read, and
 * those without a body.
 */
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { FastifyReply } from "fastify";
import { toFault } from "../kernel/faults.ts";
import { DOWNLOAD_IDLE_MS } from "../kernel/limits.ts";
import type { Exchange } from "./exchange.ts";
import type { Answer, StreamedContent } from "./route.ts";

/**
 * HEAD gets the same head, and nothing is opened for it. Throws what `open` throws, while the
 * answer can still be another. A reader that leaves, and one that takes nothing for a minute, end
 * the source too.
 */
export async function sendStream(
  exchange: Exchange,
  reply: FastifyReply,
  answer: Answer,
  content: StreamedContent,
): Promise<void> {
  const isHead = reply.request.method === "HEAD";
  const source = isHead ? null : await content.open();
  const { sizeBytes } = content;
  void reply
    .code(answer.status ?? 200)
    .headers(answer.headers ?? {})
    .header("content-type", content.contentType);
  if (sizeBytes !== null) void reply.header("content-length", String(sizeBytes));
  const response = writeHead(reply);
  if (source === null) {
    response.end();
    return;
  }
  response.setTimeout(DOWNLOAD_IDLE_MS, () => response.destroy());
  // Before the response is closed, and with it the exchange.
  const note = (error: unknown): void => {
    if (!isPremature(error)) exchange.fault ??= toFault(error);
  };
  source.once("error", note);
  try {
    // The head is out: on an error the connection breaks off, so that the client does not take what
    // came for all of it.
    if (sizeBytes === null) await pipeline(source, response);
    else
      await pipeline(
        source,
        (chunks: AsyncIterable<Buffer>) => exactly(chunks, sizeBytes, note),
        response,
      );
  } catch {
    response.destroy();
  }
}

/** The router would announce a body of no bytes, which a 304 must not. */
export function sendNothing(reply: FastifyReply, answer: Answer): void {
  void reply.code(answer.status ?? 204).headers(answer.headers ?? {});
  writeHead(reply).end();
}

/** From here on it is Node's response alone. */
export function writeHead(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return reply.raw.writeHead(reply.statusCode, Object.fromEntries(headers));
}

async function* exactly(
  chunks: AsyncIterable<Buffer>,
  sizeBytes: number,
  note: (error: Error) => void,
): AsyncGenerator<Buffer> {
  let sent = 0;
  const fail = (what: string): Error => {
    const error = new Error(
      `a stored file gave ${what} than the ${sizeBytes} bytes that were announced`,
    );
    note(error);
    return error;
  };
  for await (const chunk of chunks) {
    sent += chunk.length;
    if (sent > sizeBytes) throw fail("more");
    yield chunk;
  }
  if (sent < sizeBytes) throw fail(`${sizeBytes - sent} less`);
}

/** The reader left. */
function isPremature(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}
