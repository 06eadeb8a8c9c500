/** One attempt at one route with a whole answer: its body, or why there is none. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { UPSTREAM_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type {
  Exchange,
  Outgoing,
  OutgoingError,
  OutgoingRequest,
  ResponseHeaders,
  ResponseSink,
} from "../../net/outgoing.ts";
import type { HideWords } from "../../protocol/operator-words.ts";
import { readUpstreamError } from "../../protocol/read-upstream-error.ts";
import { headerText } from "./open-stream.ts";
import { Pending, type PendingListener } from "../routing/try-routes.ts";
import { readRetryAfter } from "../routing/retry-after.ts";
import {
  brokenAnswer,
  failureOfStatus,
  failureOfTransport,
  refusalText,
} from "../routing/upstream-failure.ts";
import type { UpstreamFailure } from "../routing/upstream-failure.ts";

export type FetchAnswerOutcome =
  | { readonly kind: "answer"; readonly contentType: string; readonly body: Buffer }
  | { readonly kind: "failed"; readonly failure: UpstreamFailure };

export interface AnswerAttempt<T> extends Pending<T> {
  abort(): void;
}

/** What it comes to, for those who wait for it by a promise. */
export function outcomeOf<T>(attempt: AnswerAttempt<T>): Promise<T> {
  return new Promise((over, failed) => attempt.whenOver({ over, failed }));
}

/** `hide` is applied to the words of a refusal; `read` makes of the outcome what is asked for. */
export function fetchAnswer<T>(
  outgoing: Outgoing,
  request: OutgoingRequest,
  hide: HideWords,
  read: (outcome: FetchAnswerOutcome) => T,
): AnswerAttempt<T> {
  return new Attempt(outgoing, request, hide, read);
}

/**
 * What the caller holds and what the exchange reports to are one object, because there is one for
 * every request.
 */
class Attempt<T> extends Pending<T> implements AnswerAttempt<T>, ResponseSink {
  private readonly hide: HideWords;
  private readonly read: (outcome: FetchAnswerOutcome) => T;
  private readonly exchange: Exchange;
  private listener: PendingListener<T> | null = null;
  /** The first end counts. */
  private outcome: FetchAnswerOutcome | null = null;
  private status = 0;
  private headers: ResponseHeaders = {};
  /** The body, while it has come in one piece. */
  private whole: Buffer | null = null;
  private pieces: Buffer[] | null = null;
  private size = 0;

  constructor(
    outgoing: Outgoing,
    request: OutgoingRequest,
    hide: HideWords,
    read: (outcome: FetchAnswerOutcome) => T,
  ) {
    super();
    this.hide = hide;
    this.read = read;
    this.exchange = outgoing.send(request, this);
  }

  whenOver(listener: PendingListener<T>): void {
    this.listener = listener;
    // One that is aborted at once is over before.
    if (this.outcome !== null) this.tell(listener, this.outcome);
  }

  abort(): void {
    this.exchange.abort();
  }

  onHeaders(status: number, headers: ResponseHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onData(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > UPSTREAM_BODY_LIMIT_BYTES) {
      this.end({
        kind: "failed",
        failure: brokenAnswer(
          sayReason("answer_too_large", { limitBytes: UPSTREAM_BODY_LIMIT_BYTES }),
        ),
      });
      this.exchange.abort();
      return;
    }
    if (this.pieces !== null) this.pieces.push(chunk);
    else if (this.whole === null) this.whole = chunk;
    else this.pieces = [this.whole, chunk];
  }

  onEnd(): void {
    const { status, headers } = this;
    const body =
      this.pieces === null
        ? (this.whole ?? Buffer.alloc(0))
        : Buffer.concat(this.pieces, this.size);
    const contentType = headerText(headers["content-type"]);
    if (status === 200) {
      this.end({ kind: "answer", contentType: contentType ?? "application/json", body });
      return;
    }
    const reported = readUpstreamError({ status, contentType, body }, this.hide);
    this.end({
      kind: "failed",
      failure: failureOfStatus(
        reported.status ?? status,
        refusalText(reported),
        readRetryAfter(headers),
      ),
    });
  }

  onError(error: OutgoingError): void {
    this.end({ kind: "failed", failure: failureOfTransport(error) });
  }

  private end(outcome: FetchAnswerOutcome): void {
    if (this.outcome !== null) return;
    this.outcome = outcome;
    if (this.listener !== null) this.tell(this.listener, outcome);
  }

  private tell(listener: PendingListener<T>, outcome: FetchAnswerOutcome): void {
    let result: T;
    try {
      result = this.read(outcome);
    } catch (error) {
      return listener.failed(error);
    }
    listener.over(result);
  }
}
