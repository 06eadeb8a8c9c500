/**
 * The raw endpoint of what is answered at once: authenticate, read the body, hand over, render what
 * goes wrong before the first byte.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Ending, RawCall } from "../serving/chat/chat-call.ts";
import type { ChatTrace, ChatTracer } from "../serving/chat/chat-trace.ts";
import type { Caller } from "../serving/admission/find-caller.ts";
import { readIdempotencyKey } from "../idempotency/idempotency-key.ts";
import { assert } from "../kernel/assert.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Fault } from "../kernel/faults.ts";
import { toFault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { BODY_DEADLINE_MS, CHAT_BODY_LIMIT_BYTES } from "../kernel/limits.ts";
import type { RateStanding } from "../kernel/rate-limits.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { RenderedError } from "../protocol/rendered-error.ts";
import { takeBody, type BodyLimits, type BodyListener } from "./chat-body.ts";
import { createChatReply, createReplyManner } from "./chat-reply.ts";
import type { Head, HttpReply, ReplyManner } from "./chat-reply.ts";
import type { ClientAddress } from "./client-address.ts";
import { cutSlowSender, LINGER_MS } from "./cut-slow-sender.ts";
import { forwardedParts } from "./forwarded-parts.ts";
import type { RefusalThrottle } from "./refusal-throttle.ts";

export interface ChatRouteDone {
  readonly requestId: Uuid;
  readonly key: KeyRecord | null;
  readonly status: number;
  readonly startedMs: number;
  readonly fault: Fault | null;
  /** The client went away before the answer was out. */
  readonly aborted: boolean;
}

/** What a route has to know of what is spoken there. */
interface SpokenDialect {
  /** Headers, in lower case, and query parameters that are handed over. */
  readonly forwarded: { readonly headers: readonly string[]; readonly query: readonly string[] };
}

export interface ChatRouteDeps<Dialect extends SpokenDialect> {
  /** As in `/v1/chat/completions`. */
  readonly path: string;
  /** The protocol that is spoken here. */
  readonly dialect: Dialect;
  readonly service: {
    /** Asked before anything is read; null: it may come in. */
    refusal(): Fault | null;
    /** `ending` hears once when the reply is over. */
    begin(call: RawCall<Dialect>, ending: Ending): void;
  };
  readonly clock: Clock;
  readonly tracer: ChatTracer;
  /** `fresh`: the key as it is now, for a request that may be answered without holding money. */
  authenticate(headers: IncomingMessage["headers"], fresh: boolean): Caller | Promise<Caller>;
  readonly clientAddress: ClientAddress;
  readonly refusals: Pick<RefusalThrottle, "refuse">;
  /** Must not repeat what looks like a key. */
  renderError(fault: Fault, requestId: Uuid): RenderedError;
  /** The headers of an answer that say how its caller stands. */
  renderStanding(standing: RateStanding): Readonly<Record<string, string>>;
  /** Its service reads the body, from `incoming`. */
  readonly leavesBody?: true;
  /** How long a reader may take nothing; for tests that cannot wait a minute. */
  readonly stalledMs?: number;
  /** One call per request, refused ones too. */
  onDone(done: ChatRouteDone): void;
}

/** `head`: the headers that every answer carries, names and values in turn. */
export type ChatRoute = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: Uuid,
  head: Head,
) => void;

const BODY_LIMITS: BodyLimits = {
  limitBytes: CHAT_BODY_LIMIT_BYTES,
  deadlineMs: BODY_DEADLINE_MS,
};
const NO_BODY = Buffer.alloc(0);
const NOTHING_FORWARDED: RawCall<unknown>["forward"] = {};

export function createChatRoute<Dialect extends SpokenDialect>(
  deps: ChatRouteDeps<Dialect>,
): ChatRoute {
  const { clock } = deps;
  const manner = createReplyManner(deps.renderStanding, deps.stalledMs);
  const route: Route<Dialect> = { deps, manner, end };

  function end(exchange: ChatExchange<Dialect>): void {
    const { response, requestId, caller: key, startedMs, fault } = exchange;
    try {
      if (fault !== null) refuse(exchange, fault);
      const status = fault === null ? 200 : fault.status;
      const aborted = response.destroyed && !response.writableFinished;
      const done = { requestId, key, status, startedMs, fault, aborted };
      exchange.trace.end(done);
      deps.onDone(done);
    } catch {
      response.destroy();
    }
  }

  /** Too much is to be done already: nothing is read or looked up for a caller that is told so. */
  function refuseUnread(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: Uuid,
    head: Head,
    fault: Fault,
    startedMs: number,
  ): void {
    try {
      const aborted = response.destroyed;
      if (!aborted) {
        const reply = createChatReply(response, head, manner);
        sayUnread(reply, request, deps.renderError(fault, requestId));
      }
      deps.onDone({ requestId, key: null, status: fault.status, startedMs, fault, aborted });
    } catch {
      response.destroy();
    }
  }

  function refuse(
    { request, response, reply, requestId }: ChatExchange<Dialect>,
    fault: Fault,
  ): void {
    if (response.destroyed) return;
    if (response.headersSent) {
      // Too late to say anything; a stream that nothing will end must not be waited for.
      if (!response.writableEnded && !reply.isWhole) response.destroy();
      return;
    }
    const rendered = deps.renderError(fault, requestId);
    // No `connection: close` for an unread body's sake: Node would close at once, and the reset
    // would overtake the answer.
    if (request.complete) reply.refuse(rendered);
    else sayUnread(reply, request, rendered);
  }

  return (request, response, requestId, head) => {
    const refusal = deps.service.refusal();
    if (refusal === null)
      return new ChatExchange(route, request, response, requestId, head).begin();
    const startedMs = clock.monotonicMs();
    deps.refusals.refuse(request.socket, () =>
      refuseUnread(request, response, requestId, head, refusal, startedMs),
    );
  };
}

