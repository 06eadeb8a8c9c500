/** One attempt at one route with a streamed answer: ready at the first meaningful frame, failed before it, never in between. */
import { SSE_EVENT_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { Exchange, Outgoing, OutgoingRequest, ResponseSink } from "../../net/outgoing.ts";
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
  const opening = new Opening(outgoing, request, reader, resolve);
  return { outcome: promise, abort: () => opening.abort() };
}

/** One object for each stream, since many are open at a time: first what tries to open it, then the open stream. */
class Opening implements ResponseSink, OpenStream {
  readonly reader: FrameReader;
  readonly exchange: Exchange;
  readonly #resolve: (outcome: OpenStreamOutcome) => void;
  #phase: "headers" | "refusal" | "prelude" | "open" | "over" = "headers";
  #status = 0;
  #contentType: string | null = null;
  #retryAfterSeconds: number | null = null;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #waiting: Frame[] = [];
  #listener: StreamListener | null = null;
  #ending: { readonly error: string | null } | null = null;

  constructor(outgoing: Outgoing, request: OutgoingRequest, reader: FrameReader, resolve: (outcome: OpenStreamOutcome) => void) {
    this.reader = reader;
    this.#resolve = resolve;
    this.exchange = outgoing.send(request, this);
  }

  abort(): void {
    this.#fail(failureOfTransport(new OutgoingError("aborted", "given up", null)));
    this.exchange.abort();
  }

  attach(to: StreamListener): void {
    this.#listener = to;
    const frames = this.#waiting;
    this.#waiting = [];
    if (frames.length > 0) to.onFrames(frames);
    this.#deliverEnding(to);
  }

  onHeaders(status: number, headers: Parameters<ResponseSink["onHeaders"]>[1]): void {
    const contentType = headerText(headers["content-type"]);
    this.#status = status;
    this.#contentType = contentType;
    this.#retryAfterSeconds = readRetryAfter(headers);
    // A JSON or HTML body under status 200 is an error report or a proxy's page, not a stream.
    const isStream =
      status === 200 && (contentType === null || contentType.includes("text/event-stream") || contentType.includes("octet-stream"));
    this.#phase = isStream ? "prelude" : "refusal";
  }

  onData(chunk: Buffer): void {
    if (this.#phase === "open") this.#onFrames(this.#readFrames(chunk));
    else if (this.#phase === "prelude") this.#onPrelude(chunk);
    else if (this.#phase === "refusal" && this.#gatheredBytes < ERROR_BODY_LIMIT_BYTES) this.#onRefusal(chunk);
  }

  onEnd(): void {
    if (this.#phase === "open") this.#finish(null);
    else if (this.#phase === "refusal") this.#failWithBody();
    else this.#fail(brokenAnswer("the stream ended before it said anything"));
    this.#gathered = [];
  }

  onError(error: OutgoingError): void {
    if (this.#phase === "open") this.#finish(`${error.kind}: ${error.message}`);
    else this.#fail(failureOfTransport(error));
  }

  #onFrames(frames: readonly Frame[] | null): void {
    if (frames === null || frames.length === 0) return;
    if (this.#listener !== null) this.#listener.onFrames(frames);
    else for (const frame of frames) this.#waiting.push(frame);
  }

  #onRefusal(chunk: Buffer): void {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= ERROR_BODY_LIMIT_BYTES) this.#failWithBody();
  }

  #onPrelude(chunk: Buffer): void {
    const frames = this.#readFrames(chunk);
    if (frames === null) return;
    this.#gatheredBytes += chunk.length;
    for (const frame of frames) {
      if (frame.kind === "error") {
        const said = frame.error;
        const text = { message: said?.message ?? "the upstream reported an error", param: null, code: null };
        this.#fail(
          said?.status === null || said === null
            ? brokenAnswer(`error frame: ${text.message}`)
            : failureOfStatus(said.status, text, this.#retryAfterSeconds),
        );
        return;
      }
      if (frame.kind === "garbage") {
        this.#fail(brokenAnswer("the stream carries something that is not JSON"));
        return;
      }
      this.#waiting.push(frame);
    }
    if (this.#waiting.some(isMeaningful)) {
      this.#phase = "open";
      this.#resolve({ kind: "open", stream: this });
    } else if (this.#waiting.some(({ kind }) => kind === "done")) {
      this.#fail(brokenAnswer("the stream ended before it said anything"));
    } else if (this.#gatheredBytes > PRELUDE_LIMIT_BYTES) {
      this.#fail(brokenAnswer("the stream is long and says nothing"));
    }
  }

  /** Null where the stream cannot be read on; then it has ended. */
  #readFrames(chunk: Buffer): Frame[] | null {
    try {
      return this.reader.push(chunk);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#phase === "open") this.#finish(reason);
      else this.#fail(brokenAnswer(reason));
      this.exchange.abort();
      return null;
    }
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.exchange.abort();
    this.#resolve({ kind: "failed", failure });
  }

  #failWithBody(): void {
    const said = readUpstreamError(this.#status, this.#contentType, Buffer.concat(this.#gathered));
    const text = { message: said.message, param: said.param, code: said.code };
    this.#fail(failureOfStatus(said.status ?? this.#status, text, this.#retryAfterSeconds));
  }

  #finish(error: string | null): void {
    if (this.#ending !== null) return;
    this.#ending = { error };
    if (this.#listener !== null) this.#deliverEnding(this.#listener);
  }

  #deliverEnding(to: StreamListener): void {
    if (this.#ending === null || this.#phase === "over") return;
    this.#phase = "over";
    if (this.#ending.error === null) to.onEnd();
    else to.onError(this.#ending.error);
  }
}
