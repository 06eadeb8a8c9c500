/**
 * One HTTP answer as the sandbox writes it: in slices, with slow headers, or broken off, and never
 * after the client has left.
 */
import { STATUS_CODES, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";

export interface Reply {
  /** True once the client is gone or the answer is over. */
  readonly closed: boolean;
  head(status: number, headers: OutgoingHttpHeaders): Promise<void>;
  write(text: string | Buffer): Promise<void>;
  end(): void;
  /** Closes the socket with the answer unfinished. */
  destroy(): void;
  /** The same with a TCP RST. */
  reset(): void;
  /** Ends early when the client leaves; 0 still lets other work run. */
  pause(ms: number): Promise<void>;
  /** Waits until the client gives up. */
  hang(): Promise<void>;
}

export interface ReplyOptions {
  /** Time between the first half of the header block and the second; 0 sends it whole. */
  readonly slowHeadersMs: number;
  /** Bytes per write of the body; null writes what it is given. */
  readonly slice: number | null;
}

export function createReply(res: ServerResponse, options: ReplyOptions): Reply {
  const gone = new AbortController();
  const closing = Promise.withResolvers<void>();
  const socket = res.socket;
  /**
   * With slow headers the framing is ours: no chunked encoding, the end of the connection ends the
   * body.
   */
  const bare = options.slowHeadersMs > 0;
  res.on("error", () => undefined);
  res.on("close", () => {
    gone.abort();
    closing.resolve();
  });

  /** Done when the kernel has the bytes, so that a cut right after loses none of them. */
  const writeOnce = async (bytes: Buffer): Promise<void> => {
    const target = bare ? socket : res;
    if (gone.signal.aborted || target === null) return;
    const written = Promise.withResolvers<void>();
    target.write(bytes, () => written.resolve());
    await Promise.race([written.promise, closing.promise]);
  };

  const reply: Reply = {
    get closed() {
      return gone.signal.aborted;
    },
    async head(status, headers) {
      if (gone.signal.aborted) return;
      if (!bare) {
        res.writeHead(status, headers);
        res.flushHeaders();
        return;
      }
      const lines = Object.entries({ ...headers, connection: "close" }).map(
        ([name, value]) => `${name}: ${String(value)}\r\n`,
      );
      const block = Buffer.from(
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n${lines.join("")}\r\n`,
      );
      const half = block.length >> 1;
      await writeOnce(block.subarray(0, half));
      await reply.pause(options.slowHeadersMs);
      await writeOnce(block.subarray(half));
    },
    async write(text) {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      if (options.slice === null) return writeOnce(bytes);
      for (let at = 0; at < bytes.length && !gone.signal.aborted; at += options.slice) {
        await writeOnce(bytes.subarray(at, at + options.slice));
        await setImmediate(); // lets the kernel have this piece before the next one joins it
      }
    },
    end() {
      if (bare) socket?.end();
      else res.end();
    },
    destroy() {
      socket?.destroy();
    },
    reset() {
      socket?.resetAndDestroy();
    },
    async pause(ms) {
      // Without a turn of the event loop a long fast stream would starve everybody else and never
      // see its client leave.
      if (ms === 0) await setImmediate();
      else await setTimeout(ms, undefined, { signal: gone.signal }).catch(() => undefined);
    },
    hang: () => closing.promise,
  };
  return reply;
}
