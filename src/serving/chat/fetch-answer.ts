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

export interface AnswerAttempt {
  readonly outcome: Promise<FetchAnswerOutcome>;
  abort(): void;
}

/** `hide` is applied to the words of a refusal. */
export function fetchAnswer(
  outgoing: Outgoing,
  request: OutgoingRequest,
  hide: HideWords,
): AnswerAttempt {
  return new Attempt(outgoing, request, hide);
}

/**
 * What the caller holds and what the exchange reports to are one object, because there is one for
 * every request.
 */
class Attempt implements AnswerAttempt, ResponseSink {
  readonly outcome: Promise<FetchAnswerOutcome>;
  /** May be handed on without its object. */
  readonly abort: () => void;
  private readonly hide: HideWords;
  private readonly exchange: Exchange;
  private resolve!: (outcome: FetchAnswerOutcome) => void;
  private status = 0;
  private headers: ResponseHeaders = {};
  /** The body, while it has come in one piece. */
  private whole: Buffer | null = null;
  private pieces: Buffer[] | null = null;
  private size = 0;

  constructor(outgoing: Outgoing, request: OutgoingRequest, hide: HideWords) {
    this.hide = hide;
    this.outcome = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.exchange = outgoing.send(request, this);
    this.abort = () => this.exchange.abort();
  }

  onHeaders(status: number, headers: ResponseHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onData(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > UPSTREAM_BODY_LIMIT_BYTES) {
      this.resolve({
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
      this.resolve({ kind: "answer", contentType: contentType ?? "application/json", body });
      return;
    }
    const reported = readUpstreamError({ status, contentType, body }, this.hide);
    this.resolve({
      kind: "failed",
      failure: failureOfStatus(
        reported.status ?? status,
        refusalText(reported),
        readRetryAfter(headers),
      ),
    });
  }

  onError(error: OutgoingError): void {
    this.resolve({ kind: "failed", failure: failureOfTransport(error) });
  }
}
