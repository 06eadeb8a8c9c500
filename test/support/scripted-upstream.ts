/**
 * A real HTTP server on loopback whose every answer, byte and pause is scripted by the test: an
 * upstream that misbehaves on cue, never by the clock.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

/** A point where a script waits until the test lets it go on. */
export interface Gate {
  readonly wait: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { wait: promise, open: resolve };
}

export interface RecordedRequest {
  /** Arrival order, from 0. */
  readonly index: number;
  readonly method: string;
  /** Path with its query, as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON; throws where it is none. */
  json(): unknown;
  /**
   * Which TCP connection it came on, from 0: two requests on one number shared a pooled connection.
   */
  readonly connection: number;
  /** `performance.now()` when the whole body was there. */
  readonly receivedAt: number;
  /**
   * `performance.now()` when the client gave up before the answer was complete; null while it has
   * not.
   */
  readonly abortedAt: number | null;
  /** Resolves when the client gives up before the answer is complete; never otherwise. */
  readonly aborted: Promise<void>;
}

/**
 * One request and the means to answer it. Every method may be called in any order; after the client
 * is gone they do nothing.
 */
export interface Exchange {
  readonly request: RecordedRequest;
  /**
   * Sends the status line and headers at once, before any body. Default content type:
   * text/event-stream.
   */
  head(status?: number, headers?: OutgoingHttpHeaders): void;
  /**
   * Sends exactly these bytes of the body as one write and waits until the kernel has them. False:
   * the client is gone. Sends a 200 head first where none was sent.
   */
  send(bytes: Buffer | string): Promise<boolean>;
  /** Sends each buffer as a write of its own. */
  sendAll(buffers: readonly (Buffer | string)[]): Promise<boolean>;
  /** A complete clean end of the answer. */
  end(): void;
  /** A whole JSON answer. */
  json(status: number, body: unknown, headers?: OutgoingHttpHeaders): void;
  /**
   * Bytes straight onto the socket, past all HTTP framing: broken status lines, headers in pieces,
   * answers without a request.
   */
  raw(bytes: Buffer | string): Promise<boolean>;
  /** Closes the connection (FIN) without ending the answer: the client sees a premature end. */
  halfClose(): void;
  /** Closes the socket in both directions at once, the answer unfinished. */
  destroy(): void;
  /** Aborts the connection with a TCP RST. */
  reset(): void;
  /** Waits for the client to give up; nothing more is sent meanwhile. */
  hang(): Promise<void>;
}

export type Handler = (exchange: Exchange) => void | Promise<void>;

export interface ScriptedUpstream {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  readonly port: number;
  /** Every request whose body arrived whole, in order. */
  readonly requests: readonly RecordedRequest[];
  /**
   * Connections that are open now, idle pooled ones included (undici opens a spare one after an
   * abort).
   */
  readonly openConnections: number;
  /** Requests whose answer is neither complete nor broken off. */
  readonly openExchanges: number;
  /** The request of this index, as soon as it is there. */
  request(index: number): Promise<RecordedRequest>;
  /** Resolves when there is no open exchange. */
  idle(): Promise<void>;
  /**
   * Stops at once. Rejects with what the handlers threw, and with requests that a list of handlers
   * did not foresee.
   */
  close(): Promise<void>;
}

/**
 * Starts the server. One handler answers everything; a list answers the first request by its first
 * handler and so on, and one request too many is a failure.
 */
