/**
 * The connections to one origin: the one that was free last is taken first, what has closed is
 * forgotten, and a choice costs the same however many are busy.
 */
import type { Socket } from "node:net";
import { buildConnector, errors } from "undici";
import { assert } from "../kernel/assert.ts";
import type { Carried } from "./carried.ts";
import { Http1Connection, SocketReads, TurnEnd } from "./http1-connection.ts";
import type { ConnectionOwner } from "./http1-connection.ts";
import { Http2Connection } from "./http2-connection.ts";
import { RequestHeads } from "./request-head.ts";

export interface ConnectionPool {
  /**
   * Sends over a connection with room, or a new one. Waits for no other exchange, because what
   * waited would hold money meanwhile; only for a connection that is being opened and may have room
   * for many (HTTP/2). There are never more than one for each place at an upstream
   * (`maxConcurrent`). What cannot be sent at all fails at once.
   */
  dispatch(exchange: Carried): void;
  /** Cuts every connection, and fails what is under way. */
  destroy(): void;
}

interface Waiting {
  readonly exchange: Carried;
  readonly head: string;
}

/** How often connections are looked at that nothing has been sent over for long. */
const SWEEP_MS = 1_000;

/**
 * undici's own Pool looks at every connection for each request, twice, and keeps the Client of a
 * connection that has closed.
 */
export function createConnectionPool(origin: string, connectTimeoutMs: number): ConnectionPool {
  return new OriginPool(new URL(origin), connectTimeoutMs);
}

class OriginPool implements ConnectionPool, ConnectionOwner {
  readonly turnEnd = new TurnEnd();
  private readonly url: URL;
  private readonly connectTimeoutMs: number;
  private readonly heads: RequestHeads;
  /**
   * Whether a connection has room for many exchanges, as the last one turned out; null until TLS
   * has told for the first time.
   */
  private shared: boolean | null;
  private over = false;
  /**
   * To open connections. A signal for each of them: what listens to the signal of a pool stays there,
   * and with it a connection that has long been closed.
   */
  private readonly attempts = new Set<AbortController>();
  /** A stack: connections that are not needed stay at its bottom until their time is over. */
  private free: Http1Connection[] = [];
  private readonly all = new Set<Http1Connection | Http2Connection>();
  /** Of HTTP/2, those with room. */
  private readonly roomy: Http2Connection[] = [];
  /** For the connection that is being opened. */
  private readonly waiting: Waiting[] = [];
  private sweeper: NodeJS.Timeout | null = null;
  /** What lets the next TLS handshake be short. */
  private session: Buffer | undefined;

  constructor(url: URL, connectTimeoutMs: number) {
    this.url = url;
    this.connectTimeoutMs = connectTimeoutMs;
    this.heads = new RequestHeads(url.host);
    this.shared = url.protocol === "https:" ? null : false;
  }

  dispatch(exchange: Carried): void {
    try {
      const { request } = exchange;
      assert(request !== null, "nothing of it has left");
      this.send({ exchange, head: this.heads.of(request) });
    } catch (error) {
      exchange.onFail(error as Error);
    }
  }

  destroy(): void {
    this.over = true;
    for (const attempt of this.attempts) attempt.abort();
    if (this.sweeper !== null) clearTimeout(this.sweeper);
    const error = new errors.ClientDestroyedError();
    for (const { exchange } of this.waiting.splice(0)) exchange.onFail(error);
    for (const connection of [...this.all]) connection.destroy(error);
  }

  onFree(connection: Http1Connection): void {
    const next = this.waiting.shift();
    if (next !== undefined) {
      connection.carry(next.exchange, next.head);
      return;
    }
    this.free.push(connection);
    this.sweeper ??= setTimeout(() => this.sweep(), SWEEP_MS).unref();
  }

  onClosed(connection: Http1Connection): void {
    this.all.delete(connection);
    const at = this.free.lastIndexOf(connection);
    if (at !== -1) this.free.splice(at, 1);
  }

