/**
 * One node:http server that names every exchange, reads its target once, and sends it to a raw
 * route or to the router.
 */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { formatRequestId, newUuid } from "../kernel/ids.ts";
import { ArrivingRequest } from "./arriving-request.ts";
import { closeIdle } from "./close-idle.ts";
import { beginConnection, connectionOf, type Connection } from "./connection.ts";
import { cutSlowSender, lingerMs } from "./cut-slow-sender.ts";
import { cutStalledReader } from "./cut-stalled-reader.ts";
import { createRouter } from "./create-router.ts";
import type { RouterDeps, RouterHandler } from "./create-router.ts";
import { errorFamily, renderFault } from "./error-family.ts";
import type { Exchange, Exchanges } from "./exchange.ts";
import { refuseBrokenRequest, refuseConnect } from "./refuse-socket.ts";
import type { SocketRefusal } from "./refuse-socket.ts";
import { repeatedHeader } from "./repeated-header.ts";
import { openPort } from "./listen.ts";
import type { OpenPort, PortWish } from "./listen.ts";
import type { RequestDone } from "./request-log.ts";
import { readRequestTarget } from "./request-target.ts";
import { HEADERS_LIMIT_BYTES, TIMEOUTS, type Timeouts } from "./server-timeouts.ts";

export interface NodeServerDeps extends Pick<
  RouterDeps,
  "routes" | "authenticate" | "authenticateMember" | "origin" | "clientAddress" | "gates"
> {
  /**
   * Paths answered outside the router, on the raw request: `POST /v1/chat/completions`. They log
   * their requests themselves.
   */
  readonly rawRoutes: ReadonlyMap<string, RawHandler>;
  /** Once per exchange that the router or the server itself answered. */
  onRequestDone(done: RequestDone): void;
  readonly clock: Clock;
  /** For tests that cannot wait a minute. */
  readonly timeouts?: Timeouts;
}

/**
 * Answers, logs and counts the whole exchange by itself. `head`: names and values in turn of the
 * headers that its answer has to carry.
 */
export type RawHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: Uuid,
  head: string[],
) => void;

export interface HttpServer {
  /**
   * Resolves to the port, which is another than the given one only where that is 0. Rejects with
   * the system's error (EADDRINUSE …).
   */
  listen(at: PortWish): Promise<number>;
  /**
   * From now on every answer closes its connection, and new ones are still taken. Idle ones stay
   * until they are used: the other side may be about to.
   */
  announceClose(): void;
  /**
   * Takes no new connections, answers what is under way with `connection: close`, and resolves when
   * the last connection is closed; whatever is left after `deadlineMs` is cut.
   */
  close(deadlineMs: number): Promise<void>;
  /** Open ones. */
  readonly connections: number;
}