export async function startScriptedUpstream(
  script: Handler | readonly Handler[],
): Promise<ScriptedUpstream> {
  const requests: RecordedRequest[] = [];
  const failures: unknown[] = [];
  const awaited = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  const sockets = new Map<Socket, number>();
  const idleWaits = new Set<() => void>();
  let connections = 0;
  let openExchanges = 0;

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const exchange = await readExchange(req, res, {
      requests,
      connection: sockets.get(req.socket) ?? -1,
    });
    if (exchange === null) return;
    awaited.get(exchange.request.index)?.resolve(exchange.request);
    const handler = typeof script === "function" ? script : script[exchange.request.index];
    if (handler === undefined) {
      failures.push(
        new Error(
          `request ${exchange.request.index} (${req.method} ${req.url}) was not in the script`,
        ),
      );
      exchange.json(500, { error: { message: "not in the script" } });
      return;
    }
    await handler(exchange);
  };

  const server = createServer(
    { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 },
    (req, res) => {
      openExchanges++;
      res.on("close", () => {
        openExchanges--;
        if (openExchanges === 0) for (const wake of idleWaits) wake();
      });
      answer(req, res).catch((error: unknown) => {
        failures.push(error);
        res.destroy();
      });
    },
  );
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, connections++);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get openConnections() {
      return sockets.size;
    },
    get openExchanges() {
      return openExchanges;
    },
    request(index) {
      const there = requests[index];
      if (there !== undefined) return Promise.resolve(there);
      const waiting = awaited.get(index) ?? Promise.withResolvers<RecordedRequest>();
      awaited.set(index, waiting);
      return waiting.promise;
    },
    async idle() {
      while (openExchanges > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        idleWaits.add(resolve);
        await promise;
        idleWaits.delete(resolve);
      }
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      if (failures.length > 0)
        throw new AggregateError(
          failures,
          `the scripted upstream failed: ${failures.map(String).join("; ")}`,
        );
    },
  };
}

/**
 * Reads the body, records the request and builds the exchange; null when the client left before its
 * body was complete.
 */
async function readExchange(
  req: IncomingMessage,
  res: ServerResponse,
  place: { requests: RecordedRequest[]; connection: number },
): Promise<Exchange | null> {
  const gone = Promise.withResolvers<void>();
  let abortedAt: number | null = null;
  let closedByUs = false;
  res.on("error", () => undefined);
  res.on("close", () => {
    if (res.writableFinished || closedByUs) return;
    abortedAt = performance.now();
    gone.resolve();
  });
  const parts: Buffer[] = [];
  try {
    for await (const part of req) parts.push(part as Buffer);
  } catch {
    return null;
  }
  const body = Buffer.concat(parts);
  const socket = req.socket;
  const over = (): boolean => socket.destroyed || res.destroyed;

  /** One write, done when the kernel took it or the client left. */
  const write = (target: ServerResponse | Socket, bytes: Buffer | string): Promise<boolean> => {
    if (over()) return Promise.resolve(false);
    const written = new Promise<boolean>((resolve) => {
      target.write(bytes, (error) => resolve(error === null || error === undefined));
    });
    return Promise.race([written, gone.promise.then(() => false)]);
  };

  const request: RecordedRequest = {
    index: place.requests.length,
    method: req.method ?? "",
    path: req.url ?? "",
    headers: req.headers,
    body,
    json: () => JSON.parse(body.toString("utf8")) as unknown,
    connection: place.connection,
    receivedAt: performance.now(),
    get abortedAt() {
      return abortedAt;
    },
    aborted: gone.promise,
  };
  place.requests.push(request);

  const exchange: Exchange = {
    request,
    head(status = 200, headers = {}) {
      if (over() || res.headersSent) return;
      res.writeHead(status, { "content-type": "text/event-stream; charset=utf-8", ...headers });
      res.flushHeaders();
    },
    send(bytes) {
      exchange.head();
      return write(res, bytes);
    },
    async sendAll(buffers) {
      for (const bytes of buffers) {
        if (!(await exchange.send(bytes))) return false;
        await setImmediate(); // otherwise a long list would never see its client leave
      }
      return true;
    },
    end() {
      exchange.head();
      if (!over()) res.end();
    },
    json(status, value, headers = {}) {
      if (over()) return;
      const bytes = Buffer.from(JSON.stringify(value));
      res.writeHead(status, {
        "content-type": "application/json",
        "content-length": bytes.length,
        ...headers,
      });
      res.end(bytes);
    },
    raw: (bytes) => write(socket, bytes),
    halfClose() {
      closedByUs = true;
      socket.end();
    },
    destroy() {
      closedByUs = true;
      socket.destroy();
    },
    reset() {
      closedByUs = true;
      socket.resetAndDestroy();
    },
    hang: () => gone.promise,
  };
  return exchange;
}
