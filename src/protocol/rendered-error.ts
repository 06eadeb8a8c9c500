/**
 * What every error renderer returns, and the headers that are the same in all families
 * (contract §4).
 */
import type { Fault } from "../kernel/faults.ts";

/**
 * A whole HTTP answer: write it as it is. `body` is JSON text; `headers` already has its content
 * type, names in lower case.
 */
export interface RenderedError {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * `x-should-retry: false` where a retry cannot help (both official SDKs obey it before they look at
 * the status), `retry-after` in whole seconds where the fault knows one. Nothing ever says
 * `x-should-retry: true`: the SDKs' own rules are right for the rest.
 */
export function errorHeaders(fault: Fault): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (!fault.retryable) headers["x-should-retry"] = "false";
  const seconds = fault.details.retryAfterSeconds;
  if (seconds !== undefined && Number.isFinite(seconds))
    headers["retry-after"] = String(Math.max(1, Math.ceil(seconds)));
  return headers;
}
