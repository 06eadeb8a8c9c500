/**
 * One attempt at one route with a streamed answer: ready at the first meaningful frame, failed
 * before it, never in between.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { SSE_EVENT_LIMIT_BYTES, UPSTREAM_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { Exchange, Outgoing, OutgoingRequest, ResponseSink } from "../../net/outgoing.ts";
import { OutgoingError } from "../../net/outgoing.ts";
import type { Frame, FrameReader } from "../../protocol/chat-dialect.ts";
import type { HideWords } from "../../protocol/operator-words.ts";
import { readUpstreamError } from "../../protocol/read-upstream-error.ts";
import { readRetryAfter } from "../routing/retry-after.ts";
import {
  brokenAnswer,
  failureOfStatus,
  failureOfTransport,
  reasonOfTransport,
  refusalText,
} from "../routing/upstream-failure.ts";
import type { UpstreamFailure } from "../routing/upstream-failure.ts";

/** The rest of a refusal's body beyond this is of no use to anybody. */
const ERROR_BODY_LIMIT_BYTES = 64 * 1024;
/** An upstream that sends this much without one meaningful frame is broken. */
const PRELUDE_LIMIT_BYTES = SSE_EVENT_LIMIT_BYTES;

const EMPTY = Buffer.alloc(0);
/** So much of a body tells what it is. */
const BEGINNING_BYTES = 64;
const STREAM_TYPES = /text\/event-stream|octet-stream/i;
/** A comment, or one of the fields of an event; the longest takes so many characters. */
const STREAM_FIELD = /^(?:data|event|id|retry)?:/;
const FIELD_CHARACTERS = 6;

/** Takes over an open stream: the frames that came before, then everything that follows. */
export interface StreamListener {
  onFrames(frames: readonly Frame[]): void;
  /** The upstream ended cleanly; what it left unfinished is the listener's to judge. */
  onEnd(): void;
  onError(reported: WordedReason): void;
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
  abort(): void;
}

export function headerText(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : (value?.[0] ?? null);
}

/**
 * A frame that commits us to this upstream: content, a finish reason, a whole usage. Comments,
 * announcements of what is to come and a bare end do not.
 */
function isMeaningful(frame: Frame): boolean {
  if (frame.kind !== "data") return false;
  return (
    frame.hasContent ||
    frame.finished ||
    (frame.usage.kind !== "absent" && frame.usage.kind !== "partial")
  );
}

/** Makes what reads the stream of one attempt. */
export interface StreamReading {
  readonly reader: FrameReader;
  /** Applied to the words of a refusal. */
  readonly hide: HideWords;
  /** The stream that says the same as this whole answer; null for what is none. */
  streamOf(body: Buffer): Buffer | null;
  /** Content types that are the stream, whatever it begins with; absent: its beginning tells. */
  readonly takes?: (contentType: string) => boolean;
}

/** `done` hears once what came of it, in the middle of what brings it. It must not throw. */
export function openStream(
  outgoing: Outgoing,
  request: OutgoingRequest,
  reading: StreamReading,
  done: (outcome: OpenStreamOutcome) => void,
): StreamAttempt {
  return new Opening(outgoing, request, reading, done);
}

/**
 * One object for each stream, since many are open at a time: first what tries to open it, then the
 * open stream.
 */
class Opening implements ResponseSink, OpenStream, StreamAttempt {
  readonly reader: FrameReader;
  readonly exchange: Exchange;
  readonly #hide: HideWords;
  readonly #takes: StreamReading["takes"];
  // An open stream has neither: what they hold is what was asked, and its prompt.
  #streamOf: ((body: Buffer) => Buffer | null) | null;
  #done: ((outcome: OpenStreamOutcome) => void) | null;
  /** `beginning`: whether the body is a stream, a whole answer or neither is not known yet. */
  #phase: "headers" | "beginning" | "refusal" | "whole" | "prelude" | "open" | "over" = "headers";
  #status = 0;
  #contentType: string | null = null;
  #retryAfterSeconds: number | null = null;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #waiting: Frame[] = [];
  #listener: StreamListener | null = null;
  #ending: { readonly error: WordedReason | null } | null = null;

  constructor(
    outgoing: Outgoing,
    request: OutgoingRequest,
    { reader, hide, streamOf, takes }: StreamReading,
    done: (outcome: OpenStreamOutcome) => void,
  ) {
    this.reader = reader;
    this.#hide = hide;
    this.#streamOf = streamOf;
    this.#takes = takes;
    this.#done = done;
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
    const isStream = contentType !== null && this.#takes?.(contentType) === true;
    this.#phase = status !== 200 ? "refusal" : isStream ? "prelude" : "beginning";
  }

