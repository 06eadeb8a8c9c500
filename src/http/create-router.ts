/**
 * Fastify as the router of every route but the raw ones: access, validation, answers and faults for
 * a table of routes.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import Fastify from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { createMistakeFinder, type MistakeFinder } from "../contract/find-mistakes.ts";
import { Fault, toFault } from "../kernel/faults.ts";
import { BODY_DEADLINE_MS } from "../kernel/limits.ts";
import type { MemberCaller } from "../accounts/member-caller.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import { announceAnswer } from "./announce-answer.ts";
import { readBody } from "./chat-body.ts";
import { checkOrigin } from "./check-origin.ts";
import type { ClientAddress } from "./client-address.ts";
import { closesConnection, endBehindSender, lingerMs } from "./cut-slow-sender.ts";
import { renderFault } from "./error-family.ts";
import type { Exchange } from "./exchange.ts";
import { foreignPath } from "./foreign-paths.ts";
import { gateOf, type Gates } from "./gates.ts";
import { readJsonBody } from "./read-json-body.ts";
import { readQuery } from "./read-query.ts";
import { nothingHere } from "./nothing-here.ts";
import type {
  Answer,
  IncomingBody,
  KeyRoute,
  MemberRoute,
  OpenRoute,
  Route,
  RouteCall,
} from "./route.ts";
import { sendAnswer } from "./send-answer.ts";
import { writeHead } from "./send-stream.ts";

export interface RouterDeps {
  readonly routes: readonly Route[];
  /**
   * Throws the fault that refuses the caller; asks the database every time, so that a deleted key
   * is refused at once.
   */
  authenticate(headers: IncomingMessage["headers"], clientAddress: string): Promise<KeyRecord>;
  /**
   * Whose session it is, by its cookie; throws Fault("session_required"). Asks the database every
   * time, too.
   */
  authenticateMember(headers: IncomingMessage["headers"]): Promise<MemberCaller>;
  /** Where the panel's own pages come from. */
  origin(): string;
  readonly clientAddress: ClientAddress;
  /** Absent: no request is refused for being one too many. */
  readonly gates?: Gates;
  exchangeOf(request: IncomingMessage): Exchange;
  /** Lets the body of a request take longer than the server allows others. */
  takesLong(request: IncomingMessage): void;
  /** The server takes no new connections and waits for those under way. */
  closing(): boolean;
  /** Makes the server that the handler is for; Fastify insists on asking for it. */
  createServer(handler: RouterHandler): Server;
}

export type RouterHandler = (request: IncomingMessage, response: ServerResponse) => void;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"] as const;
/**
 * No head is as long: every name, however long, reaches its look-up, which says that there is none.
 */
const LONGEST_PARAMETER = 16 * 1024;

/** Resolves when the routes are compiled. */
export async function createRouter(deps: RouterDeps): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    serverFactory: (handler) => deps.createServer(handler),
    // The server refuses broken requests itself; a second listener would write a second answer.
    clientErrorHandler: () => undefined,
    frameworkErrors: (error, request, reply) => sendFault(request, reply, faultOf(error)),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    exposeHeadRoutes: true,
  });

  function sendFault(request: FastifyRequest, reply: FastifyReply, fault: Fault): void {
    const exchange = deps.exchangeOf(request.raw);
    exchange.fault = fault;
    const rendered = renderFault(exchange.family, fault, exchange.publicId);
    announceAnswer(() => ({ kind: "fault", family: exchange.family, body: rendered.body }));
    void reply.code(rendered.status).headers(rendered.headers);
    if (!exchange.awaitsContinue && !request.raw.complete && closesConnection(reply.raw)) {
      void reply.header("content-length", String(Buffer.byteLength(rendered.body)));
      const response = writeHead(reply);
      response.write(rendered.body);
      endBehindSender(
        request.raw,
        response,
        lingerMs({ longBody: exchange.longBody, closing: deps.closing() }),
      );
      return;
    }
    void reply.send(rendered.body);
  }

  app.setErrorHandler((error, request, reply) => sendFault(request, reply, faultOf(error)));
  app.setNotFoundHandler((request, reply) =>
    sendFault(request, reply, nothingHere(pathOf(request))),
  );
  // Bodies are read by the routes that take one, after everything else was found in order; the
  // server discards the others.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  // Before anything of the request is looked at: an unknown path is a 404 whatever is sent to it.
  app.addHook("onRequest", async (request) => {
    if (!request.is404) return;
    const exchange = deps.exchangeOf(request.raw);
    exchange.family = foreignPath(pathOf(request))?.family ?? exchange.family;
    throw nothingHere(pathOf(request));
  });

  const byPath = Map.groupBy(deps.routes, (route) => patternOf(route));
  for (const [pattern, routes] of byPath) {
    for (const route of routes) {
      if (route.access !== "raw") addRoute(app, deps, pattern, route);
    }
    refuseOtherMethods(app, deps, pattern, routes);
  }
  await app.ready();
  return app;
}