/** The rest of its body is thrown away as it comes, for a while. */
function sayUnread(reply: HttpReply, request: IncomingMessage, rendered: RenderedError): void {
  if (!reply.refuseUnread(rendered, request) && !request.complete)
    cutSlowSender(request, LINGER_MS);
}

/** What the exchanges of one route share. */
interface Route<Dialect extends SpokenDialect> {
  readonly deps: ChatRouteDeps<Dialect>;
  readonly manner: ReplyManner;
  end(exchange: ChatExchange<Dialect>): void;
}

/**
 * One request from its socket to its report; from its body on it is the call that is served. What
 * waits for nothing goes on by a call, because a promise for each step costs more than the step.
 */
class ChatExchange<Dialect extends SpokenDialect>
  implements RawCall<Dialect>, BodyListener, Ending
{
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly dialect: Dialect;
  readonly requestId: Uuid;
  readonly startedAt: Date;
  readonly startedMs: number;
  readonly trace: ChatTrace;
  readonly reply: HttpReply;
  /** Null until it is known. */
  caller: Caller | null = null;
  ip = "";
  body: Buffer = NO_BODY;
  idempotencyKey: string | null = null;
  forward: RawCall<unknown>["forward"] = NOTHING_FORWARDED;
  query = "";
  fault: Fault | null = null;
  private readonly route: Route<Dialect>;

  constructor(
    route: Route<Dialect>,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: Uuid,
    head: Head,
  ) {
    const { deps } = route;
    this.route = route;
    this.request = request;
    this.response = response;
    this.dialect = deps.dialect;
    this.requestId = requestId;
    this.startedMs = deps.clock.monotonicMs();
    this.startedAt = deps.clock.now();
    const { traceparent } = request.headers;
    this.trace = deps.tracer.begin(
      requestId,
      deps.path,
      this.startedAt,
      this.startedMs,
      typeof traceparent === "string" ? traceparent : null,
    );
    this.reply = createChatReply(response, head, route.manner);
  }

  get incoming(): IncomingMessage {
    return this.request;
  }

  get headers(): IncomingMessage["headers"] {
    return this.request.headers;
  }

  /** It may be answered without holding money. */
  get isRepeatable(): boolean {
    return this.headers["idempotency-key"] !== undefined;
  }

  /** Whose it is; asked for only once that is known. */
  get key(): Caller {
    assert(this.caller !== null, "a request is served for a caller");
    return this.caller;
  }

  begin(): void {
    try {
      const found = this.route.deps.authenticate(this.headers, this.isRepeatable);
      if (found instanceof Promise)
        found.then(
          (caller) => this.found(caller),
          (error: unknown) => this.over(error),
        );
      else this.found(found);
    } catch (thrown) {
      this.over(thrown);
    }
  }

  came(body: Buffer): void {
    this.body = body;
    this.serve();
  }

  dropBody(): void {
    this.body = NO_BODY;
  }

  failed(fault: Fault): void {
    this.over(fault);
  }

  over(thrown: unknown): void {
    this.fault = thrown === null ? null : toFault(thrown);
    this.route.end(this);
  }

  private found(caller: Caller): void {
    const { deps } = this.route;
    this.caller = caller;
    try {
      this.readHead(deps.clientAddress);
      if (deps.leavesBody !== true) return takeBody(this.request, BODY_LIMITS, this);
    } catch (thrown) {
      return this.over(thrown);
    }
    this.serve();
  }

  private serve(): void {
    this.route.deps.service.begin(this, this);
  }

  /** What of its head its service needs; throws a Fault. */
  private readHead(clientAddress: ClientAddress): void {
    const { request, headers, dialect } = this;
    this.idempotencyKey = readIdempotencyKey(headers["idempotency-key"]);
    const { forward, query } = forwardedParts(dialect.forwarded, headers, request.url ?? "");
    this.forward = forward;
    this.query = query;
    this.ip = clientAddress(request);
  }
}
