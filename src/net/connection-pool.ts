/**
 * The connections to one origin: the one that was free last is taken first, what has closed is
 * forgotten, and a choice costs the same however many are busy.
 */
import { buildConnector, Client, errors } from "undici";
import type { Dispatcher } from "undici";
import { createChunkBypass, type ChunkBypass } from "./chunk-bypass.ts";

export interface ConnectionPool {
  /**
   * Sends over a connection with room, or a new one. Waits for no other exchange, because what
   * waited would hold money meanwhile; only for a connection that is being opened and may have room
   * for many (HTTP/2). There are never more than one for each place at an upstream
   * (`maxConcurrent`).
   */
  dispatch(request: Dispatcher.DispatchOptions, handler: PoolHandler): void;
  /** Cuts every connection. */
  destroy(): Promise<void>;
}

export interface PoolHandler extends Dispatcher.DispatchHandler {
  /** Where its answer will come; told before `dispatch` of the connection's client. */
  onConnection(bypass: ChunkBypass): void;
  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void;
  /** It has heard its end: within `dispatch`, when the request cannot be sent. */
  readonly over: boolean;
}

interface Connection {
  readonly client: Client;
  readonly bypass: ChunkBypass;
  state: "opening" | "open" | "closed";
  /** Among those with room. */
  hasRoom: boolean;
}

interface Waiting {
  readonly request: Dispatcher.DispatchOptions;
  readonly handler: PoolHandler;
}

const KEEP_ALIVE_MS = 30_000;

/**
 * undici's own Pool looks at every connection for each request, twice, and keeps the Client of a
 * connection that has closed.
 */
export function createConnectionPool(origin: string, connectTimeoutMs: number): ConnectionPool {
  const url = new URL(origin);
  const openSocket = buildConnector({ timeout: connectTimeoutMs });
  /**
   * Whether a connection has room for many exchanges, as the last one turned out; null until TLS
   * has told for the first time.
   */
  let shared: boolean | null = url.protocol === "https:" ? null : false;
  let opening = 0;
  const clients = new Set<Client>();
  /** A stack: connections that are not needed stay at its bottom until their keep-alive ends. */
  const roomy: Connection[] = [];
  /** For the connection that is being opened. */
  const waiting: Waiting[] = [];

  function connectorFor(bypass: ChunkBypass): buildConnector.connector {
    return (options, callback) => {
      openSocket(options, (...result) => {
        if (result[0] === null) {
          const [, socket] = result;
          shared = "alpnProtocol" in socket && socket.alpnProtocol === "h2";
          // Many exchanges share a connection of HTTP/2, and no chunks pass over it.
          if (!shared) bypass.watch(socket);
        }
        callback(...result);
      });
    };
  }

  function add(): Connection {
    const bypass = createChunkBypass();
    const connect = connectorFor(bypass);
    const client = new Client(url, { connect, pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS });
    const connection: Connection = { client, bypass, state: "opening", hasRoom: false };
    clients.add(client);
    opening += 1;
    client.on("connect", () => {
      if (connection.state === "opening") opening -= 1;
      connection.state = "open";
      // A shared one says `drain` next.
      if (shared === false) sendWaiting();
    });
    client.on("connectionError", () => {
      if (connection.state === "opening") opening -= 1;
      connection.state = "closed";
      forget(client);
      // Not one after the other: each would wait out a timeout of its own.
      for (const { request, handler } of waiting.splice(0))
        send(roomy.pop() ?? add(), request, handler);
    });
    client.on("disconnect", () => {
      connection.state = "closed";
      if (!connection.hasRoom) return;
      roomy.splice(roomy.indexOf(connection), 1);
      forget(client);
    });
    client.on("drain", () => {
      if (connection.state !== "open") {
        forget(client);
        return;
      }
      keep(connection);
      sendWaiting();
    });
    return connection;
  }

  function keep(connection: Connection): void {
    if (connection.hasRoom || connection.client.closed || connection.client.destroyed) return;
    connection.hasRoom = true;
    roomy.push(connection);
  }

  /** What it still has to do goes on. */
  function forget(client: Client): void {
    if (!client.closed && !client.destroyed) void client.close().then(() => clients.delete(client));
  }

  function send(
    connection: Connection,
    request: Dispatcher.DispatchOptions,
    handler: PoolHandler,
  ): void {
    connection.hasRoom = false;
    handler.onConnection(connection.bypass);
    // Without room for more, it says `drain` when it has room again; a request that cannot be sent
    // takes none.
    if (connection.client.dispatch(request, handler) || handler.over) keep(connection);
  }

  function mustWait(): boolean {
    return shared !== false && opening > 0 && roomy.length === 0;
  }

  function sendWaiting(): void {
    while (waiting.length > 0 && !mustWait()) {
      const next = waiting.shift();
      if (next !== undefined) send(roomy.pop() ?? add(), next.request, next.handler);
    }
  }

  return {
    dispatch(request, handler) {
      if (mustWait()) waiting.push({ request, handler });
      else send(roomy.pop() ?? add(), request, handler);
    },

    async destroy() {
      for (const { handler } of waiting.splice(0))
        handler.onResponseError(null, new errors.ClientDestroyedError());
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}