  onUnsent(exchange: Carried, head: string): void {
    this.send({ exchange, head });
  }

  private send(what: Waiting): void {
    const { exchange, head } = what;
    if (this.over) return exchange.onFail(new errors.ClientDestroyedError());
    const connection = this.takeFree();
    if (connection !== undefined) return connection.carry(exchange, head);
    const shared = this.takeRoomy();
    if (shared !== undefined) return shared.carry(exchange);
    if (this.shared !== false && this.attempts.size > 0) this.waiting.push(what);
    else this.open(what);
  }

  /** The rest of the stack is looked at only where its top is of no more use. */
  private takeFree(): Http1Connection | undefined {
    const nowMs = this.free.length === 0 ? 0 : performance.now();
    for (;;) {
      const connection = this.free.pop();
      if (connection === undefined || nowMs < connection.idleUntilMs) return connection;
      connection.destroy(new errors.SocketError("idle for long"));
    }
  }

  private takeRoomy(): Http2Connection | undefined {
    for (;;) {
      const connection = this.roomy.at(-1);
      if (connection === undefined || connection.hasRoom) return connection;
      this.roomy.pop();
    }
  }

  private open(first: Waiting): void {
    const reads = new SocketReads();
    const { url, session } = this;
    const attempt = new AbortController();
    const connect = buildConnector({
      timeout: this.connectTimeoutMs,
      onread: reads,
      signal: attempt.signal,
      ...(session === undefined ? {} : { session }),
    });
    this.attempts.add(attempt);
    connect(addressOf(url), (error, socket) => {
      this.attempts.delete(attempt);
      if (this.over) {
        socket?.destroy();
        this.failedToOpen(new errors.ClientDestroyedError(), first);
      } else if (error === null) this.opened(socket, reads, first);
      else this.failedToOpen(error, first);
    });
  }

  private opened(socket: Socket, reads: SocketReads, first: Waiting): void {
    socket.on("session", (session: Buffer) => void (this.session = session));
    this.shared = "alpnProtocol" in socket && socket.alpnProtocol === "h2";
    if (this.shared) this.share(socket, first);
    else {
      const connection = new Http1Connection(socket, reads, this);
      this.all.add(connection);
      if (first.exchange.over) this.onFree(connection);
      else connection.carry(first.exchange, first.head);
    }
    for (const next of this.waiting.splice(0)) this.send(next);
  }

  private share(socket: Socket, first: Waiting): void {
    const connection = new Http2Connection(this.url, socket, {
      onRoom: () => void this.roomy.push(connection),
      onClosed: () => {
        this.all.delete(connection);
        const at = this.roomy.lastIndexOf(connection);
        if (at !== -1) this.roomy.splice(at, 1);
      },
    });
    this.all.add(connection);
    this.roomy.push(connection);
    if (!first.exchange.over) connection.carry(first.exchange);
  }

  private failedToOpen(error: Error, { exchange }: Waiting): void {
    if (!exchange.over) exchange.onFail(error);
    // Not one after the other: each would wait out a timeout of its own.
    for (const next of this.waiting.splice(0)) this.open(next);
  }

  /** Those at the bottom have been free for longest. */
  private sweep(): void {
    this.sweeper = null;
    const nowMs = performance.now();
    const { free } = this;
    // Each one that closes would be looked for among all of them.
    this.free = free.filter(({ idleUntilMs }) => idleUntilMs > nowMs);
    for (const connection of free)
      if (connection.idleUntilMs <= nowMs)
        connection.destroy(new errors.SocketError("idle for long"));
    if (this.free.length > 0) this.sweeper = setTimeout(() => this.sweep(), SWEEP_MS).unref();
  }
}

function addressOf({ host, hostname, protocol, port }: URL): buildConnector.Options {
  return { host, hostname: hostname.replace(/^\[|\]$/g, ""), protocol, port };
}
