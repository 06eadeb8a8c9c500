/** One attempt at one route with a streamed answer: ready at the first meaningful frame, failed before it, never in between. */
import { SSE_EVENT_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { Exchange, Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import { OutgoingError } from "../../net/outgoing.ts";
import type { Frame, FrameReader } from "../../protocol/chat-dialect.ts";
import { readUpstreamError } from "../../protocol/read-upstream-error.ts";
import { readRetryAfter } from "./retry-after.ts";
import { brokenAnswer, failureOfStatus, failureOfTransport } from "./upstream-failure.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";

/** The rest of a refusal's body beyond this is of no use to anybody. */
const ERROR_BODY_LIMIT_BYTES = 64 * 1024;
/** An upstream that sends this much without one meaningful frame is broken. */
const PRELUDE_LIMIT_BYTES = SSE_EVENT_LIMIT_BYTES;

/** Takes over an open stream: the frames that came before, then everything that follows. */
export interface StreamListener {
  onFrames(frames: readonly Frame[]): void;
  /** The upstream ended cleanly; what it left unfinished is the listener's to judge. */
  onEnd(): void;
  onError(reason: string): void;
}

export interface OpenStream {
  readonly exchange: Exchange;
  readonly reader: FrameReader;
  /** Called once. Frames that arrived meanwhile are handed over first, within the call. */
  attach(listener: StreamListener): void;
}

export type OpenStreamOutcome =
  | { readonly kind: "open"; readonly stream: OpenStream }
  | { readonly kind: "failed"; readonly failure: UpstreamFailure };

export interface StreamAttempt {
  readonly outcome: Promise<OpenStreamOutcome>;
  abort(): void;
}

export function headerText(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : (value?.[0] ?? null);
}

/** A frame that commits us to this upstream: content, a finish reason, a whole usage. Comments, announcements of what is to come and a bare end do not. */
function isMeaningful(frame: Frame): boolean {
  if (frame.kind !== "data") return false;
  return frame.hasContent || frame.finished || (frame.usage.kind !== "absent" && frame.usage.kind !== "partial");
}

export function openStream(outgoing: Outgoing, request: OutgoingRequest, reader: FrameReader): StreamAttempt {
  const { promise, resolve } = Promise.withResolvers<OpenStreamOutcome>();
  let phase: "headers" | "refusal" | "prelude" | "open" | "over" = "headers";
  let status = 0;
  let contentType: string | null = null;
  let retryAfterSeconds: number | null = null;
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  let waiting: Frame[] = [];
  let listener: StreamListener | null = null;
  let ending: { readonly error: string | null } | null = null;

  function fail(failure: UpstreamFailure): void {
    if (phase === "over") return;
    phase = "over";
    exchange.abort();
    resolve({ kind: "failed", failure });
  }

  function failWithBody(): void {
    const said = readUpstreamError(status, contentType, Buffer.concat(gathered));
    fail(failureOfStatus(said.status ?? status, { message: said.message, param: said.param }, retryAfterSeconds));
  }

  function readFrames(chunk: Buffer): Frame[] | null {
    try {
      return reader.push(chunk);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (phase === "open") finish(reason);
      else fail(brokenAnswer(reason));
      exchange.abort();
      return null;
    }
  }

  function finish(error: string | null): void {
    if (ending !== null) return;
    ending = { error };
    if (listener !== null) deliverEnding(listener);
  }

  function deliverEnding(to: StreamListener): void {
    if (ending === null || phase === "over") return;
    phase = "over";
    if (ending.error === null) to.onEnd();
    else to.onError(ending.error);
  }

  function onPrelude(chunk: Buffer): void {
    const frames = readFrames(chunk);
    if (frames === null) return;
    gatheredBytes += chunk.length;
    for (const frame of frames) {
      if (frame.kind === "error") {
        const said = frame.error;
        const text = { message: said?.message ?? "the upstream reported an error", param: null };
        fail(
          said?.status === null || said === null
            ? brokenAnswer(`error frame: ${text.message}`)
            : failureOfStatus(said.status, text, retryAfterSeconds),
        );
        return;
      }
      if (frame.kind === "garbage") {
        fail(brokenAnswer("the stream carries something that is not JSON"));
        return;
      }
      waiting.push(frame);
    }
    if (waiting.some(isMeaningful)) {
      phase = "open";
      resolve({ kind: "open", stream: { exchange, reader, attach } });
    } else if (waiting.some(({ kind }) => kind === "done")) {
      fail(brokenAnswer("the stream ended before it said anything"));
    } else if (gatheredBytes > PRELUDE_LIMIT_BYTES) {
      fail(brokenAnswer("the stream is long and says nothing"));
    }
  }

  function attach(to: StreamListener): void {
    listener = to;
    const frames = waiting;
    waiting = [];
    if (frames.length > 0) to.onFrames(frames);
    deliverEnding(to);
  }

  const exchange = outgoing.send(request, {
    onHeaders(answered, headers) {
      status = answered;
      contentType = headerText(headers["content-type"]);
      retryAfterSeconds = readRetryAfter(headers);
      // A JSON or HTML body under status 200 is an error report or a proxy's page, not a stream.
      const isStream =
        status === 200 && (contentType === null || contentType.includes("text/event-stream") || contentType.includes("octet-stream"));
      phase = isStream ? "prelude" : "refusal";
    },
    onData(chunk) {
      if (phase === "open") {
        const frames = readFrames(chunk);
        if (frames === null || frames.length === 0) return;
        if (listener === null) waiting.push(...frames);
        else listener.onFrames(frames);
      } else if (phase === "prelude") {
        onPrelude(chunk);
      } else if (phase === "refusal" && gatheredBytes < ERROR_BODY_LIMIT_BYTES) {
        gathered.push(chunk);
        gatheredBytes += chunk.length;
        if (gatheredBytes >= ERROR_BODY_LIMIT_BYTES) failWithBody();
      }
    },
    onEnd() {
      if (phase === "open") finish(null);
      else if (phase === "refusal") failWithBody();
      else fail(brokenAnswer("the stream ended before it said anything"));
      gathered = [];
    },
    onError(error: OutgoingError) {
      if (phase === "open") finish(`${error.kind}: ${error.message}`);
      else fail(failureOfTransport(error));
    },
  });

  return {
    outcome: promise,
    abort() {
      fail(failureOfTransport(new OutgoingError("aborted", "given up", null)));
      exchange.abort();
    },
  };
}
