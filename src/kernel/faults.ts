/**
 * The one table of faults: every error a caller can meet, its HTTP status and its default public
 * text (contract §4).
 */
import type { RateStanding } from "./rate-limits.ts";

interface FaultKind {
  readonly status: number;
  /** Said to the caller when the thrower gives no better text. Never carries internals. */
  readonly message: string;
  /** Whether a retry of the same request can help; false becomes `x-should-retry: false`. */
  readonly retryable: boolean;
}

export const FAULTS = {
  invalid_api_key: {
    status: 401,
    message: "The API key is missing or not valid.",
    retryable: false,
  },
  insufficient_balance: {
    status: 402,
    message: "The balance cannot cover this request.",
    retryable: false,
  },
  key_limit_exceeded: {
    status: 402,
    message: "The spend limit of this API key is used up.",
    retryable: false,
  },
  group_limit_exceeded: {
    status: 402,
    message: "The spend limit of this API key's group is used up.",
    retryable: false,
  },
  session_required: { status: 401, message: "Log in to the panel.", retryable: false },
  wrong_credentials: {
    status: 401,
    message: "The e-mail or the password is wrong.",
    retryable: false,
  },
  email_unverified: {
    status: 403,
    message: "Confirm your e-mail first: open the link in the mail that we sent.",
    retryable: false,
  },
  login_unfinished: { status: 403, message: "Finish logging in first.", retryable: false },
  origin_refused: {
    status: 403,
    message: "The panel takes requests of its own pages only.",
    retryable: false,
  },
  permission_denied: { status: 403, message: "This API key may not do that.", retryable: false },
  model_not_found: { status: 404, message: "There is no such model.", retryable: false },
  not_found: { status: 404, message: "There is nothing here.", retryable: false },
  method_not_allowed: {
    status: 405,
    message: "This path does not take that method.",
    retryable: false,
  },
  invalid_request: { status: 400, message: "The request is not valid.", retryable: false },
  context_length_exceeded: {
    status: 400,
    message: "This conversation is longer than the model can read.",
    retryable: false,
  },
  previous_response_not_found: {
    status: 400,
    message: "The answer that this conversation goes on from is not kept here.",
    retryable: false,
  },
  wrong_endpoint: {
    status: 400,
    message: "This model is not served at this endpoint.",
    retryable: false,
  },
  idempotency_mismatch: {
    status: 400,
    message: "This Idempotency-Key was used with another body.",
    retryable: false,
  },
  idempotency_in_progress: {
    status: 409,
    message: "The first request with this Idempotency-Key still runs.",
    retryable: true,
  },
  idempotency_answer_gone: {
    status: 410,
    message:
      "A request with this Idempotency-Key was answered and charged, but its answer was too large to be kept. Use another key to ask anew.",
    retryable: false,
  },
  conflict: {
    status: 409,
    message: "This was changed in the meantime, or is there already.",
    retryable: false,
  },
  already_exists: { status: 409, message: "Exactly this is there already.", retryable: false },
  gone: { status: 410, message: "This is not there any more.", retryable: false },
  upgrade_required: {
    status: 426,
    message: "Only HTTP is spoken here.",
    retryable: false,
  },
  precondition_failed: {
    status: 412,
    message: "What the request was made for has changed.",
    retryable: false,
  },
  request_too_large: { status: 413, message: "The request body is too large.", retryable: false },
  unsupported_media_type: {
    status: 415,
    message: "Send JSON with content-type: application/json.",
    retryable: false,
  },
  range_not_satisfiable: { status: 416, message: "The file has no such range.", retryable: false },
  storage_quota_exceeded: {
    status: 403,
    message:
      "The files of this account take all the room it has. Delete some, or wait until they expire.",
    retryable: false,
  },
  rate_limit_exceeded: { status: 429, message: "Too many requests.", retryable: true },
  request_timeout: {
    status: 408,
    message: "The request body did not arrive in time.",
    retryable: true,
  },
  internal_error: { status: 500, message: "Something went wrong on our side.", retryable: true },
  upstream_error: {
    status: 502,
    message: "No upstream could serve this request.",
    retryable: true,
  },
  overloaded: {
    status: 503,
    message: "The gateway is overloaded or restarting. Try again.",
    retryable: true,
  },
  top_ups_unavailable: {
    status: 503,
    message:
      "Top-ups do not work at the moment: the operator has to finish setting them up. Nothing was paid.",
    retryable: false,
  },
  upstream_timeout: {
    status: 504,
    message: "The upstream did not answer in time.",
    retryable: true,
  },
  storage_full: {
    status: 507,
    message: "There is no room for files here at the moment. Try again later.",
    retryable: true,
  },
} as const satisfies Record<string, FaultKind>;

export type FaultCode = keyof typeof FAULTS;

/**
 * What a sentence about a fault names, for pages that say it in another language: by code, never by
 * the English text.
 */
export type FaultParams = Readonly<Record<string, string | number | readonly string[]>>;

export interface FaultDetails {
  /** Public text; replaces the table's. */
  readonly message?: string;
  /** The request field at fault. */
  readonly param?: string;
  /** Sent as `retry-after`. */
  readonly retryAfterSeconds?: number;
  /** How the caller stands to its rate limits; shown in the headers of the caller's protocol. */
  readonly standing?: RateStanding;
  /** Overrides the table's word on whether a retry can help. */
  readonly retryable?: boolean;
  /**
   * All mistakes of a body at once, where the endpoint's family lists them. `reason`: for pages,
   * where it is narrower than the code.
   */
  readonly errors?: readonly {
    param: string;
    code: string;
    reason?: string;
    message: string;
    params?: FaultParams;
  }[];
  /** What exactly, for pages, where the code says only of which kind. */
  readonly reason?: string;
  /** What the text names. */
  readonly params?: FaultParams;
  /**
   * What programs read beside the text, in the protocol's own words, where the endpoint's family
   * has a place for it.
   */
  readonly forPrograms?: Readonly<Record<string, unknown>>;
  /** The key that was refused, where there is such a key; for the log only. */
  readonly refusedKey?: { readonly mask: string; readonly accountId: string };
  /**
   * How an upstream calls the caller's own mistake, where its words are short and plain, and what
   * it says beside them for programs.
   */
  readonly reported?: {
    readonly code: string | null;
    readonly type: string | null;
    readonly fields: Readonly<Record<string, string>>;
  };
  /** For the log only. */
  readonly cause?: unknown;
}

/**
 * An expected failure with a public face. Throw it anywhere below a endpoint; the endpoint renders
 * it in the caller's protocol.
 */
export class Fault extends Error {
  override name = "Fault";
  readonly code: FaultCode;
  readonly details: FaultDetails;

  constructor(code: FaultCode, details: FaultDetails = {}) {
    super(
      details.message ?? FAULTS[code].message,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return FAULTS[this.code].status;
  }

  get retryable(): boolean {
    return this.details.retryable ?? FAULTS[this.code].retryable;
  }
}

/**
 * Whatever was thrown, as a fault: unknown errors become `internal_error` with the original as the
 * cause for the log.
 */
export function toFault(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : new Fault("internal_error", { cause: thrown });
}
