/**
 * Sends an answer that has no end yet: each event as it happens, a comment in between where it is
 * silent, and no faster than it is read.
 */
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { toFault } from "../kernel/faults.ts";
import { DOWNLOAD_IDLE_MS } from "../kernel/limits.ts";
import type { Exchange } from "./exchange.ts";
import { nextOrSilence } from "./next-or-silence.ts";
import type { Answer, LiveContent } from "./route.ts";
import { writeHead } from "./send-stream.ts";

const KEEP_ALIVE = ": keep-alive\n\n";

/**
 * One event at a time: the next is asked for when the connection has taken the one before, so that
 * a slow reader costs no memory. A reader that takes nothing for a minute is cut off. What the
 * events throw breaks the connection, so that what came is not taken for all.
 */
export async function sendLive(
  exchange: Exchange,
  reply: FastifyReply,
  answer: Answer,
  content: LiveContent,
): Promise<void> {
  void reply
    .code(answer.status ?? 200)
    .headers(answer.headers ?? {})
    .header("content-type", "text/event-stream; charset=utf-8")
    // Proxies that gather answers would hold events back.
    .header("x-accel-buffering", "no");
  const response = writeHead(reply);
  if (reply.request.method === "HEAD") {
    response.end();
    return;
  }
  response.flushHeaders();
  const left = new AbortController();
  response.once("close", () => left.abort());
  if (response.destroyed) left.abort();
  const events = content.live(left.signal)[Symbol.asyncIterator]();
  let next = events.next();
  try {
    for (;;) {
      const event = await nextOrSilence(next, content.keepAliveMs);
      if (left.signal.aborted) break;
      if (event === "silence") {
        await write(response, KEEP_ALIVE);
        continue;
      }
      if (event.done === true) break;
      await write(response, event.value);
      next = events.next();
    }
    response.end();
  } catch (error) {
    if (!left.signal.aborted) exchange.fault ??= toFault(error);
    response.destroy();
  } finally {
    left.abort();
    // What it was asked for last is not waited for.
    next.catch(() => undefined);
    await events.return?.(undefined);
  }
}

/** Resolves when there is room for more, or the reader has left. */
async function write(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), DOWNLOAD_IDLE_MS);
  response.once("drain", resolve).once("close", resolve);
  await promise;
  clearTimeout(timer);
  response.off("drain", resolve).off("close", resolve);
}