function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split("?")[0] ?? "";
}

/** A question mark may stand in a query, too. */
function searchOf(request: FastifyRequest): string {
  const target = request.raw.url ?? "";
  const mark = target.indexOf("?");
  return mark === -1 ? "" : target.slice(mark + 1);
}

function checkExcepted(request: FastifyRequest, folder: string | undefined): void {
  if (folder === undefined) return;
  const path = pathOf(request);
  if (path === folder || path.startsWith(`${folder}/`)) throw nothingHere();
}

const UUID_SHAPE = "(^[0-9a-fA-F-]{36}$)";

/**
 * The router's spelling: `/v1/models/{id}` is `/v1/models/*` where the id may contain slashes, else
 * `/v1/models/:id`. Routes that differ in nothing but the name of what the path ends with have one
 * pattern, so that each method finds its own.
 */
function patternOf(route: Route): string {
  const path = route.catchAll === true ? route.path.replace(/\{\w+\}$/, "*") : route.path;
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => `:${name}${route.uuids?.includes(name) === true ? UUID_SHAPE : ""}`,
  );
}

function addRoute(
  app: FastifyInstance,
  deps: RouterDeps,
  pattern: string,
  route: KeyRoute | OpenRoute | MemberRoute,
): void {
  const { query: querySchema, doc } = route;
  const checkQuery = querySchema === undefined ? null : createCheck(querySchema);
  const checkBody = doc.requestBody === undefined ? null : createCheck(doc.requestBody);
  const { bodyLimitBytes, streamed } = route.access === "open" ? {} : route;
  const incoming = streamed !== undefined || (route.access === "open" && route.incoming === true);

  const gate = gateOf(route);
  const within = <T>(work: () => Promise<T>): Promise<T> =>
    gate === null || deps.gates === undefined ? work() : deps.gates.within(gate, work);

  function queryOf(request: FastifyRequest): unknown {
    if (querySchema === undefined || checkQuery === null) return {};
    return checkQuery(readQuery(querySchema, searchOf(request)));
  }

  async function bodyOf(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (incoming) return incomingBody(deps, request.raw, reply.raw);
    if (bodyLimitBytes === undefined && checkBody === null) return null;
    letBegin(deps.exchangeOf(request.raw), reply.raw);
    if (bodyLimitBytes !== undefined)
      return readBody(request.raw, bodyLimitBytes, BODY_DEADLINE_MS);
    return checkBody === null ? null : checkBody(await readJsonBody(request.raw));
  }

  app.route({
    method: route.method,
    url: pattern,
    onRequest: async (request, reply) => {
      checkExcepted(request, route.except);
      const exchange = deps.exchangeOf(request.raw);
      exchange.route = route.path;
      exchange.family = route.family ?? exchange.family;
      if (route.headers !== undefined) void reply.headers(route.headers);
      const ofPanel =
        route.access === "member" || (route.access === "open" && route.sameOrigin === true);
      if (ofPanel && route.method !== "GET") checkOrigin(request.headers, deps.origin());
      if (gate !== null) await deps.gates?.arrive(gate, request.raw);
      if (route.access === "open") return;
      void reply.header("cache-control", "no-store");
      if (route.access === "member") {
        exchange.member = await within(() => deps.authenticateMember(request.headers));
        route.admit(exchange.member);
      } else {
        const address = deps.clientAddress(request.raw);
        exchange.key = await within(() => deps.authenticate(request.headers, address));
      }
      if (streamed === undefined) return;
      // A caller with a key may go on sending for a while after a refusal: many clients read no
      // answer before all is sent.
      exchange.longBody = true;
      streamed.checkHead(request.headers);
    },
    handler: async (request, reply) => {
      const exchange = deps.exchangeOf(request.raw);
      const call = {
        requestId: exchange.requestId,
        method: request.method,
        params: paramsOf(request.params as Record<string, string>, route),
        query: queryOf(request),
        body: await bodyOf(request, reply),
        headers: request.headers,
        target: request.raw.url ?? "",
        clientAddress: deps.clientAddress(request.raw),
        peerAddress: request.raw.socket.remoteAddress ?? "",
        departure: () => departureOf(reply.raw),
        withinGate: within,
      };
      const answering = (): Promise<Answer> => answerOf(exchange, route, call);
      const answer = await (route.waits === true ? answering() : within(answering));
      if ("json" in answer.content && route.doc.internal !== true) {
        const { status = 200, content } = answer;
        const name = `${route.method} ${route.path}`;
        announceAnswer(() => ({ kind: "answer", name, doc: route.doc, status, ...content }));
      }
      return sendAnswer(exchange, reply, answer);
    },
  });
}

