/**
 * Faults in the shape of the OpenAI protocol: the body, its HTTP status and headers, and the event
 * that ends a broken stream.
 */
import type { Fault, FaultCode } from "../../kernel/faults.ts";
import { errorHeaders, type RenderedError } from "../rendered-error.ts";

/** `error.type` of every fault; `error.code` is the fault's own code (contract §4). */
const TYPES: Record<FaultCode, string> = {
  invalid_api_key: "invalid_request_error",
  insufficient_balance: "insufficient_quota",
  key_limit_exceeded: "insufficient_quota",
  group_limit_exceeded: "insufficient_quota",
  session_required: "invalid_request_error",
  wrong_credentials: "invalid_request_error",
  email_unverified: "permission_error",
  login_unfinished: "permission_error",
  origin_refused: "permission_error",
  permission_denied: "permission_error",
  model_not_found: "invalid_request_error",
  not_found: "invalid_request_error",
  method_not_allowed: "invalid_request_error",
  invalid_request: "invalid_request_error",
  context_length_exceeded: "invalid_request_error",
  previous_response_not_found: "invalid_request_error",
  wrong_endpoint: "invalid_request_error",
  idempotency_mismatch: "idempotency_error",
  idempotency_in_progress: "idempotency_error",
  idempotency_answer_gone: "idempotency_error",
  conflict: "invalid_request_error",
  already_exists: "invalid_request_error",
  gone: "invalid_request_error",
  upgrade_required: "invalid_request_error",
  precondition_failed: "invalid_request_error",
  request_too_large: "invalid_request_error",
  unsupported_media_type: "invalid_request_error",
  range_not_satisfiable: "invalid_request_error",
  storage_quota_exceeded: "permission_error",
  rate_limit_exceeded: "rate_limit_error",
  request_timeout: "invalid_request_error",
  internal_error: "api_error",
  upstream_error: "api_error",
  overloaded: "overloaded_error",
  top_ups_unavailable: "api_error",
  upstream_timeout: "api_error",
  storage_full: "api_error",
};

function bodyOf(fault: Fault): string {
  const { param = null, reported } = fault.details;
  return JSON.stringify({
    error: {
      message: fault.message,
      type: reported?.type ?? TYPES[fault.code],
      param,
      code: reported?.code ?? fault.code,
      ...reported?.fields,
    },
  });
}

/**
 * `{"error":{"message","type","param","code"}}`: the SDKs show "no body" for any JSON without
 * `error` (openai-node `core/error.ts`).
 */
export function renderOpenAiError(fault: Fault): RenderedError {
  return { status: fault.status, headers: errorHeaders(fault), body: bodyOf(fault) };
}

/**
 * The event that tells a streaming client that the stream failed: its SDK throws on any event with
 * a truthy `error`. Nothing may follow it, `[DONE]` least of all: the connection is destroyed after
 * it (contract §6).
 */
export function renderOpenAiErrorEvent(fault: Fault): string {
  return `data: ${bodyOf(fault)}\n\n`;
}
