/**
 * Faults in the shape of the Messages protocol: the body, its HTTP status and headers, and the
 * event that ends a broken stream.
 */
import type { Fault, FaultCode } from "../../kernel/faults.ts";
import { errorHeaders, type RenderedError } from "../rendered-error.ts";

/**
 * `error.type` of every fault (contract §4; the names are those of the Messages API's error table).
 */
const TYPES: Record<FaultCode, string> = {
  invalid_api_key: "authentication_error",
  insufficient_balance: "billing_error",
  key_limit_exceeded: "billing_error",
  group_limit_exceeded: "billing_error",
  session_required: "authentication_error",
  wrong_credentials: "authentication_error",
  email_unverified: "permission_error",
  login_unfinished: "permission_error",
  origin_refused: "permission_error",
  permission_denied: "permission_error",
  model_not_found: "not_found_error",
  not_found: "not_found_error",
  method_not_allowed: "invalid_request_error",
  invalid_request: "invalid_request_error",
  context_length_exceeded: "invalid_request_error",
  previous_response_not_found: "invalid_request_error",
  wrong_endpoint: "invalid_request_error",
  idempotency_mismatch: "invalid_request_error",
  idempotency_in_progress: "invalid_request_error",
  idempotency_answer_gone: "invalid_request_error",
  conflict: "invalid_request_error",
  already_exists: "invalid_request_error",
  gone: "not_found_error",
  upgrade_required: "invalid_request_error",
  precondition_failed: "invalid_request_error",
  request_too_large: "request_too_large",
  unsupported_media_type: "invalid_request_error",
  range_not_satisfiable: "invalid_request_error",
  storage_quota_exceeded: "permission_error",
  rate_limit_exceeded: "rate_limit_error",
  request_timeout: "timeout_error",
  internal_error: "api_error",
  upstream_error: "api_error",
  overloaded: "overloaded_error",
  top_ups_unavailable: "api_error",
  upstream_timeout: "timeout_error",
  storage_full: "api_error",
};

/** The status that this family uses for "overloaded" in place of 503. */
const OVERLOADED_STATUS = 529;

function bodyOf(fault: Fault, requestId: string): string {
  const { forPrograms, reported } = fault.details;
  const code = reported === undefined || reported.code === null ? {} : { code: reported.code };
  const details = forPrograms === undefined ? {} : { details: forPrograms };
  return JSON.stringify({
    type: "error",
    // The types are those of the protocol, whatever the upstream speaks.
    error: {
      type: TYPES[fault.code],
      message: fault.message,
      ...code,
      ...reported?.fields,
      ...details,
    },
    request_id: requestId,
  });
}

/**
 * `{"type":"error","error":{"type","message"},"request_id"}`. `requestId` is the public form,
 * `req_…`.
 */
export function renderAnthropicError(fault: Fault, requestId: string): RenderedError {
  const status = fault.code === "overloaded" ? OVERLOADED_STATUS : fault.status;
  return { status, headers: errorHeaders(fault), body: bodyOf(fault, requestId) };
}

/**
 * The `event: error` that tells a streaming client that the stream failed. Nothing may follow it.
 */
export function renderAnthropicErrorEvent(fault: Fault, requestId: string): string {
  return `event: error\ndata: ${bodyOf(fault, requestId)}\n\n`;
}