/** The type says that a key or a member may be missing; the hook above says that it cannot. */
async function answerOf(
  { key, member }: Exchange,
  route: KeyRoute | OpenRoute | MemberRoute,
  call: RouteCall<unknown>,
): Promise<Answer> {
  if (route.access === "open") return route.handle(call);
  if (route.access === "member") {
    if (member === null) throw new Fault("session_required");
    return route.handle({ ...call, member });
  }
  if (key === null) throw new Fault("invalid_api_key");
  return route.handle({ ...call, key });
}

/** A sender that waits to be asked for its body, so that a refusal spares it, is asked now. */
function letBegin(exchange: Exchange, response: ServerResponse): void {
  if (!exchange.awaitsContinue) return;
  exchange.awaitsContinue = false;
  response.writeContinue();
}

function departureOf(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  if (response.destroyed) left.abort();
  return left.signal;
}

function incomingBody(
  deps: RouterDeps,
  request: IncomingMessage,
  response: ServerResponse,
): IncomingBody {
  const exchange = deps.exchangeOf(request);
  return {
    request,
    signal: departureOf(response),
    begin() {
      deps.takesLong(request);
      letBegin(exchange, response);
    },
  };
}

/**
 * Passes a value that the schema accepts, throws a fault that lists every mistake of another. The
 * schema is compiled with the first value: a start would wait for those of some hundred routes,
 * most of which it may never serve.
 */
function createCheck(schema: TSchema): (value: unknown) => unknown {
  let mistakesOf: MistakeFinder | null = null;
  return (value) => {
    mistakesOf ??= createMistakeFinder(schema);
    const mistakes = mistakesOf(value);
    const [first] = mistakes;
    if (first !== undefined)
      throw new Fault("invalid_request", {
        message: first.message,
        param: first.param,
        errors: mistakes,
      });
    return value;
  };
}

function paramsOf(params: Readonly<Record<string, string>>, route: Route): Record<string, string> {
  const { "*": rest, ...named } = params;
  const name = /\{(\w+)\}$/.exec(route.path)?.[1];
  return rest === undefined || name === undefined ? named : { ...named, [name]: rest };
}

/**
 * OPTIONS tells what is allowed, without CORS headers where a key is needed: keys do not belong
 * into browsers. Any other method is a 405.
 */
function refuseOtherMethods(
  app: FastifyInstance,
  deps: RouterDeps,
  pattern: string,
  routes: readonly Route[],
): void {
  const served = new Set<string>(routes.map((route) => route.method));
  if (served.has("GET")) served.add("HEAD");
  const allow = [...METHODS.filter((method) => served.has(method)), "OPTIONS"].join(", ");
  const path = routes[0]?.path ?? pattern;
  const family = routes[0]?.family;
  const except = routes[0]?.except;
  const preflight = Object.fromEntries(
    routes.flatMap((route) => Object.entries(route.preflight ?? {})),
  );
  app.route({
    method: "OPTIONS",
    url: pattern,
    handler: (request, reply) => {
      checkExcepted(request, except);
      deps.exchangeOf(request.raw).route = path;
      void reply.code(204).headers(preflight).header("allow", allow).send();
    },
  });
  app.route({
    method: METHODS.filter((method) => !served.has(method)),
    url: pattern,
    onRequest: async (request, reply) => {
      checkExcepted(request, except);
      const exchange = deps.exchangeOf(request.raw);
      exchange.route = path;
      exchange.family = family ?? exchange.family;
      void reply.header("allow", allow);
      if (wantsWebSocket(request)) {
        void reply.header("upgrade", "HTTP/1.1");
        throw new Fault("upgrade_required", {
          message: `No WebSocket is spoken here: send ${served.has("POST") ? "a POST" : "the request"} over HTTP.`,
        });
      }
      throw new Fault("method_not_allowed", {
        message: `${request.method} is not taken here; ${allow} are.`,
      });
    },
    handler: () => undefined,
  });
}

function wantsWebSocket({ method, headers }: FastifyRequest): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/** Fastify's own errors carry a status below 500 where the request is to blame. */
function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const status =
    typeof error === "object" && error !== null && "statusCode" in error
      ? error.statusCode
      : undefined;
  if (status === 413) return new Fault("request_too_large", { cause: error });
  if (status === 415) return new Fault("unsupported_media_type", { cause: error });
  if (typeof status === "number" && status >= 400 && status < 500)
    return new Fault("invalid_request", { cause: error });
  return toFault(error);
}
