/**
 * One call to a provider from its request to its parsed answer, bounded in size and time, never
 * followed elsewhere and never repeated.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Exchange, Outgoing, OutgoingRequest, ResponseHeaders } from "../../net/outgoing.ts";

export type JsonAnswer = {
  readonly kind: "answer";
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
};

export type ExchangeResult =
  | JsonAnswer
  | {
      readonly kind: "failed";
      readonly sent: boolean;
      /** There was no way to the provider; not where it is this process that has no room. */
      readonly unreached: boolean;
      /** The system's words in it may hold the credential. */
      readonly why: Required<WordedReason>;
    };

const BODY_LIMIT_BYTES = 1_000_000;
const LONGEST_RETRY_AFTER_MS = 86_400_000;

export async function exchangeJson(
  outgoing: Outgoing,
  request: OutgoingRequest,
  signal: AbortSignal,
  limitBytes = BODY_LIMIT_BYTES,
): Promise<ExchangeResult> {
  if (signal.aborted)
    return { kind: "failed", sent: false, unreached: false, why: sayReason("stopped_unsent") };
  const { promise, resolve } = Promise.withResolvers<ExchangeResult>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let status = 0;
  let headers: ResponseHeaders = {};
  let why: Required<WordedReason> | null = null;

  const exchange: Exchange = outgoing.send(request, {
    onHeaders(answered, received) {
      status = answered;
      headers = received;
    },
    onData(chunk) {
      bytes += chunk.length;
      if (bytes > limitBytes) stop(sayReason("answer_too_large", { limitBytes }));
      else chunks.push(chunk);
    },
    onEnd: () =>
      resolve({
        kind: "answer",
        status,
        retryAfterMs: retryAfterOf(headers),
        json: parsed(Buffer.concat(chunks)),
      }),
    onError: (error) =>
      resolve({
        kind: "failed",
        sent: error.sent,
        unreached: !error.sent && error.kind !== "exhausted",
        why: why ?? sayReason("transport", { trouble: error.kind, words: error.message }),
      }),
  });
  function stop(reason: Required<WordedReason>): void {
    why ??= reason;
    exchange.abort();
  }
  const stopByCaller = (): void => stop(sayReason("stopped"));
  signal.addEventListener("abort", stopByCaller, { once: true });
  // The phases have deadlines of their own, but an answer in drops keeps every one of them.
  const allMs = request.connectTimeoutMs + request.firstByteTimeoutMs + request.idleTimeoutMs;
  const late = setTimeout(() => stop(sayReason("answer_too_slow", { limitMs: allMs })), allMs);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", stopByCaller);
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Whole seconds, as providers send it, or a date held against the answer's own (RFC 9110, 10.2.3).
 */
function retryAfterOf(headers: ResponseHeaders): number | null {
  const text = textOf(headers["retry-after"]);
  if (text === null) return null;
  const ms = /^\d{1,9}(?:\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1000)
    : Date.parse(text) - Date.parse(textOf(headers["date"]) ?? "");
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

function textOf(value: string | string[] | undefined): string | null {
  return (typeof value === "string" ? value : value?.[0])?.trim() ?? null;
}