  onData(chunk: Buffer): void {
    if (this.#phase === "open") this.#onFrames(this.#readFrames(chunk));
    else if (this.#phase === "prelude") this.#onPrelude(chunk);
    else if (this.#phase === "beginning") this.#onBeginning(chunk);
    else if (this.#phase === "whole") this.#onWhole(chunk);
    else if (this.#phase === "refusal" && this.#gatheredBytes < ERROR_BODY_LIMIT_BYTES)
      this.#onRefusal(chunk);
  }

  onEnd(): void {
    if (this.#phase === "beginning") this.#decide(true);
    if (this.#phase === "whole") this.#endWhole();
    else if (this.#phase === "refusal") this.#failWithBody();
    this.#readRest();
    if (this.#phase === "open") this.#finish(null);
    else this.#fail(brokenAnswer(sayReason("stream_without_words")));
    this.#gathered = [];
  }

  onError(error: OutgoingError): void {
    if (this.#phase === "open") this.#finish(reasonOfTransport(error));
    else this.#fail(failureOfTransport(error));
  }

  #onFrames(frames: readonly Frame[] | null): void {
    if (frames === null || frames.length === 0) return;
    if (this.#listener !== null) this.#listener.onFrames(frames);
    else for (const frame of frames) this.#waiting.push(frame);
  }

  #onBeginning(chunk: Buffer): void {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    this.#decide(false);
  }

  /**
   * What calls itself a stream is one unless it begins as JSON or a page does; anything else is one
   * where it begins as streams do.
   */
  #decide(ended: boolean): void {
    const body =
      this.#gathered.length === 1 ? (this.#gathered[0] ?? EMPTY) : Buffer.concat(this.#gathered);
    const beginning = body.toString("utf8", 0, BEGINNING_BYTES).replace(/^[\uFEFF\s]+/, "");
    const claimsStream = this.#contentType === null || STREAM_TYPES.test(this.#contentType);
    if (
      !ended &&
      (beginning === "" || (!claimsStream && beginning.length < FIELD_CHARACTERS)) &&
      body.length < BEGINNING_BYTES
    )
      return;
    if (/^[[{]/.test(beginning)) this.#phase = "whole";
    else if (beginning.startsWith("<")) this.#phase = "refusal";
    else this.#phase = claimsStream || STREAM_FIELD.test(beginning) ? "prelude" : "refusal";
    if (this.#phase !== "prelude") return;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#onPrelude(body);
  }

  #onWhole(chunk: Buffer): void {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes > UPSTREAM_BODY_LIMIT_BYTES)
      this.#fail(
        brokenAnswer(sayReason("answer_too_large", { limitBytes: UPSTREAM_BODY_LIMIT_BYTES })),
      );
  }

  /** A whole answer is streamed as one: it has been paid for. */
  #endWhole(): void {
    const stream = this.#streamOf?.(Buffer.concat(this.#gathered)) ?? null;
    if (stream === null) return this.#failWithBody();
    this.#phase = "prelude";
    this.#gatheredBytes = 0;
    this.#onPrelude(stream);
  }

  /** Of an event whose blank line never came. */
  #readRest(): void {
    if (this.#phase === "open") this.#onFrames(this.reader.end());
    else if (this.#phase === "prelude") this.#onPreludeFrames(this.reader.end());
  }

  #onRefusal(chunk: Buffer): void {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= ERROR_BODY_LIMIT_BYTES) this.#failWithBody();
  }

  #onPrelude(chunk: Buffer): void {
    this.#gatheredBytes += chunk.length;
    const frames = this.#readFrames(chunk);
    if (frames !== null) this.#onPreludeFrames(frames);
  }

  #onPreludeFrames(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.kind === "error") {
        const { error } = frame;
        if (error === null || error.status === null)
          this.#fail(brokenAnswer(sayReason("error_frame", { words: error?.message ?? "" })));
        else this.#fail(failureOfStatus(error.status, refusalText(error), this.#retryAfterSeconds));
        return;
      }
      if (frame.kind === "garbage") {
        this.#fail(brokenAnswer(sayReason("stream_not_json")));
        return;
      }
      this.#waiting.push(frame);
    }
    if (this.#waiting.some(isMeaningful)) {
      this.#phase = "open";
      this.#tell({ kind: "open", stream: this });
    } else if (this.#waiting.some(({ kind }) => kind === "done")) {
      this.#fail(brokenAnswer(sayReason("stream_without_words")));
    } else if (this.#gatheredBytes > PRELUDE_LIMIT_BYTES) {
      this.#fail(brokenAnswer(sayReason("stream_long_without_words")));
    }
  }

  /** Null where the stream cannot be read on; then it has ended. */
  #readFrames(chunk: Buffer): Frame[] | null {
    try {
      return this.reader.push(chunk);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#phase === "open") this.#finish({ reason });
      else this.#fail(brokenAnswer(reason));
      this.exchange.abort();
      return null;
    }
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.exchange.abort();
    this.#tell({ kind: "failed", failure });
  }

  #tell(outcome: OpenStreamOutcome): void {
    const done = this.#done;
    this.#done = null;
    this.#streamOf = null;
    done?.(outcome);
  }

  #failWithBody(): void {
    const refusal = {
      status: this.#status,
      contentType: this.#contentType,
      body: Buffer.concat(this.#gathered),
    };
    const reported = readUpstreamError(refusal, this.#hide);
    this.#fail(
      failureOfStatus(
        reported.status ?? this.#status,
        refusalText(reported),
        this.#retryAfterSeconds,
      ),
    );
  }

  #finish(error: WordedReason | null): void {
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
