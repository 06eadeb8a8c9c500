/**
 * Sorts what went wrong at an upstream: the caller's fault, or a reason to try the next route
 * (contract §4 and §5).
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault, type FaultCode } from "../../kernel/faults.ts";
import type { OutgoingError } from "../../net/outgoing.ts";
import type { StreamError } from "../../protocol/chat-dialect.ts";
import { isContextExceeded } from "../../protocol/context-exceeded.ts";

/** What the body of a refusal said, made safe for callers by `protocol/`. */
export interface UpstreamRefusalText {
  readonly message: string;
  readonly param: string | null;
  /** The word for programs, where the upstream's protocol has one. */
  readonly code: string | null;
  readonly type?: string | null;
  /** What else programs read. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Of an error in place of an answer, or in a stream. */
export function refusalText({
  message,
  param = null,
  code = null,
  type = null,
  fields = {},
}: StreamError): UpstreamRefusalText {
  return { message, param, code, type, fields };
}

export interface UpstreamFailure extends WordedReason {
  /**
   * `caller`: no route would do better. All others let the next route try. `credentials`: the
   * operator's to mend, an unknown model too. `untranslatable`: the request says what this
   * upstream's protocol has no word for; it was not called. `gateway`: what we lack ourselves for
   * any call; no mark against the route, and no other would do better.
   */
  readonly kind:
    | "caller"
    | "untranslatable"
    | "credentials"
    | "busy"
    | "timeout"
    | "broken"
    | "gateway";
  /** The upstream's HTTP status, where there was one. */
  readonly status: number | null;
  /** For the receipt and the log, never for the caller. */
  readonly reason: string;
  /** For the caller; only a caller's own mistake is passed on. */
  readonly callerText: UpstreamRefusalText | null;
  readonly retryAfterSeconds: number | null;
}

const CALLER_STATUSES: ReadonlySet<number> = new Set([400, 413, 415, 422]);
/** Some upstreams (Gemini, xAI) say under status 400 that it is our key which they do not take. */
const OF_CREDENTIAL = /api_?key|authentication/i;
const CREDENTIAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404]);

export function failureOfStatus(
  status: number,
  text: UpstreamRefusalText,
  retryAfterSeconds: number | null,
): UpstreamFailure {
  const worded = sayReason("status", { status, words: text.message });
  if (status === 400 && OF_CREDENTIAL.test(`${text.code} ${text.type}`))
    return { kind: "credentials", status, ...worded, callerText: null, retryAfterSeconds: null };
  if (CALLER_STATUSES.has(status))
    return { kind: "caller", status, ...worded, callerText: text, retryAfterSeconds: null };
  // 404 means that the upstream does not know the model that the catalogue names: the operator's
  // mistake, not the caller's.
  if (CREDENTIAL_STATUSES.has(status))
    return { kind: "credentials", status, ...worded, callerText: null, retryAfterSeconds: null };
  if (status === 408 || status === 504)
    return { kind: "timeout", status, ...worded, callerText: null, retryAfterSeconds };
  if (status === 429 || status === 503 || status === 529)
    return { kind: "busy", status, ...worded, callerText: null, retryAfterSeconds };
  return { kind: "broken", status, ...worded, callerText: null, retryAfterSeconds };
}

export function reasonOfTransport({ kind: trouble, message: words }: OutgoingError): WordedReason {
  return sayReason("transport", { trouble, words });
}

export function failureOfTransport(error: OutgoingError): UpstreamFailure {
  const timedOut =
    error.kind === "first-byte-timeout" ||
    error.kind === "idle-timeout" ||
    error.kind === "connect-timeout";
  return {
    kind: error.kind === "exhausted" ? "gateway" : timedOut ? "timeout" : "broken",
    status: null,
    ...reasonOfTransport(error),
    callerText: null,
    retryAfterSeconds: null,
  };
}

/** A text alone: in the words of the upstream or the system. */
export function brokenAnswer(worded: WordedReason | string): UpstreamFailure {
  const why = typeof worded === "string" ? { reason: worded } : reasonAlone(worded);
  return { kind: "broken", status: null, ...why, callerText: null, retryAfterSeconds: null };
}

