/** One attempt at one route with a whole answer: its body, or why there is none. */
import { UPSTREAM_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import { readUpstreamError } from "../../protocol/read-upstream-error.ts";
import { headerText } from "./open-stream.ts";
import { readRetryAfter } from "./retry-after.ts";
import { brokenAnswer, failureOfStatus, failureOfTransport } from "./upstream-failure.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";

export type FetchAnswerOutcome =
  | { readonly kind: "answer"; readonly contentType: string; readonly body: Buffer }
  | { readonly kind: "failed"; readonly failure: UpstreamFailure };

export interface AnswerAttempt {
  readonly outcome: Promise<FetchAnswerOutcome>;
  abort(): void;
}

export function fetchAnswer(outgoing: Outgoing, request: OutgoingRequest): AnswerAttempt {
  const { promise, resolve } = Promise.withResolvers<FetchAnswerOutcome>();
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let contentType: string | null = null;
  let retryAfterSeconds: number | null = null;

  const exchange = outgoing.send(request, {
    onHeaders(answered, headers) {
      status = answered;
      contentType = headerText(headers["content-type"]);
      retryAfterSeconds = readRetryAfter(headers);
    },
    onData(chunk) {
      size += chunk.length;
      if (size > UPSTREAM_BODY_LIMIT_BYTES) {
        resolve({ kind: "failed", failure: brokenAnswer(`the answer is larger than ${UPSTREAM_BODY_LIMIT_BYTES} bytes`) });
        exchange.abort();
        return;
      }
      chunks.push(chunk);
    },
    onEnd() {
      const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      if (status === 200) {
        resolve({ kind: "answer", contentType: contentType ?? "application/json", body });
        return;
      }
      const said = readUpstreamError(status, contentType, body);
      const text = { message: said.message, param: said.param };
      resolve({ kind: "failed", failure: failureOfStatus(said.status ?? status, text, retryAfterSeconds) });
    },
    onError(error) {
      resolve({ kind: "failed", failure: failureOfTransport(error) });
    },
  });

  return {
    outcome: promise,
    abort() {
      exchange.abort();
    },
  };
}
