/**
 * The raw endpoint of a chat endpoint: authenticate, read the body, hand over, render what goes
 * wrong before the first byte.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChatTracer } from "../serving/chat/chat-trace.ts";
import type { ChatService } from "../serving/chat/serve-chat.ts";
import type { Caller } from "../serving/admission/find-caller.ts";
import { readIdempotencyKey } from "../idempotency/idempotency-key.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Fault } from "../kernel/faults.ts";
import { toFault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { BODY_DEADLINE_MS, CHAT_BODY_LIMIT_BYTES } from "../kernel/limits.ts";
import type { RateStanding } from "../kernel/rate-limits.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { ChatDialect } from "../protocol/chat-dialect.ts";
import type { RenderedError } from "../protocol/rendered-error.ts";
import { readBody } from "./chat-body.ts";
import { createChatReply } from "./chat-reply.ts";
import type { Head, HttpReply } from "./chat-reply.ts";
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

export interface ChatRouteDeps {
  /** As in `/v1/chat/completions`. */
  readonly path: string;
  /** The protocol that is spoken here. */
  readonly dialect: ChatDialect;
  readonly service: ChatService;
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

export function createChatRoute(deps: ChatRouteDeps): ChatRoute {
  const { clock, dialect } = deps;

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: Uuid,
    head: Head,
  ): Promise<void> {
    const startedMs = clock.monotonicMs();
    const startedAt = clock.now();
    const { headers } = request;
    const { traceparent } = headers;
    const trace = deps.tracer.begin(
      requestId,
      deps.path,
      startedAt,
      startedMs,
      typeof traceparent === "string" ? traceparent : null,
    );
    const reply = createChatReply(response, head, deps.renderStanding, deps.stalledMs);
    let key: Caller | null = null;
    let fault: Fault | null = null;
    try {
      const named = headers["idempotency-key"];
      const authenticated = deps.authenticate(headers, named !== undefined);
      key = authenticated instanceof Promise ? await authenticated : authenticated;
      const idempotencyKey = readIdempotencyKey(named);
      const body = await readBody(request, CHAT_BODY_LIMIT_BYTES, BODY_DEADLINE_MS);
      const { forward, query } = forwardedParts(dialect.forwarded, headers, request.url ?? "");
      const ip = deps.clientAddress(request);
      await deps.service.serve({
        dialect,
        requestId,
        startedAt,
        startedMs,
        key,
        ip,
        body,
        idempotencyKey,
        forward,
        query,
        reply,
        trace,
      });
    } catch (thrown) {
      fault = toFault(thrown);
    }
    try {
      if (fault !== null) refuse(request, response, reply, fault, requestId);
      const status = fault === null ? 200 : fault.status;
      const done = {
        requestId,
        key,
        status,
        startedMs,
        fault,
        aborted: response.destroyed && !response.writableFinished,
      };
      trace.end(done);
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
        const reply = createChatReply(response, head, deps.renderStanding, deps.stalledMs);
        sayUnread(reply, request, deps.renderError(fault, requestId));
      }
      deps.onDone({ requestId, key: null, status: fault.status, startedMs, fault, aborted });
    } catch {
      response.destroy();
    }
  }

  function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    reply: HttpReply,
    fault: Fault,
    requestId: Uuid,
  ): void {
    if (response.destroyed) return;
    if (response.headersSent) {
      // Too late to say anything; a stream that nothing will end must not be waited for.
      if (!response.writableEnded) response.destroy();
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
    if (refusal === null) return void serve(request, response, requestId, head);
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
