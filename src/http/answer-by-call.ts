/**
 * A call of the engine behind a route of the router: what the engine writes to its reply becomes the
 * route's answer.
 */
import { Readable } from "node:stream";
import type { CallDialect, CallRequest } from "../serving/calls/call-request.ts";
import type { CallService } from "../serving/calls/serve-call.ts";
import type { ChatReply } from "../serving/chat/chat-call.ts";
import type { ChatTracer } from "../serving/chat/chat-trace.ts";
import type { Caller } from "../serving/admission/find-caller.ts";
import { readIdempotencyKey } from "../idempotency/idempotency-key.ts";
import type { Clock } from "../kernel/clock.ts";
import { toFault } from "../kernel/faults.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import type { Answer, KeyCall } from "./route.ts";

export interface EngineDeps {
  readonly service: Pick<CallService, "serve">;
  readonly clock: Clock;
  readonly tracer: ChatTracer;
  /** The caller behind a key, with what its account may. */
  callerOf(key: KeyCall<unknown>["key"]): Promise<Caller>;
}

/** A reader that is this far behind is waited for. */
const QUEUE_BYTES = 256 * 1024;

/** `body`: as it came, where it was read as a whole. */
export async function answerByCall(
  deps: EngineDeps,
  call: KeyCall<unknown>,
  dialect: CallDialect,
  body: Buffer,
): Promise<Answer> {
  const { clock } = deps;
  const startedMs = clock.monotonicMs();
  const startedAt = clock.now();
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const reply = createRouteReply(call.departure(), resolve);
  const path = `/v1${dialect.protocol.path}`;
  const { traceparent } = call.headers;
  const trace = deps.tracer.begin(
    call.requestId,
    path,
    startedAt,
    startedMs,
    typeof traceparent === "string" ? traceparent : null,
  );
  const key = await deps.callerOf(call.key);
  const request: CallRequest = {
    dialect,
    requestId: call.requestId,
    startedAt,
    startedMs,
    key,
    ip: call.clientAddress,
    body,
    idempotencyKey: readIdempotencyKey(call.headers["idempotency-key"]),
    forward: {},
    query: "",
    reply: reply.reply,
    trace,
  };
  const end = (fault: ReturnType<typeof toFault> | null): void =>
    trace.end({ key, status: fault?.status ?? 200, fault });
  deps.service.serve(request).then(
    () => {
      end(null);
      // A caller that has left gets nothing, and its route has to end.
      resolve({ content: { nothing: true } });
    },
    (error: unknown) => {
      const fault = toFault(error);
      end(fault);
      resolve({ headers: reply.standing(), content: { fault } });
    },
  );
  return promise;
}

function createRouteReply(
  departure: AbortSignal,
  resolve: (answer: Answer) => void,
): { readonly reply: ChatReply; standing(): Record<string, string> } {
  const queue: Buffer[] = [];
  let queued = 0;
  let started = false;
  let over: "open" | "ended" | "broken" = "open";
  let wake: () => void = () => undefined;
  let drained: (() => void)[] = [];
  let standing: Record<string, string> = {};

  async function* written(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) {
        queued -= next.length;
        yield next;
      } else if (over === "ended") return;
      else if (over === "broken") throw new Error("the answer was broken off");
      else {
        const waiting = Promise.withResolvers<void>();
        wake = waiting.resolve;
        for (const listener of drained.splice(0)) listener();
        await waiting.promise;
      }
    }
  }
  function push(bytes: Buffer | null): void {
    if (bytes !== null && bytes.length > 0) {
      queue.push(bytes);
      queued += bytes.length;
    }
    wake();
  }
  function finish(bytes: Buffer | null, how: "ended" | "broken"): void {
    if (over !== "open") return;
    over = how;
    push(bytes);
  }
  departure.addEventListener("abort", () => {
    over = "broken";
    drained.splice(0).forEach((listener) => listener());
    wake();
  });

  const reply: ChatReply = {
    get gone() {
      return departure.aborted;
    },
    onGone(listener) {
      if (departure.aborted) listener();
      else departure.addEventListener("abort", listener, { once: true });
    },
    // No door that is answered in this way has notes.
    note: () => undefined,
    showStanding(shown) {
      standing = rateLimitHeaders("openai", shown, false);
    },
    json(status, { "content-type": contentType = "application/json", ...headers }, bytes) {
      resolve({ status, headers: { ...standing, ...headers }, content: { contentType, bytes } });
    },
    startStream({ "content-type": contentType = "text/event-stream", ...headers } = {}) {
      if (started) return;
      started = true;
      resolve({
        headers: { ...standing, ...headers },
        content: {
          contentType,
          sizeBytes: null,
          open: async () => Readable.from(written(), { objectMode: false }),
        },
      });
    },
    get streamStarted() {
      return started;
    },
    write(bytes) {
      push(bytes);
      return queued < QUEUE_BYTES;
    },
    onDrain(listener) {
      if (queued === 0 || departure.aborted) listener();
      else drained = [...drained, listener];
    },
    end: (last) => finish(last, "ended"),
    breakOff: (last) => finish(last, "broken"),
  };
  return { reply, standing: () => standing };
}
