/** Errors in the anthropic shape. */
import { randomBytes } from "node:crypto";
import type { Mistake } from "../conversation.ts";

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function errorBody(mistake: Mistake): unknown {
  const type =
    TYPES[mistake.status] ?? (mistake.status >= 500 ? "api_error" : "invalid_request_error");
  const message = mistake.param === null ? mistake.message : `${mistake.param}: ${mistake.message}`;
  return {
    type: "error",
    error: { type, message },
    request_id: `req_sandbox_${randomBytes(8).toString("hex")}`,
  };
}
