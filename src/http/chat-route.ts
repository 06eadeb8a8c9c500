/** The raw door of a chat endpoint: authenticate, read the body, hand over, render what goes wrong before the first byte. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChatTracer } from "../gateway/chat/chat-trace.ts";
import type { ChatService } from "../gateway/chat/serve-chat.ts";
import type { Caller } from "../gateway/find-caller.ts";
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
import { forwardedParts } from "./forwarded-parts.ts";

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
  authenticate(headers: IncomingMessage["headers"], fresh: boolean): Promise<Caller>;
  /** Must not repeat what looks like a key. */
  renderError(fault: Fault, requestId: Uuid): RenderedError;
  /** The headers of an answer that say how its caller stands. */
  renderStanding(standing: RateStanding): Readonly<Record<string, string>>;
  /** One call per request, refused ones too. */
  onDone(done: ChatRouteDone): void;
}

export type ChatRoute = (request: IncomingMessage, response: ServerResponse, requestId: Uuid) => void;

/** A sender whose body is refused may go on for this long, so that it gets to read why. */
const LINGER_MS = 2_000;

export function createChatRoute(deps: ChatRouteDeps): ChatRoute {
  async function serve(request: IncomingMessage, response: ServerResponse, requestId: Uuid): Promise<void> {
    const startedMs = deps.clock.monotonicMs();
    const startedAt = deps.clock.now();
    const { traceparent } = request.headers;
    const trace = deps.tracer.begin(requestId, deps.path, startedAt, startedMs, typeof traceparent === "string" ? traceparent : null);
    let key: Caller | null = null;
    let fault: Fault | null = null;
    try {
      const named = request.headers["idempotency-key"];
      key = await deps.authenticate(request.headers, named !== undefined);
      const idempotencyKey = readIdempotencyKey(named);
      const body = await readBody(request, CHAT_BODY_LIMIT_BYTES, BODY_DEADLINE_MS);
      const ip = request.socket.remoteAddress ?? "";
      const { dialect } = deps;
      const reply = createChatReply(response, deps.renderStanding);
      const passed = forwardedParts(dialect.forwarded, request.headers, request.url ?? "");
      await deps.service.serve({ dialect, requestId, startedAt, startedMs, key, ip, body, idempotencyKey, ...passed, reply, trace });
    } catch (thrown) {
      fault = toFault(thrown);
      refuse(request, response, fault, requestId);
    }
    const done = {
      requestId,
      key,
      status: fault === null ? 200 : fault.status,
      startedMs,
      fault,
      aborted: response.destroyed && !response.writableFinished,
    };
    trace.end(done);
    deps.onDone(done);
  }

  function refuse(request: IncomingMessage, response: ServerResponse, fault: Fault, requestId: Uuid): void {
    if (response.destroyed) return;
    if (response.headersSent) {
      // Too late to say anything; a stream that nobody will end must not be waited for.
      if (!response.writableEnded) response.destroy();
      return;
    }
    const rendered = deps.renderError(fault, requestId);
    // No `connection: close`, even where the body is unread: Node would close at once, and the reset would overtake the answer.
    response.writeHead(rendered.status, { ...rendered.headers, "content-length": Buffer.byteLength(rendered.body) });
    response.end(rendered.body);
    if (request.complete) return;
    // Discard what is still coming; then cut.
    request.on("error", () => undefined);
    request.resume();
    const timer = setTimeout(() => request.destroy(), LINGER_MS);
    request.once("close", () => clearTimeout(timer));
  }

  return (request, response, requestId) => {
    serve(request, response, requestId).catch(() => response.destroy());
  };
}
