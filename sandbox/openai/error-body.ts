/** Errors in the openai shape, with the vendor's types and codes. */
import type { Mistake } from "../conversation.ts";

const KINDS: Readonly<Record<number, { type: string; code: string | null }>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  403: { type: "invalid_request_error", code: "unsupported_country_region_territory" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};

export function errorBody(mistake: Mistake): unknown {
  const fallback = {
    type: mistake.status >= 500 ? "server_error" : "invalid_request_error",
    code: null,
  };
  return {
    error: {
      message: mistake.message,
      param: mistake.param,
      ...(KINDS[mistake.status] ?? fallback),
    },
  };
}