/** `fault` names the field that cannot be said. */
export function untranslatable(fault: Fault): UpstreamFailure {
  const callerText = { message: fault.message, param: fault.details.param ?? null, code: null };
  return {
    kind: "untranslatable",
    status: null,
    reason: fault.message,
    callerText,
    retryAfterSeconds: null,
  };
}

function codeOfRefusal({ status, callerText }: UpstreamFailure): FaultCode {
  if (status === 413) return "request_too_large";
  return callerText !== null && isContextExceeded(callerText.code, callerText.message)
    ? "context_length_exceeded"
    : "invalid_request";
}

/** The fault of the last route that was tried, when none is left. */
export function faultOfFailure(failure: UpstreamFailure): Fault {
  const retry =
    failure.retryAfterSeconds === null ? {} : { retryAfterSeconds: failure.retryAfterSeconds };
  switch (failure.kind) {
    case "caller":
    case "untranslatable":
      return refused(codeOfRefusal(failure), failure.callerText);
    case "timeout":
      return new Fault("upstream_timeout", { cause: failure.reason, ...retry });
    case "busy":
      return new Fault("upstream_error", {
        ...sayRefusal("upstream_overloaded"),
        cause: failure.reason,
        ...retry,
      });
    case "gateway":
      return new Fault("overloaded", { cause: failure.reason, retryAfterSeconds: 1 });
    case "credentials":
    case "broken":
      return new Fault("upstream_error", { cause: failure.reason, ...retry });
  }
}

const NO_WORDS: UpstreamRefusalText = {
  message: "The upstream refused this request as not valid.",
  param: null,
  code: null,
};

function refused(faultCode: FaultCode, text: UpstreamRefusalText | null): Fault {
  const { message, param, code, type = null, fields = {} } = text ?? NO_WORDS;
  // Agents go by our own code where there is one for the case.
  const words =
    faultCode === "invalid_request"
      ? { code: plainWord(code), type: plainWord(type), fields }
      : null;
  return new Fault(faultCode, {
    message,
    ...(param === null ? {} : { param }),
    ...(words === null ? {} : { reported: words }),
  });
}

const PLAIN_WORD = /^[a-z][a-z0-9_.-]{0,63}$/i;
/** Words that would be read as the caller's own key or money, when they are of the operator's. */
const OPERATORS_WORD =
  /key|auth|token_?expired|quota|billing|balance|payment|credit|account|organi[sz]ation|permission|forbidden/i;

function plainWord(word: string | null): string | null {
  return word !== null && PLAIN_WORD.test(word) && !OPERATORS_WORD.test(word) ? word : null;
}

/** Without what else it is said of. */
function reasonAlone({ reason, coded }: WordedReason): WordedReason {
  return coded === undefined ? { reason } : { reason, coded };
}

export const BROKEN_OFF = "The upstream broke off before the answer was complete.";

/** For the receipt and the log. */
export function reasonOfBreak(
  end: WordedReason & { readonly error: StreamError | null },
): WordedReason {
  const { error } = end;
  if (error === null) return reasonAlone(end);
  return error.status === null
    ? { reason: error.message }
    : sayReason("status", { status: error.status, words: error.message });
}

/**
 * The fault of an answer that its upstream broke off; `error` is what it told, null where it told
 * nothing. Its own accounts are not told of.
 */
export function faultOfBreak(error: StreamError | null): Fault {
  if (error === null) return new Fault("upstream_error", { message: BROKEN_OFF });
  const { message, status } = error;
  if (status === null) return new Fault("upstream_error", { message });
  const failure = failureOfStatus(status, refusalText(error), null);
  switch (failure.kind) {
    case "caller":
      return faultOfFailure(failure);
    case "credentials":
      return new Fault("upstream_error", { message: BROKEN_OFF, cause: failure.reason });
    case "busy":
      return new Fault("overloaded", { message, retryAfterSeconds: 1 });
    case "timeout":
      return new Fault("upstream_timeout", { message });
    default:
      return new Fault("upstream_error", { message });
  }
}
