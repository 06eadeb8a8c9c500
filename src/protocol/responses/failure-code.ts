/** How a response says that it failed: the codes by which its clients decide whether to ask again. */
import type { Fault, FaultCode } from "../../kernel/faults.ts";

/**
 * `rate_limit_exceeded` and `server_error` are asked again (by some agents five times, each of them paid),
 * the others are not: their cause stays.
 */
const CODES: Readonly<Partial<Record<FaultCode, string>>> = {
  insufficient_balance: "insufficient_quota",
  key_limit_exceeded: "insufficient_quota",
  group_limit_exceeded: "insufficient_quota",
  context_length_exceeded: "context_length_exceeded",
  rate_limit_exceeded: "rate_limit_exceeded",
};

const ASKED_AGAIN: ReadonlySet<unknown> = new Set(["rate_limit_exceeded", "server_error"]);

export const isAskedAgain = (code: unknown): boolean => ASKED_AGAIN.has(code);

export interface Failure {
  readonly code: string;
  readonly message: string;
}

export function failureOf(fault: Fault): Failure {
  const code = CODES[fault.code] ?? (fault.retryable ? "server_error" : "invalid_prompt");
  return { code, message: fault.message };
}