export async function createNodeServer(deps: NodeServerDeps): Promise<HttpServer> {
  const exchanges: Exchanges = new WeakMap();
  const timeouts = deps.timeouts ?? TIMEOUTS;
  let closing = false;
  let announced = false;
  let routed: RouterHandler = () => undefined;

  function open(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    awaitsContinue: boolean,
  ): Exchange {
    const requestId = newUuid();
    const exchange: Exchange = {
      requestId,
      publicId: formatRequestId(requestId),
      family: errorFamily(path, request.headers),
      startedMs: deps.clock.monotonicMs(),
      route: null,
      key: null,
      member: null,
      fault: null,
      refusal: null,
      awaitsContinue,
      longBody: false,
    };
    exchanges.set(request, exchange);
    const head = baseHead(exchange.publicId);
    for (let i = 0; i < head.length; i += 2) response.setHeader(head[i] ?? "", head[i + 1] ?? "");
    occupy(request, response, requestId);
    return exchange;
  }

  /** What every answer carries. */
  function baseHead(publicId: string): string[] {
    return closing || announced
      ? [...requestIds(publicId), "connection", "close"]
      : requestIds(publicId);
  }

  function occupy(request: IncomingMessage, response: ServerResponse, requestId: Uuid): void {
    const connection = connectionOf(request.socket);
    if (connection !== undefined) {
      connection.underWay += 1;
      connection.last = { response, requestId };
    }
    response.on("close", release);
  }

  /** One function for all responses: it is their listener. */
  function release(this: ServerResponse): void {
    const connection = connectionOf(this.req.socket);
    if (connection !== undefined) {
      connection.underWay -= 1;
      if (connection.underWay === 0) connection.last = null;
      if (connection.broken && connection.underWay === 0) this.req.socket.destroySoon();
    }
    if (closing) server.closeIdleConnections();
  }

  /**
   * Nothing of the request is read here but its method and path: most of all requests come this
   * way.
   */
  function answerRaw(
    handler: RawHandler,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const requestId = newUuid();
    occupy(request, response, requestId);
    handler(request, response, requestId, baseHead(formatRequestId(requestId)));
  }

  function report(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
    // Said whole. What is sent bit by bit watches its reader itself.
    response.once("prefinish", () => {
      if (response.writableLength > 0) cutStalledReader(response, deps.timeouts?.stalledMs);
    });
    response.once("close", () => {
      deps.onRequestDone({
        requestId: exchange.requestId,
        method: request.method ?? "",
        route: exchange.route,
        status: response.headersSent ? response.statusCode : (exchange.refusal?.status ?? 499),
        ms: deps.clock.monotonicMs() - exchange.startedMs,
        key: exchange.key,
        member: exchange.member,
        fault: exchange.refusal?.fault ?? exchange.fault,
        aborted: !response.writableFinished,
        retryCount: retryCountOf(request),
      });
      if (!request.complete)
        cutSlowSender(request, lingerMs({ longBody: exchange.longBody, closing }));
    });
  }

  function refuse(response: ServerResponse, exchange: Exchange, fault: Fault): void {
    exchange.fault = fault;
    const { status, headers, body } = renderFault(exchange.family, fault, exchange.publicId);
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
  }

  /**
   * What is under way on a connection on which nothing more can be read. Where it is the body of a
   * request that broke, its sender is told so. Behind whole requests (a `content-length` that
   * counts letters instead of bytes, for example) it is theirs to be answered first.
   */
  function breakOff(connection: Connection, error: NodeJS.ErrnoException, socket: Socket): void {
    const { last } = connection;
    const whole = last?.response.req.complete === true;
    const left = error.code === "ECONNRESET" || (whole && socket.readableEnded);
    const tellable = last !== null && connection.underWay === 1 && !last.response.headersSent;
    // What still comes is thrown away until the connection is closed.
    if (connection.broken && !left) return;
    if (left || !(whole || tellable)) {
      socket.destroy();
      return;
    }
    connection.broken = true;
    if (whole || last === null) return;
    const { req: request } = last.response;
    const exchange = exchanges.get(request);
    const family =
      exchange?.family ?? errorFamily(request.url?.split("?")[0] ?? "", request.headers);
    const refusal = refuseBrokenRequest(error, socket, last.requestId, family);
    if (exchange !== undefined) exchange.refusal = refusal;
  }

  function reportRefusal(requestId: Uuid, method: string, refusal: SocketRefusal | null): void {
    if (refusal === null) return;
    deps.onRequestDone({
      requestId,
      method,
      route: null,
      status: refusal.status,
      ms: 0,
      key: null,
      fault: refusal.fault,
      aborted: false,
    });
  }

  /** Nothing but its own route knows when a body that takes long has taken too long. */
  function takesLong(request: IncomingMessage): void {
    const connection = connectionOf(request.socket);
    if (connection === undefined) return;
    connection.long += 1;
    request.once("close", () => void (connection.long -= 1));
  }

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue = false,
  ): void {
    const raw = request.url ?? "";
    if (request.method === "OPTIONS" && raw === "*") {
      report(request, response, open(request, response, raw, awaitsContinue));
      response.writeHead(204, { allow: "GET, HEAD, POST, DELETE, OPTIONS" }).end();
      return;
    }
    const mistake = hasHost(request) ? repeatedHeader(request) : NO_HOST;
    const handled = request.method === "POST" && mistake === null;
    const toRaw = (handler: RawHandler): void => {
      if (awaitsContinue) response.writeContinue();
      answerRaw(handler, request, response);
    };
    // The usual spelling needs no reading.
    const plainly = handled ? deps.rawRoutes.get(raw) : undefined;
    if (plainly !== undefined) return toRaw(plainly);
    const reading = readRequestTarget(raw);
    const rawHandler = handled && reading.ok ? deps.rawRoutes.get(reading.target.path) : undefined;
    if (rawHandler !== undefined) return toRaw(rawHandler);
    const exchange = open(
      request,
      response,
      reading.ok ? reading.target.path : (raw.split("?")[0] ?? ""),
      awaitsContinue,
    );
    report(request, response, exchange);
    response.setHeader("x-content-type-options", "nosniff");
    if (!reading.ok) return refuse(response, exchange, reading.fault);
    if (mistake !== null) return refuse(response, exchange, mistake);
    // From here on there is one spelling of the target, for the router as for everybody.
    const { path, query } = reading.target;
    request.url = query === "" ? path : `${path}?${query}`;
    routed(request, response);
  }

  const server: Server = createServer(
    {
      keepAliveTimeout: timeouts.keepAliveMs,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: HEADERS_LIMIT_BYTES,
      IncomingMessage: ArrivingRequest,
      // Node's own refusal would carry no request id.
      requireHostHeader: false,
    },
    (request, response) => answer(request, response),
  );
  server.maxRequestsPerSocket = 0;
  // Node would leave out what is beyond 1,000 without a word, and what a proxy adds comes last. All
  // together are bounded by their size.
  server.maxHeadersCount = 0;
  const watchIdle = closeIdle(server, deps.clock);
  let openConnections = 0;
  server.on("connection", (socket: Socket) => {
    watchIdle(beginConnection(socket));
    openConnections += 1;
    socket.once("close", () => {
      openConnections -= 1;
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connectionOf(socket);
    // Node's one clock for all requests tells us and does nothing by itself.
    if (
      connection !== undefined &&
      connection.long > 0 &&
      error.code === "ERR_HTTP_REQUEST_TIMEOUT"
    )
      return;
    if (connection !== undefined && connection.underWay > 0)
      return breakOff(connection, error, socket);
    const requestId = newUuid();
    reportRefusal(requestId, "", refuseBrokenRequest(error, socket, requestId, "openai"));
  });
  server.on("connect", (_request, socket) => {
    const requestId = newUuid();
    reportRefusal(requestId, "CONNECT", refuseConnect(socket, requestId));
  });
  // An expectation that we do not know may be ignored (RFC 9110 §10.1.1).
  server.on("checkExpectation", (request, response) => answer(request, response));
  // A client that asks whether to send a body hears it from the route that wants it, and a refusal
  // spares it the sending.
  server.on("checkContinue", (request, response) => answer(request, response, true));

  const router = await createRouter({
    routes: deps.routes,
    authenticate: (headers, clientAddress) => deps.authenticate(headers, clientAddress),
    authenticateMember: (headers) => deps.authenticateMember(headers),
    origin: () => deps.origin(),
    clientAddress: deps.clientAddress,
    ...(deps.gates === undefined ? {} : { gates: deps.gates }),
    exchangeOf(request) {
      const exchange = exchanges.get(request);
      if (exchange === undefined)
        throw new Error("a request reached the router without an exchange");
      return exchange;
    },
    takesLong,
    closing: () => closing,
    createServer(handler) {
      routed = handler;
      return server;
    },
  });

  let opened: OpenPort | null = null;
  return {
    async listen(at) {
      opened = await openPort(server, at);
      return opened.port;
    },

    announceClose() {
      announced = true;
    },

    async close(deadlineMs) {
      closing = true;
      const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
      await opened?.close();
      clearTimeout(timer);
      await router.close();
    },

    get connections() {
      return openConnections;
    },
  };
}

function requestIds(publicId: string): string[] {
  return ["x-request-id", publicId, "request-id", publicId];
}

const NO_HOST = new Fault("invalid_request", { message: "The Host header is missing." });

/** HTTP/1.1 requires the header; what it says is of no consequence here. */
function hasHost(request: IncomingMessage): boolean {
  return request.headers.host !== undefined || request.httpVersion === "1.0";
}

/** The official SDKs count their automatic retries in this header. */
function retryCountOf(request: IncomingMessage): number {
  const count = Number(request.headers["x-stainless-retry-count"] ?? 0);
  return Number.isInteger(count) && count >= 0 && count < 100 ? count : 0;
}
